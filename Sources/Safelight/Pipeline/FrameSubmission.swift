public import SafelightFrames
internal import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// The contents of a frame of a run.
public enum FramePicture: Sendable {
  /// Gray, or red, green and blue.
  case image(Image)
  /// Luma and chroma.
  case planes(VideoFrame)

  /// Makes the contents of `frame`; `name` stands for its film in errors.
  ///
  /// - Throws: ``SafelightImage/SafelightError`` of kind `unsupported` for layouts of red, green and blue that an
  ///   ``SafelightImage/Image`` does not have.
  public init(_ frame: VideoFrame, name: String) throws(SafelightError) {
    if frame.layout.isYCbCr {
      self = .planes(frame)
      return
    }
    guard let image = frame.image(channels: frame.color.alpha == .opaque ? .rgb : .rgba) else {
      throw SafelightError(
        .unsupported, name, why: "its frames are \(frame.layout) and have padded rows or another order of channels",
        remedy: "ask its source for rgba8 or rgba16")
    }
    self = .image(image)
  }

  /// The picture; nil for luma and chroma.
  public var image: Image? {
    switch self {
    case .image(let image): image
    case .planes: nil
    }
  }

  /// The bytes of the picture, or of each plane, without padding between rows.
  var packedPlanes: [[UInt8]] {
    switch self {
    case .image(let image): [image.bytes]
    case .planes(let frame): frame.planes.map(\.packedBytes)
    }
  }

  /// The picture that the filters see: luma and chroma become red, green and blue of the full range, with 16 bits if
  /// they have more than 8.
  var filtered: ImageDescriptor {
    switch self {
    case .image(let image): return image.descriptor
    case .planes(let frame): return .filtered(frame.size, frame.layout, frame.color)
    }
  }
}

extension VideoFormat {
  /// The picture that the filters see of frames of the format.
  public var filtered: ImageDescriptor { .filtered(size, layout, color) }
}

extension ImageDescriptor {
  fileprivate static func filtered(_ size: Size, _ layout: PixelLayout, _ color: ColorDescription) -> ImageDescriptor {
    guard layout.isYCbCr else {
      let channels: Channels = layout.isGray ? .gray : color.alpha == .opaque ? .rgb : .rgba
      return ImageDescriptor(size: size, channels: channels, depth: layout.depth, color: color)
    }
    return ImageDescriptor(
      size: size, channels: .rgb, depth: layout.depth,
      color: ColorDescription(
        matrix: .identity, range: .full, transfer: color.transfer, primaries: color.primaries, alpha: .opaque))
  }
}

/// The layout in which a run writes its frames.
public enum FrameLayout: Hashable, Sendable {
  /// Pictures as the filters leave them.
  case image
  /// Luma and chroma with a meaning.
  case planes(PixelLayout, ColorDescription)
}

/// A frame on its way through the device.
public struct FrameSubmission: Sendable {
  let buffers: FrameBuffers
  /// The means by which the picture or each plane comes back.
  let returns: [FrameReturn]
  /// The contents of ``returns``.
  let arrival: Task<[FrameContents], any Error>
  let measurements: [FrameMeasurement]
  /// The contents that were submitted.
  let picture: FramePicture
  /// The row at which they begin in the picture of which they are a part; 0 for a whole one.
  let firstRow: Int
  let layout: FrameLayout
  /// The picture that is made, or that planes are made of, with their meaning.
  let result: ImageDescriptor
  /// The replay on the twin, if there is one.
  let replay: Task<ReplayResult, any Error>?

  private var buffer: CommandBuffer { buffers.readback }

  /// Seconds that the device spent on it; 0 before it is finished.
  public var seconds: Double {
    buffers.areSeparate ? buffers.upload.seconds + buffers.filters.seconds + buffer.seconds : buffer.seconds
  }

  /// Reports to `observer` the times of the stages on the device, if they were timed.
  func tellTimes(_ observer: FramePipeline.Observer) {
    guard buffers.areSeparate else { return }
    observer.stageTimed?(.upload, buffers.upload.seconds)
    observer.stageTimed?(.filters, buffers.filters.seconds)
    observer.stageTimed?(.readback, buffers.readback.seconds)
  }

  /// Returns the result.
  ///
  /// - Parameter differing: Receives the results of the twin and of the device if they differ: the pictures, or the
  ///   first planes that differ.
  /// - Throws: The device's error; ``SafelightError`` of kind `difference` if the twin disagrees.
  public func finished(
    differing: (_ expected: Image, _ actual: Image) -> Void = { _, _ in }
  ) async throws -> FramePicture {
    let result = try await made(of: arrival.value.map(\.bytes))
    if let replay {
      let replayed = try await replay.value
      let expected = try returns.map { part in
        guard case .readback(let readback) = part, let bytes = replayed.contents(of: readback) else {
          throw SafelightError(.driver, buffer.label, why: "the twin returned no picture", remedy: "report it")
        }
        return bytes
      }
      try verify(result, made(of: expected), differing)
      for measurement in measurements
      where replayed.contents(of: measurement.readback) != (try measurement.readback.contents()) {
        throw SafelightError(
          .difference, buffer.label,
          why:
            "filter '\(measurement.measurement.name)' measured other values on \(buffer.device.name) than its twin "
            + "did on the CPU",
          remedy: "report it with the name of the driver")
      }
    }
    return result
  }

  /// Returns the measurements that filters took of a finished frame, in the order of the filters.
  public func measured() throws -> [MeasuredFrame] {
    try measurements.map {
      let values = $0.measurement.values(try $0.readback.contents(), of: $0.image)
      return MeasuredFrame(name: $0.measurement.name, values: values)
    }
  }

  /// Returns the rows of a frame that was submitted to end in rows; nil if the whole picture was made.
  package func rows() async throws -> ImageRows? {
    if case .rows(let rows)? = try await arrival.value.first { rows } else { nil }
  }

  /// Returns the finished picture of a submission that makes one.
  public func image() async throws -> Image {
    guard let image = try await finished().image else {
      throw SafelightError(
        .usage, buffer.label, why: "it was submitted to make luma and chroma, not a picture",
        remedy: "submit it to make an image")
    }
    return image
  }

  /// Returns the result; what was submitted if nothing comes back. A frame has the time and the orientation of the
  /// submitted contents; a picture counts as the first frame of its film.
  private func made(of bytes: [[UInt8]]) -> FramePicture {
    if bytes.isEmpty { return picture }
    guard case .planes(let layout, _) = layout else { return .image(Image(result, bytes: bytes[0])) }
    let planes = zip(layout.planeFormats, bytes).enumerated().map { index, plane in
      PixelPlane(size: layout.planeSize(index, of: result.size), pixelFormat: plane.0, bytes: plane.1)
    }
    let source: VideoFrame? = if case .planes(let frame) = picture { frame } else { nil }
    return .planes(
      VideoFrame(
        index: source?.index ?? 0, size: result.size, layout: layout, planes: planes,
        presentationTime: source?.presentationTime ?? .zero, duration: source?.duration,
        orientation: source?.orientation ?? .up, color: result.color))
  }

  private func verify(
    _ actual: FramePicture, _ expected: FramePicture, _ differing: (_ expected: Image, _ actual: Image) -> Void
  ) throws {
    for (actual, expected) in zip(actual.compared(from: firstRow), expected.compared(from: firstRow)) {
      if let difference = TwinDifference(expected: expected.image, actual: actual.image) {
        differing(expected.image, actual.image)
        throw difference.error(name: buffer.label, device: buffer.device.name, place: actual.place)
      }
    }
  }
}

/// The numbers that a filter measured of a frame.
public struct MeasuredFrame: Sendable {
  /// The filter.
  public let name: String
  /// Each number with its name.
  public let values: [(name: String, value: Double)]
}

/// A filter's measurement of a frame, not yet read back.
struct FrameMeasurement: Sendable {
  let readback: Readback
  let measurement: any StageMeasurement
  /// The picture that was measured.
  let image: ImageDescriptor
}

extension FramePicture {
  /// Returns the pictures to compare, and how to name their samples in a picture that begins in row `firstRow`: the
  /// picture itself, or each plane as a gray picture, pairs of chroma side by side.
  fileprivate func compared(from firstRow: Int) -> [(image: Image, place: (TwinDifference.Sample) -> String)] {
    switch self {
    case .image(let image):
      let colors = image.channels.isGray ? ["gray", "gray", "gray"] : ["red", "green", "blue"]
      return [(image, { "(\($0.x), \($0.y + firstRow)) \((colors + ["alpha"])[$0.sample])" })]
    case .planes(let frame):
      return frame.planes.enumerated().map { index, plane in
        let count = plane.pixelFormat.samplesPerPixel
        let columns = plane.size.width * count
        let names = index == 0 ? ["luma"] : count == 2 ? ["Cb", "Cr"] : index == 1 ? ["Cb"] : ["Cr"]
        return (
          Image(size: Size(columns, plane.size.height), channels: .gray, depth: frame.layout.depth, bytes: plane.bytes),
          { "(\($0.x / count), \($0.y)) \(names[$0.x % count])" }
        )
      }
    }
  }
}

/// The difference between a device's picture and that of the CPU twins.
package struct TwinDifference: Sendable {
  /// One sample that differs: the pixel's column and row, the sample's index in it, the twin's value and the device's.
  package typealias Sample = (x: Int, y: Int, sample: Int, expected: Int, actual: Int)

  /// The number of samples that differ.
  package let differing: Int
  /// The number of samples compared: three a pixel without alpha, although memory holds a fourth.
  package let samples: Int
  /// The largest difference.
  package let maximum: Int
  /// The first that differs, from the top-left.
  package let first: Sample

  /// Compares two pictures of the same size, channels and depth; nil if all samples are equal.
  package init?(expected: Image, actual: Image) {
    trap(
      unless: expected.size == actual.size && expected.channels == actual.channels && expected.depth == actual.depth,
      "only pictures of one size, kind and depth can be compared")
    if expected.bytes == actual.bytes { return nil }
    let meant = expected.channels.sampleIndices
    samples = expected.size.area * meant.count
    // Memory that holds no sample is reported only if nothing else differs.
    let all = Array(0..<expected.pixelFormat.samplesPerPixel)
    guard let found = Self.find(meant, expected, actual) ?? Self.find(all, expected, actual) else { return nil }
    (differing, maximum, first) = found
  }

  private static func find(
    _ samples: [Int], _ expected: Image, _ actual: Image
  ) -> (differing: Int, maximum: Int, first: Sample)? {
    var differing = 0
    var maximum = 0
    var first: Sample?
    for y in 0..<expected.size.height {
      for x in 0..<expected.size.width {
        for sample in samples {
          let a = expected[x: x, y: y, sample: sample]
          let b = actual[x: x, y: y, sample: sample]
          guard a != b else { continue }
          differing += 1
          maximum = max(maximum, abs(a - b))
          if first == nil { first = (x, y, sample, a, b) }
        }
      }
    }
    return first.map { (differing, maximum, $0) }
  }

  /// Returns the error for the picture called `name`, made on `device`; `place` names the first sample.
  package func error(name: String, device: String, place: (Sample) -> String) -> SafelightError {
    SafelightError(
      .difference, name,
      why: """
        \(device) and the CPU twins differ in \(differing) of \(samples) samples, by up to \(maximum); first at \
        \(place(first)): \(first.expected) on the CPU, \(first.actual) on the device
        """, remedy: "report it with the name of the driver, and use the device 'cpu' meanwhile")
  }
}
