// One import for tests of pictures: the types that expectations take and return, devices, files, and Swift Testing.
@_exported public import SafelightFrames
@_exported public import SafelightGPU
@_exported public import SafelightGolden
@_exported public import SafelightImage
@_exported public import Testing
