// One import for users: the workflow and the modules it is made of.
@_exported public import SafelightFrames
@_exported public import SafelightGPU
@_exported public import SafelightImage
@_exported public import SafelightKernels
@_exported public import SafelightMachine

// The types for the text of a user's kernel.
@_exported public import struct SafelightShaders.ShaderAssembly
@_exported public import struct SafelightShaders.ShaderText
