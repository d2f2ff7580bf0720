// The few facts of the binding that belong to the interface of a device; nothing else of it passes.
@_exported public import struct SafelightGLES.Capabilities
@_exported public import class SafelightGLES.DMABuffer
@_exported public import enum SafelightGLES.DRMFormat
@_exported public import struct SafelightGLES.DeviceCandidate
@_exported public import struct SafelightGLES.DeviceFeatures
@_exported public import enum SafelightGLES.DevicePlatform
@_exported public import enum SafelightGLES.DevicePriority
@_exported public import enum SafelightGLES.DeviceSelector
@_exported public import struct SafelightGLES.SamplerDescriptor
@_exported public import struct SafelightGLES.TextureDescriptor
@_exported public import struct SafelightGLES.TextureImage
