// edges: which histogram entry a float belongs to. Twin: HistogramEdges.
//
// in   edges  256 wide, ENTRIES / 256 rows a plane: the lower and the upper half of the key of the smallest float of
//             each entry, not falling
// in   Bins   bytes 2: the least keys that are counted
// law  the last entry whose edge the sample's key reaches, the first where it reaches none
layout(std140, binding = 2) uniform Bins {
  uvec4 lowest;
  uvec4 highest;
  uvec4 threshold;
};

void beginBins() {}

uint edgeOf(uint entry, uint plane) {
  uvec4 halves = edges(ivec2(int(entry & 255u), int(plane * uint(ENTRIES / 256) + (entry >> 8))));
  return halves.r | (halves.g << 16);
}

// No loop, of which a lane has a limited number of rounds on some drivers; steps beyond the entries are left out.
#define HALVE(step) if (ENTRIES > step && key >= edgeOf(bin + uint(step), plane)) bin += uint(step)

uint binOf(uint key, uint plane) {
  uint bin = 0u;
  HALVE(32768);
  HALVE(16384);
  HALVE(8192);
  HALVE(4096);
  HALVE(2048);
  HALVE(1024);
  HALVE(512);
  HALVE(256);
  HALVE(128);
  HALVE(64);
  HALVE(32);
  HALVE(16);
  HALVE(8);
  HALVE(4);
  HALVE(2);
  HALVE(1);
  return bin;
}
