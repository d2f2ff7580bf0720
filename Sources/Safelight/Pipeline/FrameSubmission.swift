internal import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// A frame on its way through the device.
public struct FrameSubmission: Sendable {
  let buffer: CommandBuffer
  /// What brings the picture, or each plane, back.
  let returns: [FrameReturn]
  /// Their bytes, once they are there.
  let arrival: Task<[[UInt8]], any Error>
  /// What filters measured.
  let measurements: [FrameMeasurement]
  /// What was given.
  let picture: FramePicture
  /// Where that begins in the picture of which it is a part; 0 for a whole one.
  let firstRow: Int
  /// What it becomes.
  let form: FrameForm
  /// The picture that is made; where planes are, what they are made of, with what they mean.
  let result: ImageDescriptor
  /// What the twin brings back, where there is one.
  let replay: Task<ReplayResult, any Error>?

  /// Seconds that the device spent on it; 0 before it is finished.
  public var seconds: Double { buffer.seconds }

  /// Returns what was made; throws what the device says, or a `difference` where the twin disagrees, after it gave `differing` what the twin made
  /// and what the device made: the picture, or the first plane that differs.
  public func finished(
    differing: (_ expected: Image, _ actual: Image) -> Void = { _, _ in }
  ) async throws -> FramePicture {
    let result = try await made(of: arrival.value)
    if let replay {
      let replayed = try await replay.value
      let expected = try returns.map { part in
        guard case .readback(let readback) = part, let bytes = replayed.contents(of: readback) else {
          throw SafelightError(.driver, buffer.label, why: "the twin brought nothing back", remedy: "report it")
        }
        return bytes
      }
      try verify(result, made(of: expected), differing)
      for measurement in measurements
      where replayed.contents(of: measurement.readback) != (try measurement.readback.contents()) {
        throw SafelightError(
          .difference, buffer.label,
          why:
            "filter '\(measurement.measurement.name)' measured something else on \(buffer.device.name) than its twin",
          remedy: "report it with the name of the driver")
      }
    }
    return result
  }

  /// What filters measured of a finished frame, in their order.
  public func measured() throws -> [MeasuredFrame] { try measurements.map { try $0.measured() } }

  /// Returns the finished picture of a submission that makes one.
  public func image() async throws -> Image {
    guard let image = try await finished().image else {
      throw SafelightError(
        .usage, buffer.label, why: "it becomes luma and chroma, which is no picture", remedy: "submit it as an image")
    }
    return image
  }

  private func made(of bytes: [[UInt8]]) -> FramePicture {
    switch form {
    case .image:
      return .image(Image(result, bytes: bytes[0]))
    case .planes(let layout, _):
      return .planes(frame(layout, bytes))
    }
  }

  /// Of the time and the orientation of what was given; a picture is the first of its film.
  private func frame(_ layout: PixelLayout, _ bytes: [[UInt8]]) -> VideoFrame {
    let size = result.size
    let planes = zip(layout.planeFormats, bytes).enumerated().map { index, plane in
      PixelPlane(size: layout.planeSize(index, of: size), pixelFormat: plane.0, bytes: plane.1)
    }
    guard case .planes(let source) = picture else {
      return VideoFrame(
        index: 0, size: size, layout: layout, planes: planes, presentationTime: .zero, color: result.color)
    }
    return VideoFrame(
      index: source.index, size: size, layout: layout, planes: planes, presentationTime: source.presentationTime,
      duration: source.duration, orientation: source.orientation, color: result.color)
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

/// What a filter found out about a frame.
public struct MeasuredFrame: Sendable {
  /// The filter.
  public let name: String
  /// Each number with its name.
  public let values: [(name: String, value: Double)]
}

/// What a filter measures of a frame, on its way back.
struct FrameMeasurement: Sendable {
  let readback: Readback
  let measurement: any StageMeasurement
  /// The picture that was measured.
  let image: ImageDescriptor

  func measured() throws -> MeasuredFrame {
    MeasuredFrame(name: measurement.name, values: measurement.values(try readback.contents(), of: image))
  }
}

extension FramePicture {
  /// What is compared, and how to name a sample of it, in a picture that begins in row `firstRow`: the picture, or each
  /// plane as a grey one, pairs of chroma side by side.
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
