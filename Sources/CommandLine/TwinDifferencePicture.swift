import Safelight
import SafelightGolden

/// Where the device and the twins differ, as a picture beside the output that was not written.
struct TwinDifferencePicture {
  private let path: String
  private let difference: ImageDifference?

  /// Nil where the output has no place in a folder.
  init?(_ frame: Frame, _ target: FrameTarget?, expected: Image, actual: Image) {
    switch target {
    case .file(let path): self.path = Self.path(path)
    case .film(let film) where film.name.contains("."): path = Self.path(film.name, frame: frame.number)
    case .film, .stream, nil: return nil
    }
    difference = try? ImageDifference(expected: expected, actual: actual)
  }

  /// `out/a.png` becomes `out/a.difference.png`, and frame 12 of `out/film.mkv` becomes `out/film.000012.difference.png`.
  private static func path(_ output: String, frame: Int? = nil) -> String {
    let stem = output.lastIndex(of: ".").map { output[..<$0] } ?? output[...]
    let digits = frame.map(String.init) ?? ""
    let number = frame == nil ? "" : "." + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    return "\(stem)\(number).difference.png"
  }

  /// Writes it, and says where it is, or why it is nowhere.
  func write() {
    do {
      guard let difference else { return }
      try PNGFile(image: DifferencePicture(difference).image).write(to: path)
      Console.line("safelight: where they differ: \(path)")
    } catch {
      Console.line("safelight: \(path): the picture of the difference cannot be written: \(error)")
    }
  }
}
