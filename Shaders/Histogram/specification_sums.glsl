// specification_sums: the inclusive sums of a histogram. Twin: ImageHistogramSpecification.
//
// in   counts  PLANES * ENTRIES, planar
// out  numbers the sums, likewise
// grid one threadgroup for each plane
// law  sums of counts stay below 2^32
#define CHUNK uint(ENTRIES / 64)

shared uint chunkSums[64];

void main() {
  uint lane = gl_LocalInvocationIndex;
  uint first = gl_WorkGroupID.x * uint(ENTRIES) + lane * CHUNK;
  uint sum = 0u;
  for (uint i = 0u; i < CHUNK; ++i) sum += counts(first + i);
  chunkSums[lane] = sum;
  memoryBarrierShared();
  barrier();
  sum = 0u;
  for (uint i = 0u; i < lane; ++i) sum += chunkSums[i];
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    sum += counts(entry);
    setNumber(entry, sum);
  }
}
