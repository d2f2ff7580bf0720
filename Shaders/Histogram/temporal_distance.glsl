// temporal_distance: how far the histograms of two pictures lie apart. Twin: TemporalHistogram.
//
// in   current, previous  PLANES * ENTRIES counts each, planar
// out  numbers  the sum of |current - previous| over 64 groups of neighboring entries of each plane, and the samples of
//               both
// grid one threadgroup for each plane
// law  both stay below 2^32 where the samples of a picture do twice over
#define CHUNK uint(ENTRIES / 64)

void main() {
  uint first = gl_WorkGroupID.x * uint(ENTRIES) + gl_LocalInvocationIndex * CHUNK;
  uint now = 0u;
  uint before = 0u;
  for (uint entry = first; entry < first + CHUNK; ++entry) {
    now += current(entry);
    before += previous(entry);
  }
  addNumber(0u, max(now, before) - min(now, before));
  addNumber(1u, now + before);
}
