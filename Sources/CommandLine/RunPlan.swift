import ArgumentParser
import Safelight

/// What a run would do, frame by frame, for `--dry-run`.
struct RunPlan {
  private var lines: [String] = []
  private var (made, skipped) = (0, 0)

  /// Looks at what is there for `work` and asks `outputs` about it.
  init(_ work: [(frame: Frame, target: FrameTarget)], outputs: ExistingOutputs) {
    for (frame, target) in work { add(frame, target, outputs) }
  }

  private mutating func add(_ frame: Frame, _ target: FrameTarget, _ outputs: ExistingOutputs) {
    var note = ""
    switch outputs.verdict(on: frame, at: target) {
    case .skip:
      lines.append("skip  \(frame.path) → \(target.name) (it is there)")
      skipped += 1
      return
    case .make(let remark?): note = " (\(remark))"
    case .make(nil): if case .file(let path) = target, fileExists(path) { note = " (replaces what is there)" }
    }
    lines.append("make  \(frame.path) → \(target.name)\(note)")
    made += 1
  }

  /// A line for each frame, and one for all of them with what would be done on which device.
  func text(filters: String, device: String) -> String {
    let sum = "\(made + skipped) frames: \(made) to make, \(skipped) to skip; filters \(filters); device \(device)"
    return (lines + [sum]).joined(separator: "\n") + "\n"
  }
}
