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
    /// True if the earlier contents of the textures that it stores to do not matter, because it makes all pixels that
    /// anything reads.
    var replacesTextures = false

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
    var offset = 0
    var bytesPerRow: Int
    var pixelFormat: PixelFormat
    var texture: Texture
    var image: TextureImage
    var region: Region
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

    /// True if the rows fill the readback without padding.
    var isWhole: Bool {
      offset == 0 && bytesPerRow == region.bytesPerRow(pixelFormat)
        && readback.length == bytesPerRow * region.size.height
    }
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
  }

  package struct BufferCopy: Sendable {
    var source: Buffer
    var range: Range<Int>
    var destination: Buffer
    /// The offset of the first byte in ``destination``.
    var offset: Int
  }
}

// MARK: Copies that no device accepts: encoders trap on them, and captures that contain them are refused

/// Returns nil if `condition` is true, otherwise why a command is invalid, and the remedy.
func refusal(unless condition: Bool, _ text: @autoclosure () -> String) -> String? { condition ? nil : text() }

extension Command {
  /// Why a copy or the like is invalid, and the remedy; nil if it is valid. Regions may be any; offsets and lengths of
  /// rows must be small enough to be multiplied.
  var fault: String? {
    switch self {
    case .upload(let upload): upload.fault
    case .readTexture(let read): read.fault
    case .copyTexture(let copy): copy.fault
    case .copyBufferToTexture(let copy), .copyTextureToBuffer(let copy): copy.fault
    case .generateMipmaps(let texture): texture.mipmapFault
    case .copyBuffer(let copy): copy.fault
    case .readBuffer(_, let range, let readback):
      refusal(
        unless: readback.length == range.count,
        "\(range.count) bytes need a readback of that length, not of \(readback.length)")
    case .synchronize(let buffer):
      refusal(
        unless: buffer.storageMode != .private,
        "synchronize(_:) was called with private buffer '\(buffer.label)', which has no contents(); leave the call out")
    default: nil
    }
  }
}

extension Command.Upload {
  private var end: Int { region.end(offset: offset, bytesPerRow: bytesPerRow, pixelFormat) }

  fileprivate var fault: String? {
    texture.fault(region, of: image, for: "upload")
      ?? refusal(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "pixels of \(pixelFormat.rawValue) cannot be copied to '\(texture.label)' of \(texture.pixelFormat.rawValue)")
      ?? region.rowFault(bytesPerRow, pixelFormat)
      ?? refusal(
        unless: offset >= 0 && end <= bytes.count,
        "an upload of \(region) to '\(texture.label)' needs \(end) bytes; \(bytes.count) were given")
  }
}

extension Command.TextureRead {
  /// Reads in the texture's format, by default without padding and into a new readback.
  init(
    texture: Texture, image: TextureImage, region: Region, readback: Readback? = nil, bytesPerRow: Int? = nil
  ) {
    let bytesPerRow = bytesPerRow ?? region.bytesPerRow(texture.pixelFormat)
    self.init(
      texture: texture, image: image, region: region, pixelFormat: texture.pixelFormat,
      readback: readback ?? Readback(length: bytesPerRow * region.size.height), offset: 0, bytesPerRow: bytesPerRow)
  }

  private var end: Int { region.end(offset: offset, bytesPerRow: bytesPerRow, pixelFormat) }

  fileprivate var fault: String? {
    texture.fault(region, of: image, for: "read")
      ?? refusal(
        unless: texture.pixelFormat.accepts(pixelFormat),
        "'\(texture.label)' of \(texture.pixelFormat.rawValue) cannot be read as \(pixelFormat.rawValue)")
      ?? region.rowFault(bytesPerRow, pixelFormat)
      ?? refusal(
        unless: offset >= 0 && end <= readback.length,
        "reading \(region) of '\(texture.label)' needs \(end) bytes; the readback has \(readback.length)")
  }
}

extension Command.TextureCopy {
  fileprivate var fault: String? {
    let target = Region(x: x, y: y, size: region.size)
    let isSameImage = source.hazard == destination.hazard && sourceImage == destinationImage
    return source.fault(region, of: sourceImage, for: "copy")
      ?? destination.fault(target, of: destinationImage, for: "copy")
      ?? refusal(
        unless: source.pixelFormat == destination.pixelFormat,
        "'\(source.label)' of \(source.pixelFormat.rawValue) cannot be copied to '\(destination.label)' of "
          + "\(destination.pixelFormat.rawValue); a copy keeps the format, so convert with a kernel")
      ?? refusal(
        unless: !isSameImage || region.intersection(target).size.isEmpty,
        "a copy within '\(source.label)' overlaps itself; copy by way of another texture")
  }
}

extension Command.BufferTextureCopy {
  private var end: Int { region.end(offset: offset, bytesPerRow: bytesPerRow, texture.pixelFormat) }

  var fault: String? {
    let (format, pixel) = (texture.pixelFormat, texture.pixelFormat.bytesPerPixel)
    return texture.fault(region, of: image, for: "copy")
      ?? refusal(
        unless: region.rowFault(bytesPerRow, format) == nil && offset % pixel == 0 && offset >= 0,
        "offset \(offset) and rows of \(bytesPerRow) bytes in '\(buffer.label)' do not fit: both must be multiples of "
          + "\(pixel) bytes, a pixel, and a row needs \(region.bytesPerRow(format))")
      ?? refusal(
        unless: end <= buffer.length,
        "a copy of \(region) needs \(end) bytes; buffer '\(buffer.label)' has \(buffer.length)")
  }
}

extension Command.BufferCopy {
  fileprivate var fault: String? {
    refusal(
      unless: source !== destination || range.clamped(to: offset..<offset + range.count).isEmpty,
      "a copy within buffer '\(source.label)' overlaps itself; copy by way of another buffer")
  }
}

extension Region {
  /// The bytes of a row without padding.
  func bytesPerRow(_ pixelFormat: PixelFormat) -> Int { size.width * pixelFormat.bytesPerPixel }

  /// The end of the last row, if the first begins at `offset`.
  fileprivate func end(offset: Int, bytesPerRow: Int, _ pixelFormat: PixelFormat) -> Int {
    offset + (size.height - 1) * bytesPerRow + self.bytesPerRow(pixelFormat)
  }

  fileprivate func rowFault(_ bytesPerRow: Int, _ pixelFormat: PixelFormat) -> String? {
    refusal(
      unless: bytesPerRow >= self.bytesPerRow(pixelFormat) && bytesPerRow % pixelFormat.bytesPerPixel == 0,
      "rows of \(bytesPerRow) bytes do not hold \(size.width) pixels of \(pixelFormat.rawValue)")
  }
}

extension Texture {
  /// Why `image` does not exist in this texture, `region` lies outside it, or its pixels cannot be copied; nil if they
  /// can.
  func fault(_ region: Region, of image: TextureImage, for call: String) -> String? {
    let size = descriptor.size(atLevel: image.level)
    return refusal(
      unless: descriptor.has(image), "\(call): '\(label)' has no level \(image.level) of slice \(image.slice)")
      ?? refusal(
        unless: !region.size.isEmpty && region.isInside(size),
        "\(call): region \(region) lies outside level \(image.level) of '\(label)' of \(size)")
      ?? refusal(
        unless: descriptor.sampleCount == 1,
        "\(call): '\(label)' has \(descriptor.sampleCount) samples a pixel; resolve it first")
      ?? refusal(
        unless: pixelFormat.isColor,
        "\(call): '\(label)' is of \(pixelFormat.rawValue), which OpenGL ES does not copy; draw it into a color texture"
      )
  }

  fileprivate var mipmapFault: String? {
    refusal(
      unless: pixelFormat.sampleKind != .integer && pixelFormat.isColor && descriptor.sampleCount == 1
        && descriptor.textureType != .type3D,
      "mipmaps of '\(label)' of \(pixelFormat.rawValue) cannot be generated; use a texture that is not 3-D, has one "
        + "sample a pixel and a normalized or float format")
  }
}
