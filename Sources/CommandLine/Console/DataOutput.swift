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

  func write(_ text: String) throws { try write(Array(text.utf8)) }

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

/// Writes `text` to the file at `path`; nil and `-` mean standard output.
func deliver(_ text: String, to path: String? = nil) throws {
  let output = try DataOutput(path)
  try output.write(text)
  try output.finish()
}

/// A member of a JSON object that is null, and not left out, without a value.
@propertyWrapper
struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
  var wrappedValue: Value?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(wrappedValue)
  }
}

/// A JSON object of the members that have a value.
struct JSONObject: Encodable, ExpressibleByDictionaryLiteral {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  private let members: [(name: String, value: (any Encodable)?)]

  init(dictionaryLiteral members: (String, (any Encodable)?)...) { self.members = members.map { ($0.0, $0.1) } }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Name.self)
    for case (let name, let value?) in members { try container.encode(value, forKey: Name(stringValue: name)) }
  }
}

/// Returns `value` as indented JSON with sorted keys.
func json(_ value: some Encodable) throws -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  // A difference may be infinite; captures write it the same way.
  encoder.nonConformingFloatEncodingStrategy = .convertToString(
    positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
  return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
}
