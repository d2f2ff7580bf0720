public import SafelightImage

/// A capture that runs again, on any device, also one of another kind than it was taken from.
///
/// Functions run as the GLSL that the capture holds; on the CPU as the Swift twins of a ``TwinLibrary``.
public struct CaptureReplay: Sendable {
  /// One thing that the command buffer left behind, then and now.
  public struct Output: Sendable {
    /// The resource, or the image of one.
    public let name: String
    /// Columns and rows, where it is a picture.
    public let size: Size?
    /// How a pixel lies in memory, where it is a picture.
    public let pixelFormat: PixelFormat?
    /// What the capture holds.
    public let expected: [UInt8]
    /// What the replay made.
    public let actual: [UInt8]
    /// Where they differ; nil where they are equal.
    public var difference: CaptureDifference? {
      CaptureDifference(expected: expected, actual: actual, pixelFormat: pixelFormat)
    }
  }

  /// What is read at the end, and what it should be.
  struct Expectation: Sendable {
    let contents: CaptureManifest.Contents
    let readback: Readback
    let size: Size?
    let pixelFormat: PixelFormat?
  }

  /// The capture's commands, with its inputs before them and reads of its outputs behind them.
  public let recording: Recording

  private let capture: Capture
  private let device: Device
  private let expectations: [Expectation]

  /// Makes the capture's resources on `device`, which may have `byteLimit` bytes in all.
  ///
  /// Throws a ``SafelightError`` of kind `input` where the capture contradicts itself, `unsupported` where the CPU is to run
  /// a function that has no twin in `twins`, and what the device says to resources that it cannot have.
  public init(
    _ capture: Capture, device: Device, twins: TwinLibrary, byteLimit: Int = 1 << 34
  ) throws(SafelightError) {
    try capture.manifest.check(byteLimit)
    var builder = CaptureBuilder(capture, device: device, twins: twins)
    recording = try builder.build()
    expectations = builder.expectations
    self.capture = capture
    self.device = device
  }

  /// Runs it and waits; throws what the device says.
  public func run() throws(SafelightError) -> [Output] {
    let result = try device.replay(recording)
    var outputs: [Output] = []
    for expectation in expectations {
      let contents = expectation.contents
      guard let actual = result.contents(of: expectation.readback) else {
        throw capture.fault(contents.name, why: "no command fills it, so there is nothing to compare")
      }
      outputs.append(
        Output(
          name: contents.name, size: expectation.size, pixelFormat: expectation.pixelFormat,
          expected: try capture.bytes(contents.bytes, of: contents.name, count: actual.count), actual: actual))
    }
    return outputs
  }

  /// Whether `error` of ``run()`` is the one with which the captured command buffer failed, wherever in it that was.
  public func isRecordedFailure(_ error: SafelightError) -> Bool {
    !error.why.isEmpty && capture.failure?.contains(error.why) == true
  }
}

extension Capture {
  /// The bytes that the manifest speaks of; throws where they are not as many as it says and as are needed.
  func bytes(_ entry: CaptureManifest.Bytes, of what: String, count: Int) throws(SafelightError) -> [UInt8] {
    guard entry.length == count else {
      throw fault(what, why: "\(entry.length) bytes are listed where \(count) are needed")
    }
    let found: [UInt8]?
    switch (entry.blob, entry.words) {
    case (let place?, _): found = blobs[place]?.bytes
    case (nil, let words?): found = CaptureWords.bytes(words)
    case (nil, nil): return [UInt8](repeating: 0, count: count)
    }
    guard let found else { throw fault(what, why: "its bytes are missing") }
    guard found.count == count else {
      throw fault(what, why: "\(found.count) bytes are there where \(count) are needed")
    }
    return found
  }

  /// What is wrong with the capture.
  func fault(_ what: String, why: String) -> SafelightError {
    SafelightError(.input, what, why: why, remedy: "capture the command buffer again")
  }
}

/// Swift twins by the names of their functions: a capture holds GLSL alone, so the CPU finds the other body here.
///
///     var twins = TwinLibrary.kernels
///     twins.add(myFunction)
public struct TwinLibrary: Sendable {
  /// Makes the twin of a function with these macros; nil where it has none for them.
  public typealias Maker = @Sendable (_ constants: [String: String]) -> ShaderTwin?

  private var makers: [String: Maker] = [:]

  /// Makes an empty library.
  public init() {}

  /// Adds the twin of a function that has one, under its name.
  public mutating func add(_ function: ShaderFunction) {
    guard let twin = function.twin else { return }
    add(function.name) { _ in twin }
  }

  /// Adds a twin that depends on the macros of the function.
  public mutating func add(_ name: String, _ maker: @escaping Maker) { makers[name] = maker }

  /// The names of the functions that have a twin, in order.
  public var names: [String] { makers.keys.sorted() }

  /// The twin of the function called `name` with `constants`.
  func twin(_ name: String, constants: [String: String]) -> ShaderTwin? { makers[name]?(constants) }
}
