import Safelight

/// Pictures and films beside PNG files, which a command for PNG files leaves out: whoever believes that they were
/// looked at is told.
enum OtherPictures {
  /// Says what is left out of `folder`.
  static func tell(in folder: String, isRecursive: Bool) {
    // The command itself reports a folder that it cannot read or that holds no PNG.
    guard let list = try? FrameList([folder], isRecursive: isRecursive), let text = text(list.otherKinds) else {
      return
    }
    Console.line("safelight: \(text)")
  }

  /// `in/a.jpg and 3 more are not PNG files and are left out`; nil for no paths.
  static func text(_ paths: [String]) -> String? {
    guard let first = paths.first else { return nil }
    return paths.count == 1
      ? "\(first) is not a PNG file and is left out"
      : "\(first) and \(paths.count - 1) more are not PNG files and are left out"
  }
}
