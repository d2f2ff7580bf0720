// prelude: stands at the head of every function, after its version line and constants.
//
// No stage has a default precision for images and integer samplers, fragment functions have none for float, and
// sampler2D defaults to lowp: say highp once, for all (GLSL ES 3.10 section 4.5.4).
precision highp float;
precision highp int;
precision highp sampler2D;
precision highp usampler2D;
precision highp image2D;
precision highp uimage2D;
