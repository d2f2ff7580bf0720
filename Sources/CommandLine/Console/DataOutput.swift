import FoundationEssentials
import Glibc
import Safelight

/// The destination of data: standard output, or a file that appears whole or not at all.
struct DataOutput: ~Copyable {
  private var file: AtomicFile?

  /// Begins an output to `path`; nil and `-` mean standard output.
  init(_ path: String?) throws {
    if let path, path != "-" { file = try AtomicFile(path: path) } else { file = nil }
  }

  /// Appends text.
  func write(_ text: String) throws { try write(Array(text.utf8)) }

  /// Appends bytes.
  func write(_ bytes: [UInt8]) throws {
    if file != nil {
      try file?.write(bytes)
    } else if let code = writeAll(bytes, to: STDOUT_FILENO) {
      throw fileError(.transfer, "standard output", cannotBe: "written", code: code)
    }
  }

  /// Gives the file its final name.
  consuming func finish() throws {
    if let file = file.take() { try file.commit() }
  }
}

/// Throws if pixels would be written to a terminal, which takes them for text and commands.
func refusePixelsOnTerminal() throws(SafelightError) {
  guard isatty(STDOUT_FILENO) != 0 else { return }
  throw SafelightError(
    .usage, "standard output", why: "it is a terminal, and pixels would be written to it",
    remedy: "name a file, or pipe the pixels to a program: … -o - | PROGRAM")
}

/// Writes `text` to standard output.
func deliver(_ text: String) throws {
  let output = try DataOutput(nil)
  try output.write(text)
  try output.finish()
}

/// Returns `value` as JSON with sorted keys, indented if `pretty`.
func json(_ value: some Encodable, pretty: Bool = true) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting =
    pretty ? [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes] : [.sortedKeys, .withoutEscapingSlashes]
  // A difference may be infinite; captures write it the same way.
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}
