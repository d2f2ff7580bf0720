// solarize: what is lighter than a threshold turns dark, as in a print that saw light too early. Twin: ImageSolarize.
layout(std140, binding = 2) uniform Parameters {
  uvec4 threshold;
};

uvec4 pointKernel(uvec4 pixel) {
  uvec3 turned = uvec3(MAXIMUM) - pixel.rgb;
  return uvec4(mix(pixel.rgb, turned, greaterThan(pixel.rgb, threshold.rgb)), pixel.a);
}
