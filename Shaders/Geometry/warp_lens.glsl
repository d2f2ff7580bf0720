// warp_lens: positions that a lens gives, by the model of Brown. Twin: WarpLens.
//
// in  numbers  the planes of columns and rows, in 2^-56 radii; the radial coefficients; the tangents and the radii
// The product of two numbers of 30 bits below the point, rounded.
int product(int one, int other) {
  int upper;
  int lower;
  imulExtended(one, other, upper, lower);
  uvec2 rounded = sum(uvec2(lower, upper), uvec2(1u << 29, 0u));
  return int(rounded.y << 2 | rounded.x >> 30);
}

int distanceAt(int index, ivec2 at) {
  uvec2 number = sum(plane(index, at), uvec2(1u << 25, 0u));
  return int(number.y << 6 | number.x >> 26);
}

// A column or row, moved by a part of a radius.
int moved(int from, uint radius, int part) {
  int upper;
  int lower;
  imulExtended(int(radius), part, upper, lower);
  return rounded(sum(uvec2(lower, upper), uvec2(0u, uint(from) << 8)));
}

ivec2 positionOf(ivec2 at) {
  ivec3 radial = ivec3(numbers[4].xyz);
  ivec2 tangents = ivec2(numbers[5].xy);
  int across = distanceAt(0, at);
  int down = distanceAt(1, at);
  int xx = product(across, across);
  int yy = product(down, down);
  int xy = product(across, down);
  int square = xx + yy;
  int bend = radial.y + product(radial.z, square);
  bend = product(radial.x + product(bend, square), square);
  int movedAcross = product(bend, across) + 2 * product(tangents.x, xy) + product(tangents.y, square)
    + 2 * product(tangents.y, xx);
  int movedDown = product(bend, down) + 2 * product(tangents.y, xy) + product(tangents.x, square)
    + 2 * product(tangents.x, yy);
  return ivec2(moved(at.x, numbers[5].z, movedAcross), moved(at.y, numbers[5].w, movedDown));
}
