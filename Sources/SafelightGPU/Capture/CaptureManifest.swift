package import SafelightGLES
package import SafelightImage

/// What a capture says in words: every resource, function and command, by name. Bytes and texts lie beside it.
package struct CaptureManifest: Codable, Hashable, Sendable {
  package var label: String
  package var device: Device
  /// Why the command buffer failed.
  package var failure: String?
  /// What could not be captured, one sentence each.
  package var notes: [String] = []

  package var textures: [Texture] = []
  package var buffers: [Buffer] = []
  package var samplers: [Sampler] = []
  package var functions: [Function] = []
  package var renderPipelines: [RenderPipeline] = []
  package var readbacks: [Readback] = []
  package var commands: [CapturedCommand] = []

  /// What resources held before the first command; those that are not listed held zeros, or nothing that is read.
  package var inputs: [Contents] = []
  /// Labels of textures whose depths, stencils or several samples a pixel were needed and could not be read: such a capture does not
  /// replay.
  package var missingInputs: [String]?
  /// What resources held after the last command, and what was read back.
  package var outputs: [Contents] = []

  /// What ran it.
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
    /// The texture of which it is a view, with the levels and slices that it shows.
    package var parent: String?
    package var levels: Span?
    package var slices: Span?
  }

  /// Some of a row of things.
  package struct Span: Codable, Hashable, Sendable {
    package var first: Int
    package var count: Int
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
    package enum Stage: String, Codable, Sendable {
      case compute, vertex, fragment
    }

    package var name: String
    /// The name under which its Swift twin is known.
    package var function: String
    package var stage: Stage
    /// The complete GLSL.
    package var text: String
    package var arguments: [Argument]
    /// Macros that the text defines; a twin may be made to measure for them.
    package var constants: [String: String]
    /// Whether it had a Swift twin.
    package var hasTwin: Bool
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

  package struct Argument: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
      case sampledTexture, storageTexture, readWriteTexture, readBuffer, storageBuffer, bytes
    }

    package var kind: Kind
    package var index: Int

    package init(kind: Kind, index: Int) {
      self.kind = kind
      self.index = index
    }
  }

  package struct Readback: Codable, Hashable, Sendable {
    package var name: String
    package var length: Int
  }

  /// What a resource held at a moment: an image of a texture, a buffer, or a readback.
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

    /// What it was held in.
    struct Place: Hashable {
      let resource: String
      let image: TextureImage?
    }

    var place: Place { Place(resource: resource, image: image) }
  }

  /// Bytes: short ones as words, longer ones by the name of where they lie; zeros where there is neither.
  package struct Bytes: Codable, Hashable, Sendable {
    package var length: Int
    /// 32-bit numbers, separated by spaces.
    package var words: String?
    package var blob: String?

    package init(length: Int, words: String? = nil, blob: String? = nil) {
      self.length = length
      self.words = words
      self.blob = blob
    }
  }
}

extension CaptureManifest {
  /// Throws where the resources would take more than `limit` bytes: nothing is made before.
  func check(_ limit: Int) throws(SafelightError) {
    // Of bytes that lie nowhere, being zeros, the capture itself is no measure.
    let carried = commands.compactMap { $0.upload?.pixels ?? $0.writeBuffer?.bytes } + outputs.map(\.bytes)
    let zeros = carried.filter { $0.blob == nil && $0.words == nil }
    let lengths = buffers.map(\.length) + readbacks.map(\.length) + zeros.map(\.length)
    var needed = 0
    for length in textures.map(\.byteCount) + lengths {
      let (sum, isBeyondAll) = needed.addingReportingOverflow(max(0, length))
      needed = isBeyondAll ? .max : sum
    }
    guard needed > limit else { return }
    throw SafelightError(
      .limit, "capture of '\(label)'", why: "its resources take \(needed) bytes; \(limit) are the limit",
      remedy: "capture smaller command buffers, or raise byteLimit if the capture is to be trusted")
  }
}

extension CaptureManifest.Texture {
  /// Bytes of its own; none for a view, and for a size that is none, which is told later.
  fileprivate var byteCount: Int {
    let numbers = [
      descriptor.size.width, descriptor.size.height, descriptor.depth, descriptor.arrayLength, descriptor.sampleCount,
    ]
    guard parent == nil, numbers.allSatisfy({ $0 > 0 }), (1...64).contains(descriptor.mipmapLevelCount) else {
      return 0
    }
    // A face of a cube is the 6th part, a level at most as much as the first: no sum overflows below this.
    let first = numbers.reduce(Double(descriptor.pixelFormat.bytesPerPixel)) { $0 * Double($1) }
    return first < 0x1p50 ? descriptor.byteCount : .max
  }
}
