public import ArgumentParser
public import Safelight

/// What all six programs are told in the same words.
public struct RunArguments: ParsableArguments {
  /// Where to run.
  @Option(help: "Where to run: auto, hardware, software, cpu, index:N, node:PATH, pci:ADDR or cuda:N.")
  public var device = "auto"

  /// Where frames come from; each program has a default.
  @Option(
    help: "PNG files, a folder or a pattern of them, a film, a stream, /dev/video0, or a graph: testsrc2=rate=30.")
  public var input: String?

  /// Where pictures go.
  @Option(help: "The folder for the pictures.")
  public var out = "out"

  /// Frames to take at most.
  @Option(help: "End after so many frames.")
  public var frames: Int?

  /// Whether nothing may be dropped.
  @Flag(help: "Keep late frames and wait for the sink, where a camera would drop what comes too fast.")
  public var everyFrame = false

  /// As ArgumentParser wants it.
  public init() {}

  /// Opens the device.
  public func openDevice() throws -> Device { try .open(DeviceSelector(parsing: device)) }

  /// Opens the input, or `standard` where none was named.
  ///
  /// `options` are for what ffmpeg reads; pictures have the size that they have. Films come at their own pace unless
  /// every frame is wanted.
  public func openSource(_ standard: String, options: FFmpegOptions) async throws -> any FrameSource {
    try await openSource(named: input ?? standard, options: options)
  }

  /// Opens another input in the same way.
  public func openSource(named name: String, options: FFmpegOptions) async throws -> any FrameSource {
    var options = options
    (options.frameLimit, options.isPaced) = (frames, !everyFrame)
    if let pictures = try pictures(name) {
      return try FrameSequenceSource(
        Array(pictures.prefix(frames ?? .max)), frameDuration: MediaTime(value: 1001, timescale: 24000),
        layout: options.layout)
    }
    return try await FFmpegSource(input(name), options: options)
  }

  /// The frames of `source`, late ones dropped unless every frame is wanted.
  public func makeCapture(_ source: some FrameSource) -> FrameCapture {
    FrameCapture(source, alwaysDiscardsLateVideoFrames: !everyFrame)
  }

  /// Prints the line that a run ends with.
  public func report(_ program: String, _ ledger: CameraLedger, _ view: FrameView) {
    let dropped = DropReason.allCases.reduce(0) { $0 + ledger.count(.dropped($1)) }
    print(
      "\(program): \(ledger.arrivedCount) frames in, \(ledger.count(.delivered)) delivered, \(dropped) dropped, "
        + "\(view.statistics.presented) presented, on \(view.device.name)")
  }

  private func input(_ name: String) -> FFmpegInput {
    if name.contains("://") { return .stream(name) }
    if name.hasPrefix("/dev/") { return .camera(name) }
    return name.contains("=") ? .lavfi(name) : .file(name)
  }

  /// The PNG files that `name` means; nil where it means something for ffmpeg.
  private func pictures(_ name: String) throws -> [Frame]? {
    if name.contains("=") { return nil }
    do {
      return try FrameList([name]).frames
    } catch let error as SafelightError where error.kind == .unsupported {
      return nil
    }
  }
}
