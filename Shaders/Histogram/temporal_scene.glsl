// temporal_scene: whether a picture begins a scene. Twin: TemporalHistogram.
//
// in   apart     the numbers of temporal_distance
// in   before    the numbers of this function for the picture before
// in   Cut       in 1 / 65536
// out  numbers  the pictures that are summed, LENGTH at most, and 1 if the oldest of those before leaves the sum
// law  a picture begins a scene if it is the first, or if distance * 65536 > cut * samples, in 64 bits
layout(std140, binding = 2) uniform Cut {
  uvec4 cut;
};

bool isCut(uint length) {
  if (length == 0u) return true;
  uint distanceHigh;
  uint distanceLow;
  uint limitHigh;
  uint limitLow;
  umulExtended(apart(0u), 65536u, distanceHigh, distanceLow);
  umulExtended(apart(1u), cut.x, limitHigh, limitLow);
  return distanceHigh > limitHigh || (distanceHigh == limitHigh && distanceLow > limitLow);
}

void main() {
  if (gl_LocalInvocationIndex != 0u) return;
  uint length = before(0u);
  bool startsAnew = isCut(length);
  setNumber(0u, startsAnew ? 1u : min(length + 1u, uint(LENGTH)));
  setNumber(1u, startsAnew || length < uint(LENGTH) ? 0u : 1u);
}
