internal import SafelightGLES
package import SafelightImage

/// A recorded command: a plain value that any backend can replay, print or compare.
package enum Command: Sendable {
  case pushDebugGroup(String)
  case popDebugGroup
  case insertDebugSignpost(String)
  /// Raises an event's number once all earlier work is done.
  case signalEvent(Event, value: UInt64)
  /// Holds back the rest of the buffer, and its queue, until an event reaches a number; fails after `seconds`.
  case waitForEvent(Event, value: UInt64, seconds: Double)
  /// Records the time at this point.
  case sampleCounters(CounterSampleBuffer, index: Int)
  case dispatch(Dispatch)
  case draw(Draw)
  /// Fills the targets of a pass that draws nothing.
  case clear(RenderPassDescriptor)
  /// Resolves and discards targets at the end of their pass.
  case store(RenderPassDescriptor)
  case upload(Upload)
  case readTexture(TextureRead)
  case copyTexture(TextureCopy)
  case copyBufferToTexture(BufferTextureCopy)
  case copyTextureToBuffer(BufferTextureCopy)
  /// Makes the smaller levels of a texture from the first.
  case generateMipmaps(Texture)
  case writeBuffer(Buffer, offset: Int, bytes: [UInt8])
  case fillBuffer(Buffer, range: Range<Int>, value: UInt8)
  case copyBuffer(BufferCopy)
  case readBuffer(Buffer, range: Range<Int>, into: Readback)
  /// Copies what the device wrote into a managed buffer to the process, on completion.
  case synchronize(Buffer)

  package struct Dispatch: Sendable {
    package var pipeline: ComputePipelineState
    package var bindings: Bindings
    /// Threads of the grid; threads of the last threadgroups outside it are masked.
    package var threads: Size
    /// Layers of the grid, each one threadgroup deep.
    var depth = 1
    /// The threads of a threadgroup, and its memory, that the program is compiled for.
    var variant: ComputeVariant
    /// The place of the numbers of threadgroups in a buffer; nil if ``threads`` gives them.
    var indirect: Indirect?

    package var threadsPerThreadgroup: Size { variant.threadsPerThreadgroup }

    /// Three words in a buffer: the numbers of threadgroups along the axes.
    struct Indirect {
      var buffer: Buffer
      var offset: Int
    }
  }

  package struct Upload: Sendable {
    /// The pixels; shared with the caller, not copied.
    var bytes: [UInt8]
    /// The offset of the first pixel in ``bytes``.
    var offset: Int
    var bytesPerRow: Int
    var pixelFormat: PixelFormat
    var texture: Texture
    var image: TextureImage
    var region: Region

    init(
      bytes: [UInt8], offset: Int = 0, bytesPerRow: Int? = nil, pixelFormat: PixelFormat, texture: Texture,
      image: TextureImage, region: Region
    ) {
      let row = region.size.width * pixelFormat.bytesPerPixel
      let bytesPerRow = bytesPerRow ?? row
      texture.check(region, of: image, for: "upload")
      trap(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "pixels of \(pixelFormat.rawValue) cannot be copied to '\(texture.label)' of \(texture.pixelFormat.rawValue)")
      Command.checkRows(bytesPerRow, region, pixelFormat)
      let needed = offset + (region.size.height - 1) * bytesPerRow + row
      trap(
        unless: offset >= 0 && needed <= bytes.count,
        "an upload of \(region) to '\(texture.label)' needs \(needed) bytes; \(bytes.count) were given")
      self.bytes = bytes
      self.offset = offset
      self.bytesPerRow = bytesPerRow
      self.pixelFormat = pixelFormat
      self.texture = texture
      self.image = image
      self.region = region
    }
  }

  package struct TextureRead: Sendable {
    var texture: Texture
    var image: TextureImage
    var region: Region
    var pixelFormat: PixelFormat
    package var readback: Readback
    /// The offset of the first pixel in ``readback``.
    var offset: Int
    var bytesPerRow: Int

    /// Reads in the texture's format, without padding and into a new readback, unless others are given.
    init(
      texture: Texture, image: TextureImage, region: Region, pixelFormat: PixelFormat? = nil,
      readback: Readback? = nil, offset: Int = 0, bytesPerRow: Int? = nil
    ) {
      let pixelFormat = pixelFormat ?? texture.pixelFormat
      let bytesPerRow = bytesPerRow ?? region.size.width * pixelFormat.bytesPerPixel
      let readback = readback ?? Readback(length: bytesPerRow * region.size.height)
      texture.check(region, of: image, for: "read")
      trap(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "'\(texture.label)' of \(texture.pixelFormat.rawValue) cannot be read as \(pixelFormat.rawValue)")
      Command.checkRows(bytesPerRow, region, pixelFormat)
      let needed = offset + (region.size.height - 1) * bytesPerRow + region.size.width * pixelFormat.bytesPerPixel
      trap(
        unless: offset >= 0 && needed <= readback.length,
        "reading \(region) of '\(texture.label)' needs \(needed) bytes; the readback has \(readback.length)")
      self.texture = texture
      self.image = image
      self.region = region
      self.pixelFormat = pixelFormat
      self.readback = readback
      self.offset = offset
      self.bytesPerRow = bytesPerRow
    }

    /// True if the rows fill the readback without padding.
    var isWhole: Bool {
      offset == 0 && bytesPerRow == region.size.width * pixelFormat.bytesPerPixel
        && readback.length == bytesPerRow * region.size.height
    }
  }

  private static func checkRows(_ bytesPerRow: Int, _ region: Region, _ pixelFormat: PixelFormat) {
    let pixel = pixelFormat.bytesPerPixel
    trap(
      unless: bytesPerRow >= region.size.width * pixel && bytesPerRow % pixel == 0,
      "rows of \(bytesPerRow) bytes do not hold \(region.size.width) pixels of \(pixelFormat.rawValue)")
  }

  /// A copy of pixels between textures of one format.
  package struct TextureCopy: Sendable {
    var source: Texture
    var sourceImage: TextureImage
    /// The pixels of ``sourceImage``.
    var region: Region
    var destination: Texture
    var destinationImage: TextureImage
    /// The column of the first pixel in ``destinationImage``.
    var x: Int
    /// The row of the first pixel in ``destinationImage``.
    var y: Int
  }

  /// A copy of pixels between a buffer and a texture, in either direction.
  package struct BufferTextureCopy: Sendable {
    var buffer: Buffer
    /// The offset of the first pixel in ``buffer``.
    var offset: Int
    var bytesPerRow: Int
    var texture: Texture
    var image: TextureImage
    var region: Region

    init(buffer: Buffer, offset: Int, bytesPerRow: Int, texture: Texture, image: TextureImage, region: Region) {
      texture.check(region, of: image, for: "copy")
      let pixel = texture.pixelFormat.bytesPerPixel
      trap(
        unless: bytesPerRow >= region.size.width * pixel && bytesPerRow % pixel == 0 && offset % pixel == 0
          && offset >= 0,
        "offset \(offset) and rows of \(bytesPerRow) bytes in '\(buffer.label)' do not fit: both must be multiples of "
          + "\(pixel) bytes, a pixel, and a row needs \(region.size.width * pixel)")
      let needed = offset + (region.size.height - 1) * bytesPerRow + region.size.width * pixel
      trap(
        unless: needed <= buffer.length,
        "a copy of \(region) needs \(needed) bytes; buffer '\(buffer.label)' has \(buffer.length)")
      self.buffer = buffer
      self.offset = offset
      self.bytesPerRow = bytesPerRow
      self.texture = texture
      self.image = image
      self.region = region
    }
  }

  package struct BufferCopy: Sendable {
    var source: Buffer
    var range: Range<Int>
    var destination: Buffer
    /// The offset of the first byte in ``destination``.
    var offset: Int
  }
}
