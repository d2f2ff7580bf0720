package import SafelightGLES
package import SafelightImage

/// A command in words. Exactly one member besides the encoder is there, which reads well as JSON:
/// `{"encoder": "upload", "fillBuffer": {…}}`.
package struct CapturedCommand: Codable, Hashable, Sendable {
  /// The label of the encoder.
  package var encoder: String
  /// File and line that recorded it.
  package var place: String

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

  package init(encoder: String, place: String) {
    self.encoder = encoder
    self.place = place
  }

  /// How many members are there.
  package var count: Int {
    let members: [Any?] = [
      pushDebugGroup, popDebugGroup, insertDebugSignpost, signalEvent, waitForEvent, sampleCounters, dispatch, draw,
      clear, store, upload, readTexture, copyTexture,
      copyBufferToTexture,
      copyTextureToBuffer, generateMipmaps, writeBuffer, fillBuffer, copyBuffer, readBuffer, synchronize,
    ]
    return members.count { $0 != nil }
  }

  /// A number of an event, which a replay neither raises nor waits for: it has nobody to meet.
  package struct EventUse: Codable, Hashable, Sendable {
    package var event: String
    package var value: UInt64
  }

  /// A place for a time, which a replay does not note.
  package struct CounterSample: Codable, Hashable, Sendable {
    package var buffer: String
    package var index: Int
  }

  /// What a function is bound to, by index.
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
    /// Layers of the grid; absent where there is one.
    package var depth: Int?
    package var threadsPerThreadgroup: Size
    /// Bytes of threadgroup memory by index.
    package var threadgroupMemoryLengths: [Int: Int]
    /// Where the number of threadgroups lies.
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
}

extension CapturedCommand {
  /// The targets of a pass.
  package struct Pass: Codable, Hashable, Sendable {
    package var attachments: [Attachment]
    package var depth: DepthStencil?
    package var stencil: DepthStencil?
    package var visibilityResultBuffer: String?
  }

  /// A depth or stencil attachment.
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

  /// Which corners are drawn: with indices, with arguments in a buffer, both or neither.
  package struct Vertices: Codable, Hashable, Sendable {
    package var start = 0
    package var count = 0
    package var baseVertex = 0
    package var indices: BoundBuffer?
    package var indexType: IndexType?
    package var indirect: BoundBuffer?
  }
}
