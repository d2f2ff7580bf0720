public import SafelightGPU
public import SafelightGolden
public import SafelightImage
public import Testing

/// Expects that a picture made by the GPU equals the one made by the CPU.
///
/// A difference becomes an issue that says where and how much the pictures differ and which tolerance would pass; both
/// pictures and their difference are attached.
///
/// - Parameter tolerance: The tolerance, such as `"max<=1"`; nil stands for the trait's, or `exact` without one. A
///   tolerance that cannot be parsed is an issue.
/// - Throws: ``SafelightError`` outside a test, and if the pictures cannot be compared.
@discardableResult
public func expectConforms(
  _ gpu: Output<GPU>, to cpu: Output<CPU>, tolerance: (any ToleranceConvertible)? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> PictureComparison {
  let place = try ExpectationContext("expectConforms")
  return try judge(place.name, gpu, cpu, tolerance, sourceLocation)
}

/// Expects that the GPU's samples of a float kernel lie within [round(v − ε), round(v + ε)], with v the twin's value
/// before rounding.
///
/// - Parameters:
///   - values: Unrounded samples in steps (0 to 255 or 65535), pixel by pixel, in the channel order of a file.
///   - epsilon: The permitted error of the device before rounding, in steps, from 0 to less than 0.5; see
///     ``IntervalDifference/epsilon(weights:depth:passes:)``.
/// - Throws: ``SafelightError`` outside a test, if there is not one value for each sample, and if ε is out of range.
@discardableResult
public func expectConforms(
  _ gpu: Output<GPU>, toUnrounded values: [Double], epsilon: Double, sourceLocation: SourceLocation = #_sourceLocation
) throws -> IntervalDifference {
  let place = try ExpectationContext("expectConforms")
  try ensure(
    (0..<0.5).contains(epsilon), .usage, "epsilon \(epsilon)",
    why: "with an epsilon of half a step or more, up to three values pass, and that proves little",
    remedy: "derive it from the operations: IntervalDifference.epsilon(weights:depth:passes:)")
  let difference = try IntervalDifference(values: values, actual: gpu.image, epsilon: epsilon)
  try TestMutationTrial.check(values, gpu.image, place.name, epsilon)
  GoldenSettings.current.count(difference.passes ? .within : .differs)
  if let first = difference.place {
    Issue.record(
      """
      \(place.name) differs (the twins before rounding against \(gpu.device.name)): \(difference.outside) of \
      \(difference.samples) samples lie outside ±\(epsilon) steps, first at \(first)
      """,
      sourceLocation: sourceLocation)
    try attach(place.name, gpu.image, nil, at: sourceLocation)
  }
  return difference
}

/// A picture that a command buffer reads back.
public struct RecordedOutput: Sendable {
  /// The name in messages.
  public let name: String
  /// The readback that receives the bytes.
  public let readback: Readback
  /// The meaning of the bytes.
  public let descriptor: ImageDescriptor

  /// Describes `readback` as a picture of `descriptor`.
  public init(_ name: String, _ readback: Readback, _ descriptor: ImageDescriptor) {
    trap(
      unless: readback.length == descriptor.size.area * descriptor.pixelFormat.bytesPerPixel,
      "a readback of \(readback.length) bytes holds no picture of \(descriptor.size) "
        + "\(descriptor.pixelFormat.rawValue); give the descriptor of the texture that is read back")
    self.name = name
    self.readback = readback
    self.descriptor = descriptor
  }
}

/// Expects that a recording makes the same pictures on `device` and on the Swift twins, by replaying it on both.
///
/// `buffer` need not be committed. It contains its inputs: anything that the recording does not write is zero on both
/// sides.
///
/// - Throws: ``SafelightError`` outside a test, if a replay fails, if `device` is the CPU, and if there is nothing to
///   compare.
@discardableResult
public func expectConforms(
  _ buffer: CommandBuffer, on device: Device, _ outputs: [RecordedOutput], tolerance: (any ToleranceConvertible)? = nil,
  sourceLocation: SourceLocation = #_sourceLocation
) throws -> [PictureComparison] {
  let place = try ExpectationContext("expectConforms")
  try ensure(
    !outputs.isEmpty, .usage, "expectConforms of '\(buffer.label)'",
    why: "no outputs were given, so nothing would be compared",
    remedy: "read a texture back in the command buffer and pass it as a RecordedOutput")
  let twins = try Device.open(.cpu)
  let (gpu, cpu) = (try device.replay(buffer.recording), try twins.replay(buffer.recording))
  return try outputs.map { output in
    let actual = try Output<GPU>(output.image(of: gpu, buffer), by: device)
    let expected = try Output<CPU>(output.image(of: cpu, buffer), by: twins)
    try ensure(
      [actual.image, expected.image].contains(where: { $0.bytes.contains { $0 != 0 } }), .usage,
      "output '\(output.name)' of '\(buffer.label)'",
      why: "it is all zeros on the device and on the CPU, as if no command had written it",
      remedy: "record the upload of its inputs and the commands that write it, or compare something that is not black"
    )
    return try judge("\(place.name) \(output.name)", actual, expected, tolerance, sourceLocation)
  }
}

extension RecordedOutput {
  fileprivate func image(of result: ReplayResult, _ buffer: CommandBuffer) throws(SafelightError) -> Image {
    guard let bytes = result.contents(of: readback) else {
      throw SafelightError(
        .usage, "output '\(name)'", why: "'\(buffer.label)' does not read it back",
        remedy: "record the readback into the command buffer before comparing")
    }
    return Image(descriptor, bytes: bytes)
  }
}
