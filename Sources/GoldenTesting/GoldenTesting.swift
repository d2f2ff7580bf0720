// One import for a test of pictures: what expectations take and return, the devices and files that pictures come from,
// and Swift Testing.
@_exported public import SafelightFrames
@_exported public import SafelightGPU
@_exported public import SafelightGolden
@_exported public import SafelightImage
@_exported public import Testing
