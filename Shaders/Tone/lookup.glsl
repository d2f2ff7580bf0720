// lookup: one output for every value that a sample can have. Twin: LookUpFunction, and TableLookUp.
//
// in   table  256 wide, a row for every 256 values, a channel a plane; in every depth unsigned integers
// law  the first LOOKED_UP channels: out = table(v); the others stay. A gray picture is the channel red.
uvec4 outputs(uint value) {
  return table(ivec2(int(value & 255u), int(value >> 8)));
}

uvec4 pointKernel(uvec4 pixel) {
  pixel.r = outputs(pixel.r).r;
#if LOOKED_UP >= 2
  pixel.g = outputs(pixel.g).g;
#endif
#if LOOKED_UP >= 3
  pixel.b = outputs(pixel.b).b;
#endif
#if LOOKED_UP == 4
  pixel.a = outputs(pixel.a).a;
#endif
  return pixel;
}
