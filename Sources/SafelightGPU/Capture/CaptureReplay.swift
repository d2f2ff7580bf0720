public import SafelightImage

/// Runs a capture again, on any device, even one of another kind than the capture was taken from.
///
/// Functions run as the GLSL in the capture, and on the CPU as the Swift twins of a ``TwinLibrary``.
public struct CaptureReplay: Sendable {
  /// A result of the command buffer, from the capture and from the replay.
  public struct Output: Sendable {
    /// The name of the resource, or of an image of one.
    public let name: String
    /// Columns and rows, if it is a picture.
    public let size: Size?
    /// The layout of a pixel, if it is a picture.
    public let pixelFormat: PixelFormat?
    /// The bytes in the capture.
    public let expected: [UInt8]
    /// The bytes that the replay made.
    public let actual: [UInt8]
    /// The difference of both; nil if they are equal.
    public var difference: CaptureDifference? {
      CaptureDifference(expected: expected, actual: actual, pixelFormat: pixelFormat)
    }
  }

  /// A read at the end, and the contents that it should find.
  struct Expectation: Sendable {
    let contents: CaptureManifest.Contents
    let read: CaptureRead
  }

  /// The capture's commands, after commands that write its inputs and before commands that read its outputs.
  public let recording: Recording

  private let capture: Capture
  private let device: Device
  private let expectations: [Expectation]

  /// Makes the capture's resources on `device`, at most `byteLimit` bytes of them.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the capture contradicts itself, `limit` if its resources are too
  ///   large, `unsupported` if the device is the CPU and `twins` lacks a function, and the device's errors for
  ///   resources that it cannot make.
  public init(_ capture: Capture, device: Device, twins: TwinLibrary, byteLimit: Int = 1 << 34) throws(SafelightError) {
    try capture.manifest.check(byteLimit)
    var reader = ManifestReader(capture, device: device, twins: twins)
    recording = try reader.recording()
    expectations = reader.expectations
    self.capture = capture
    self.device = device
  }

  /// Runs the recording and waits; throws the device's error if it fails.
  public func run() throws(SafelightError) -> [Output] {
    let result = try device.replay(recording)
    return try expectations.map { (expectation) throws(SafelightError) -> Output in
      let (contents, read) = (expectation.contents, expectation.read)
      guard let actual = result.contents(of: read.readback) else {
        throw capture.fault(contents.name, why: "no captured command writes it, so there is nothing to compare")
      }
      return Output(
        name: contents.name, size: read.size, pixelFormat: read.pixelFormat,
        expected: try capture.bytes(contents.bytes, of: contents.name, count: actual.count), actual: actual)
    }
  }

  /// Returns whether `error` of ``run()`` is the error of the captured command buffer, whichever command raised it.
  public func isRecordedFailure(_ error: SafelightError) -> Bool {
    !error.why.isEmpty && capture.failure?.contains(error.why) == true
  }
}

extension Capture {
  /// Returns the bytes of an entry; throws unless they exist and both their length and the stated length are `count`.
  func bytes(_ entry: CaptureManifest.Bytes, of subject: String, count: Int) throws(SafelightError) -> [UInt8] {
    guard entry.length == count else {
      throw fault(subject, why: "the capture states a length of \(entry.length) bytes for it; \(count) are needed")
    }
    let found: [UInt8]?
    switch (entry.blob, entry.words) {
    case (let place?, _): found = blobs[place]?.bytes
    case (nil, let words?): found = Self.bytes(ofWords: words)
    case (nil, nil): return [UInt8](repeating: 0, count: count)
    }
    guard let found else { throw fault(subject, why: "its bytes are missing") }
    guard found.count == count else { throw fault(subject, why: "it has \(found.count) bytes; \(count) are needed") }
    return found
  }

  /// Returns the bytes of 32-bit words in decimal; nil if one of them is not a number of 32 bits.
  private static func bytes(ofWords text: String) -> [UInt8]? {
    var bytes: [UInt8] = []
    for word in text.split(separator: " ") {
      guard let number = UInt32(word) else { return nil }
      bytes += (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return bytes
  }

  func fault(_ subject: String, why: String) -> SafelightError {
    SafelightError(.input, subject, why: why, remedy: "capture the command buffer again")
  }
}

/// Swift twins by the names of their functions: a capture holds only GLSL, so the CPU finds the other body here.
///
///     var twins = TwinLibrary.kernels
///     twins.add(myFunction)
public struct TwinLibrary: Sendable {
  /// Makes the twin of a function with these macros; returns nil if it has none for them.
  public typealias Maker = @Sendable (_ constants: [String: String]) -> ShaderTwin?

  private var makers: [String: Maker] = [:]

  /// Returns the twin of the pass that a kernel recorded as `origin`, if its function has the arguments and the whole
  /// text that the capture states; nil for others.
  package typealias PassMaker =
    @Sendable (_ origin: String, _ text: String, _ arguments: [ShaderArgument]) -> ShaderTwin?

  /// Finds the twins of kernels' passes; nil if the library has none.
  package var passes: PassMaker?

  /// Makes an empty library.
  public init() {}

  /// Adds the twin of a function under its name; does nothing if it has none.
  public mutating func add(_ function: ShaderFunction) {
    guard let twin = function.twin else { return }
    add(function.name) { _ in twin }
  }

  /// Adds a twin that depends on the macros of the function.
  public mutating func add(_ name: String, _ maker: @escaping Maker) { makers[name] = maker }

  /// The names of the functions that have a twin, in order.
  public var names: [String] { makers.keys.sorted() }

  func twin(_ name: String, constants: [String: String]) -> ShaderTwin? { makers[name]?(constants) }
}
