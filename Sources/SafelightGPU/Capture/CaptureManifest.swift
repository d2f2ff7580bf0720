package import SafelightGLES
package import SafelightImage

/// The text of a capture: every resource, function and command, by name. Bytes and GLSL lie beside it.
package struct CaptureManifest: Codable, Hashable, Sendable {
  package var label: String
  package var device: Device
  package var failure: String?
  /// One sentence for everything that could not be captured.
  package var notes: [String] = []

  package var textures: [Texture] = []
  package var buffers: [Buffer] = []
  package var samplers: [Sampler] = []
  package var functions: [Function] = []
  package var renderPipelines: [RenderPipeline] = []
  package var readbacks: [Readback] = []
  package var commands: [CapturedCommand] = []

  /// The contents of resources before the first command; a resource that is not listed held zeros, or is not read.
  package var inputs: [Contents] = []
  /// The labels of textures whose contents the command buffer needs but nobody can read: depths, stencils, or several
  /// samples a pixel. Such a capture does not replay.
  package var missingInputs: [String]?
  /// The contents of resources after the last command, and of readbacks.
  package var outputs: [Contents] = []

  package struct Device: Codable, Hashable, Sendable {
    package var name: String
    package var driver: String
    package var vendor: String
    package var isCPU: Bool
  }

  package struct Texture: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var descriptor: TextureDescriptor
    /// For a view, the texture behind it, and the levels and slices that the view shows.
    package var parent: String?
    package var levels: Span?
    package var slices: Span?
  }

  package struct Buffer: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var length: Int
    package var storageMode: StorageMode

    package init(name: String, label: String, length: Int, storageMode: StorageMode) {
      self.name = name
      self.label = label
      self.length = length
      self.storageMode = storageMode
    }
  }

  package struct Sampler: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var descriptor: SamplerDescriptor
  }

  package struct Function: Codable, Hashable, Sendable {
    package var name: String
    /// The function's own name, by which its Swift twin is found.
    package var function: String
    package var stage: ShaderStage
    /// The name of the complete GLSL.
    package var text: String
    package var arguments: [Argument]
    /// The macros that the text defines; a twin may depend on them.
    package var constants: [String: String]
    package var hasTwin: Bool
  }

  package struct Argument: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, CaseIterable, Sendable {
      case sampledTexture, loadedTexture, storageTexture, readWriteTexture, readBuffer, storageBuffer, bytes
    }

    package var kind: Kind
    package var index: Int
  }

  package struct RenderPipeline: Codable, Hashable, Sendable {
    package var name: String
    package var label: String
    package var vertexFunction: String
    package var fragmentFunction: String
    package var vertexDescriptor: VertexDescriptor
    /// Nil for the full-screen strip on one attachment of any format.
    package var colorAttachments: [ColorAttachmentState]?
    package var depthAttachmentPixelFormat: PixelFormat?
    package var stencilAttachmentPixelFormat: PixelFormat?
    package var rasterSampleCount: Int
  }

  package struct Readback: Codable, Hashable, Sendable {
    package var name: String
    package var length: Int
  }

  /// The contents of an image of a texture, of a buffer, or of a readback.
  package struct Contents: Codable, Hashable, Sendable {
    package var name: String
    package var resource: String
    package var image: TextureImage?
    package var bytes: Bytes

    package init(name: String, resource: String, image: TextureImage? = nil, bytes: Bytes) {
      self.name = name
      self.resource = resource
      self.image = image
      self.bytes = bytes
    }
  }

  /// A run of bytes: short ones as words, longer ones as the name of a blob, zeros as neither.
  package struct Bytes: Codable, Hashable, Sendable {
    package var length: Int
    /// 32-bit numbers in decimal, separated by spaces.
    package var words: String?
    package var blob: String?

    package init(length: Int, words: String? = nil, blob: String? = nil) {
      self.length = length
      self.words = words
      self.blob = blob
    }
  }

  /// A range, as its first element and length.
  package struct Span: Codable, Hashable, Sendable {
    package var first: Int
    package var count: Int
  }
}

extension CaptureManifest {
  /// Throws if the resources would take more than `limit` bytes; called before any is made.
  func check(_ limit: Int) throws(SafelightError) {
    // Zeros lie in no blob, so the size of the capture does not bound them.
    let carried = commands.compactMap { $0.upload?.pixels ?? $0.writeBuffer?.bytes } + outputs.map(\.bytes)
    let zeros = carried.filter { $0.blob == nil && $0.words == nil }
    let lengths = buffers.map(\.length) + readbacks.map(\.length) + zeros.map(\.length)
    var needed = 0
    for length in textures.map(\.byteCount) + lengths {
      let (sum, overflow) = needed.addingReportingOverflow(max(0, length))
      needed = overflow ? .max : sum
    }
    try ensure(
      needed <= limit, .limit, "capture of '\(label)'",
      why: "its resources take \(needed) bytes; the limit is \(limit)",
      remedy: "capture smaller command buffers, or raise byteLimit if you trust the capture")
  }
}

extension CaptureManifest.Texture {
  /// The bytes of its pixels; 0 for a view, and for an invalid size, which is reported later.
  fileprivate var byteCount: Int {
    let numbers = [
      descriptor.size.width, descriptor.size.height, descriptor.depth, descriptor.arrayLength, descriptor.sampleCount,
    ]
    guard parent == nil, numbers.allSatisfy({ $0 > 0 }), (1...64).contains(descriptor.mipmapLevelCount) else {
      return 0
    }
    // Six faces of at most 64 levels, none larger than the first: no sum below this overflows.
    let first = numbers.reduce(Double(descriptor.pixelFormat.bytesPerPixel)) { $0 * Double($1) }
    return first < 0x1p50 ? descriptor.byteCount : .max
  }
}

/// A command by names: exactly one member besides `encoder` and `place` is set, which reads well as JSON.
package struct CapturedCommand: Codable, Hashable, Sendable {
  package var encoder: String
  /// File and line that recorded it.
  package var place: String
  /// The kernel's pass of a dispatch or draw, by which its Swift twin is found.
  package var origin: String?

  package var pushDebugGroup: String?
  package var popDebugGroup: Bool?
  package var insertDebugSignpost: String?
  package var signalEvent: EventUse?
  package var waitForEvent: EventUse?
  package var sampleCounters: CounterSample?
  package var dispatch: Dispatch?
  package var draw: Draw?
  package var clear: Pass?
  package var store: Pass?
  package var upload: Upload?
  package var readTexture: TextureRead?
  package var copyTexture: TextureCopy?
  package var copyBufferToTexture: BufferTextureCopy?
  package var copyTextureToBuffer: BufferTextureCopy?
  package var generateMipmaps: String?
  package var writeBuffer: BufferWrite?
  package var fillBuffer: BufferFill?
  package var copyBuffer: BufferCopy?
  package var readBuffer: BufferRead?
  package var synchronize: String?

  var count: Int {
    let members: [Any?] = [
      pushDebugGroup, popDebugGroup, insertDebugSignpost, signalEvent, waitForEvent, sampleCounters, dispatch, draw,
      clear, store, upload, readTexture, copyTexture, copyBufferToTexture, copyTextureToBuffer, generateMipmaps,
      writeBuffer, fillBuffer, copyBuffer, readBuffer, synchronize,
    ]
    return members.count { $0 != nil }
  }

  /// A value of an event. A replay neither signals events nor waits for them, as it runs alone.
  package struct EventUse: Codable, Hashable, Sendable {
    package var event: String
    package var value: UInt64
  }

  /// A place for a time, which a replay does not note.
  package struct CounterSample: Codable, Hashable, Sendable {
    package var buffer: String
    package var index: Int
  }

  package struct Bindings: Codable, Hashable, Sendable {
    package var textures: [Int: String] = [:]
    package var buffers: [Int: BoundBuffer] = [:]
    package var samplers: [Int: String] = [:]
    package var bytes: [Int: CaptureManifest.Bytes] = [:]
  }

  package struct BoundBuffer: Codable, Hashable, Sendable {
    package var buffer: String
    package var offset: Int
  }

  package struct Dispatch: Codable, Hashable, Sendable {
    package var function: String
    package var bindings: Bindings
    package var threads: Size
    /// Layers of the grid; nil for one.
    package var depth: Int?
    package var threadsPerThreadgroup: Size
    /// Bytes of threadgroup memory by index.
    package var threadgroupMemoryLengths: [Int: Int]
    /// The place of the number of threadgroups, if it is not known before the command runs.
    package var indirect: BoundBuffer?
  }

  package struct Upload: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    package var region: Region
    package var pixelFormat: PixelFormat
    /// The pixels, without padding.
    package var pixels: CaptureManifest.Bytes
  }

  package struct TextureRead: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    package var region: Region
    package var pixelFormat: PixelFormat
    package var readback: String
    package var offset: Int
    package var bytesPerRow: Int
  }

  package struct TextureCopy: Codable, Hashable, Sendable {
    package var source: String
    package var sourceImage: TextureImage
    package var region: Region
    package var destination: String
    package var destinationImage: TextureImage
    package var x: Int
    package var y: Int
  }

  package struct BufferTextureCopy: Codable, Hashable, Sendable {
    package var buffer: String
    package var offset: Int
    package var bytesPerRow: Int
    package var texture: String
    package var image: TextureImage
    package var region: Region
  }

  package struct BufferWrite: Codable, Hashable, Sendable {
    package var buffer: String
    package var offset: Int
    package var bytes: CaptureManifest.Bytes
  }

  package struct BufferFill: Codable, Hashable, Sendable {
    package var buffer: String
    package var offset: Int
    package var length: Int
    package var value: UInt8
  }

  package struct BufferCopy: Codable, Hashable, Sendable {
    package var source: String
    package var sourceOffset: Int
    package var length: Int
    package var destination: String
    package var offset: Int
  }

  package struct BufferRead: Codable, Hashable, Sendable {
    package var buffer: String
    package var offset: Int
    package var length: Int
    package var readback: String
  }

  package struct Pass: Codable, Hashable, Sendable {
    package var attachments: [Attachment]
    package var depth: DepthStencil?
    package var stencil: DepthStencil?
    package var visibilityResultBuffer: String?
  }

  package struct Attachment: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    /// `dontCare`, `load`, `clear` from 0 to 1, or `clearColor` in the numbers of the format.
    package var loadAction: String
    /// Red, green, blue and alpha of a clear.
    package var color: [Double]?
    package var storeAction: RenderPassDescriptor.StoreAction
    package var resolveTexture: String?
    package var resolveImage: TextureImage
  }

  package struct DepthStencil: Codable, Hashable, Sendable {
    package var texture: String
    package var image: TextureImage
    package var loadAction: RenderPassDescriptor.DepthStencilLoadAction
    package var storeAction: RenderPassDescriptor.StoreAction
    /// The depth or stencil of a clear.
    package var clear: Double

    package init(
      texture: String, image: TextureImage, loadAction: RenderPassDescriptor.DepthStencilLoadAction,
      storeAction: RenderPassDescriptor.StoreAction, clear: Double
    ) {
      self.texture = texture
      self.image = image
      self.loadAction = loadAction
      self.storeAction = storeAction
      self.clear = clear
    }
  }

  package struct Draw: Codable, Hashable, Sendable {
    package var pipeline: String
    package var pass: Pass
    package var bindings: Bindings
    package var vertexBindings: Bindings
    package var state: RenderState
    package var primitives: PrimitiveType
    package var vertices: Vertices
    package var instances: CaptureManifest.Span
  }

  /// The corners of a draw: with indices, with arguments in a buffer, both or neither.
  package struct Vertices: Codable, Hashable, Sendable {
    package var start = 0
    package var count = 0
    package var baseVertex = 0
    package var indices: BoundBuffer?
    package var indexType: IndexType?
    package var indirect: BoundBuffer?
  }
}
