public import SafelightImage
import Synchronization

/// A sequence of PNG files as a source of frames: the picture at index n is shown n frame durations after the
/// beginning.
///
/// A file is read when its frame is requested, on the requesting thread; memory holds one picture, besides those that
/// the caller keeps. All pictures have the size of the first. Of several kinds they are promoted to one that holds all:
/// gray becomes red, green and blue, without alpha opaque, and 8 bits become 16.
public struct FrameSequenceSource: FrameSource {
  /// The size and the colors of the first picture, and a layout that holds all.
  public let format: VideoFormat
  /// True if the first picture has Exif data, which may ask to turn it; frames come without.
  public let hasExif: Bool
  /// The turn that the first picture's Exif data asks for; frames come as they are stored.
  package let exifOrientation: Orientation
  /// The kinds of the pictures, with the number of each.
  package let kinds: [PictureKind: Int]
  /// The kind that pictures are promoted to.
  package let kind: PictureKind
  private let frames: [Frame]
  private let isPromoted: Bool
  private let limits: PNGLimits

  /// Opens the frames, reads the first and looks at the headers of the others.
  ///
  /// `frameDuration` corresponds to `AVCaptureDevice.activeVideoMinFrameDuration`: 1001/30000 s for 29.97 frames per
  /// second. `layout` is that of the pictures unless given; it must hold the same samples of each: gray as red, green
  /// and blue, or blue before red.
  ///
  /// - Throws: The errors of ``PNGFile/init(reading:limits:codec:)``, and a ``SafelightError`` of kind `unsupported` if
  ///   the pictures do not suit the layout.
  public init(
    _ frames: [Frame], frameDuration: MediaTime, layout: PixelLayout? = nil, limits: PNGLimits = PNGLimits()
  ) throws(SafelightError) {
    let first = try required(
      frames.first, .missingInput, "frames", why: "the sequence is empty", remedy: "name a folder or a pattern")
    try ensure(
      frameDuration > .zero, .usage, "frames", why: "a frame cannot be shown for \(frameDuration)",
      remedy: "pass a duration above 0")
    let file = try Self.read(first, limits)
    let ownKind = PictureKind(file.image.descriptor)
    isPromoted = layout == nil
    let others = isPromoted ? frames.dropFirst().compactMap { PNGDecoder.kind(ofFileAt: $0.path, limits: limits) } : []
    kinds = Dictionary(([ownKind] + others).map { ($0, 1) }, uniquingKeysWith: +)
    kind = others.reduce(ownKind) { $0.union($1) }
    let image = file.image.promoted(to: kind)
    hasExif = file.metadata["eXIf"] != nil
    exifOrientation = file.metadata.orientation
    let natural = VideoFrame(image: image).layout
    var format = VideoFormat(
      size: image.size, layout: layout ?? natural, timeBase: MediaTime(value: 1, timescale: frameDuration.timescale),
      frameDuration: frameDuration,
      color: ColorDescription(
        matrix: .identity, range: image.color.range == .limited ? .limited : .full, transfer: image.color.transfer,
        primaries: image.color.primaries,
        alpha: image.channels.hasAlpha || image.channels.isGray ? image.color.alpha : .opaque),
      pixelAspect: file.metadata.pixelAspect)
    format.facts = VideoFacts(file.metadata)
    self.format = format
    self.frames = frames
    self.limits = limits
    _ = try Self.plane(of: image, in: format, name: first.path)
  }

  /// Starts at the first frame.
  public func makeAsyncIterator() -> Iterator { Iterator(source: self) }

  /// Iterates over the frames of a sequence.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate let source: FrameSequenceSource
    fileprivate var index = 0

    /// Returns the next frame; nil at the end, and once the task is cancelled.
    ///
    /// - Throws: ``SafelightError`` of kind `input` if the file is damaged or has another size or layout than the
    ///   first, `missingInput` if it does not exist.
    public mutating func next(isolation: isolated (any Actor)?) async throws(SafelightError) -> VideoFrame? {
      guard index < source.frames.count, !Task.isCancelled else { return nil }
      defer { index += 1 }
      return try source.frame(index)
    }
  }

  private func frame(_ index: Int) throws(SafelightError) -> VideoFrame {
    let path = frames[index].path
    var image = try Self.read(frames[index], limits).image
    // A file may have changed since its header was read.
    if isPromoted, PictureKind(image.descriptor).union(kind) == kind { image = image.promoted(to: kind) }
    let plane = try Self.plane(of: image, in: format, name: path)
    let time = try required(
      format.frameDuration?.multiplied(by: Int64(index)), .limit, path, why: "its time is out of range",
      remedy: "pass a shorter frame duration")
    // A picture without a color description is red, green and blue of full range.
    var color = image.color
    if color.matrix == .unspecified { (color.matrix, color.range) = (.identity, .full) }
    return VideoFrame(
      index: index, size: format.size, layout: format.layout, planes: [plane], presentationTime: time,
      duration: format.frameDuration, color: color)
  }

  private static func read(_ frame: Frame, _ limits: PNGLimits) throws(SafelightError) -> PNGFile {
    do {
      return try PNGFile(reading: frame.path, limits: limits)
    } catch {
      throw error as? SafelightError ?? SafelightError(.transfer, frame.path, why: "\(error)")
    }
  }

  private static func plane(
    of image: Image, in format: VideoFormat, name: String
  ) throws(SafelightError) -> PixelPlane {
    try ensure(
      image.size == format.size, .input, name, why: "it is \(image.size), but the sequence began with \(format.size)",
      remedy: "scale or crop all frames to one size")
    let natural = VideoFrame(image: image).layout
    let bytes = try required(
      Self.bytes(of: image, natural, as: format.layout), .unsupported, name,
      why: "its pixels are \(natural), which \(format.layout) cannot hold",
      remedy: natural.depth == .bits8 ? "ask for rgba8 or bgra8" : "ask for rgba16")
    return PixelPlane(size: image.size, pixelFormat: format.layout.planeFormats[0], bytes: bytes)
  }

  /// Returns the same samples in another order; nil if they would not be the same.
  private static func bytes(of image: Image, _ natural: PixelLayout, as layout: PixelLayout) -> [UInt8]? {
    switch (natural, layout) {
    case (let same, layout) where same == layout: image.bytes
    case (.rgba8, .bgra8): reordered(image.bytes, [2, 1, 0, 3], of: 4, opaque: [])
    case (.gray8, .rgba8), (.gray8, .bgra8): reordered(image.bytes, [0, 0, 0], of: 1, opaque: [255])
    case (.gray16, .rgba16): reordered(image.bytes, [0, 1, 0, 1, 0, 1], of: 2, opaque: [255, 255])
    default: nil
    }
  }

  /// Returns, for each pixel of `count` bytes, those at `places` followed by `opaque`.
  private static func reordered(_ bytes: [UInt8], _ places: [Int], of count: Int, opaque: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count / count * (places.count + opaque.count))
    for pixel in stride(from: 0, to: bytes.count, by: count) {
      for place in places { result.append(bytes[pixel + place]) }
      result += opaque
    }
    return result
  }
}

/// A pool of the memory of released frames: after the first few, a source allocates nothing for a frame.
///
/// It keeps a few sets of planes; more are freed.
package final class PlanePool: Sendable {
  private struct State {
    var free: [[[UInt8]]] = []
    var allocations = 0
  }

  private let byteCounts: [Int]
  private let limit: Int
  private let state = Mutex(State())

  /// Makes a pool of up to `limit` sets of planes of these lengths.
  package init(byteCounts: [Int], limit: Int = 8) {
    self.byteCounts = byteCounts
    self.limit = limit
  }

  /// The number of allocations, made when the pool was empty.
  package var allocations: Int { state.withLock(\.allocations) }

  /// Returns empty planes with the capacity for their bytes.
  package func take() -> [[UInt8]] {
    let kept = state.withLock { state in
      if state.free.isEmpty { state.allocations += 1 }
      return state.free.popLast()
    }
    guard var planes = kept else {
      return byteCounts.map { unsafe [UInt8](unsafeUninitializedCapacity: $0) { _, used in used = 0 } }
    }
    // A plane that was copied out of its frame still belongs to the copy: clearing it allocates another.
    for index in planes.indices { planes[index].removeAll(keepingCapacity: true) }
    return planes
  }

  /// Returns the lease of a frame made of `planes`, which returns them to the pool.
  package func lease(_ planes: [[UInt8]]) -> FrameLease {
    FrameLease { [self] in
      state.withLock { state in
        if state.free.count < limit { state.free.append(planes) }
      }
    }
  }
}
