// mean: the sum of each channel; 16 by 16 samples of 16 bits stay below 2^24. Twin: ImageMean.
uvec4 reduced(uvec4 value, uvec4 pixel) {
  return value + pixel;
}
