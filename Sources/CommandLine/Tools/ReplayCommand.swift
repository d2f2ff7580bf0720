import ArgumentParser
import Safelight

struct ReplayCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "replay",
    abstract: "Run captured command buffers again and compare their outputs.",
    discussion: """
      Set SAFELIGHT_CAPTURE to a folder, and every command of safelight writes its command buffers there, each as a \
      folder with capture.json, its inputs and outputs as pictures, and its shaders as texts. Replay runs them again, \
      on this device or another, and compares every output, sample by sample. Exit code 1 says that some differ, 65 \
      that a capture has nothing to compare. A command buffer that failed when it was captured is expected to fail for \
      the same reason again.

      Examples:
        SAFELIGHT_CAPTURE=captures safelight equalize dark/ -o light/ --frames 1-2
        safelight replay captures --device cpu
        safelight replay captures/0001-frame0001.png --device hardware --out replayed/

      The texts in functions/ may be edited: the replay compiles what is there. On the CPU the Swift twins of the \
      built-in kernels run.

      SAFELIGHT_CAPTURE_LABELS=PATTERN captures only command buffers of such labels ('*room*'), \
      SAFELIGHT_CAPTURE_FIRST=N the first N.
      """)

  @Argument(help: "Folders of captures, or of one.", completion: .directory) var captures: [String]

  @Option(
    help: ArgumentHelp(
      "Write the outputs of the replay, and pictures of differences, into this folder.", valueName: "folder"),
    completion: .directory)
  var out: String?

  @Option(help: "text or json.") var format: ListingFormat = .text
  @OptionGroup(title: "Device options") var device: DeviceArguments

  func run() throws {
    // Everything that can be wrong with the names is found before a device is opened.
    let paths = try captures.flatMap { try CaptureFolder.captures(at: $0) }
    let device = try device.open()
    defer { device.close() }
    var reports: [ReplayReport] = []
    for path in paths {
      let outputs = try replay(path, on: device)
      reports.append(outputs)
      if format == .text { try deliver(outputs.text) }
    }
    if format == .json { try deliver(json(["device": device.name, "captures": reports] as JSONObject)) }
    if reports.contains(where: \.differs) { throw ExitCode.differs }
    if let report = reports.first(where: { $0.unjudged != nil }), let reason = report.unjudged {
      throw SafelightError(
        .input, report.path, why: "nothing was compared: \(reason)",
        remedy: "capture a command buffer that completes and writes something")
    }
  }

  private func replay(_ path: String, on device: Device) throws -> ReplayReport {
    let capture = try CaptureFolder.read(path)
    let outputs: [CaptureReplay.Output]
    do throws(SafelightError) {
      let replay = try CaptureReplay(capture, device: device, twins: .kernels)
      do throws(SafelightError) {
        outputs = try replay.run()
      } catch {
        guard replay.isRecordedFailure(error) else { throw error }
        return ReplayReport(path: path, capture: capture, outputs: [], failsAgain: true)
      }
    } catch {
      throw error.during(path)
    }
    if let out { try write(outputs, into: out, path) }
    return ReplayReport(path: path, capture: capture, outputs: outputs)
  }

  /// Writes `OUT/NAME OF THE CAPTURE/NAME OF THE OUTPUT.png`, and `….difference.png` if it differs.
  private func write(_ outputs: [CaptureReplay.Output], into out: String, _ path: String) throws {
    let name = String(path.split(separator: "/").last ?? "capture")
    var folder = try AtomicFolder(in: out, stem: name)
    for output in outputs {
      let file = try output.file()
      try folder.write(file.bytes, to: "\(output.fileName).\(file.fileExtension)")
      if let picture = try output.differencePicture() {
        try folder.write(picture, to: "\(output.fileName).difference.png")
      }
    }
    if try !folder.commit(as: name) {
      throw SafelightError(
        .output, "\(out)/\(name)", why: "it exists already", remedy: "remove it, or name another folder with --out")
    }
  }
}

/// The result of replaying one capture.
struct ReplayReport: Encodable {
  let path: String
  let label: String
  /// The device that it was captured on.
  let captured: String
  /// Why the command buffer failed then.
  let failure: String?
  let differs: Bool
  /// True if the replay failed as the command buffer did then.
  let failsAgain: Bool
  /// Why the replay proves nothing; nil if outputs were compared, or if the failure came again.
  let unjudged: String?
  /// Notes on data that could not be captured.
  let notes: [String]
  let outputs: [Row]

  struct Row: Encodable {
    let name: String
    /// Samples, words or bytes compared.
    let count: Int
    let differing: Int
    let largest: Double

    init(_ output: CaptureReplay.Output) {
      let difference = output.difference
      name = output.name
      count = difference?.count ?? CaptureDifference.count(output.actual, pixelFormat: output.pixelFormat)
      differing = difference?.differing ?? 0
      largest = difference?.largest ?? 0
    }
  }

  init(path: String, capture: Capture, outputs: [CaptureReplay.Output], failsAgain: Bool = false) {
    self.path = path
    label = capture.label
    captured = capture.deviceName
    failure = capture.failure
    self.outputs = outputs.map(Row.init)
    differs = self.outputs.contains { $0.differing > 0 }
    self.failsAgain = failsAgain
    notes = capture.manifest.notes
    unjudged =
      if !outputs.isEmpty || failsAgain {
        nil
      } else if capture.failure != nil {
        "it failed when it was captured, and does not fail here"
      } else {
        "it left nothing behind that could be compared"
      }
  }

  var text: String {
    var lines = ["\(path): '\(label)' captured on \(captured)"]
    if let failure { lines.append("  it failed then: \(failure)") }
    let width = outputs.map(\.name.count).max() ?? 0
    for row in outputs {
      let found =
        row.differing == 0
        ? "equal, \(row.count) samples"
        : "DIFFERS in \(row.differing) of \(row.count) samples, by up to \(row.largest)"
      lines.append("  \(row.name.padded(to: -(width + 2)))\(found)")
    }
    lines += notes.map { "  note: \($0)" }
    if failsAgain { lines.append("  it fails here for the same reason") }
    if let unjudged { lines.append("  nothing was compared: \(unjudged)") }
    return lines.joined(separator: "\n") + "\n"
  }
}
