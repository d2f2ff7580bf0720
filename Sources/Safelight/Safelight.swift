// One import for a user: the workflow, and what it is made of.
@_exported public import SafelightFrames
@_exported public import SafelightGPU
@_exported public import SafelightImage
@_exported public import SafelightKernels

// What a kernel of one's own is written in.
@_exported public import struct SafelightShaders.ShaderText
