internal import FoundationEssentials
internal import SafelightImage

extension ComparisonReport: Codable {
  private enum Key: String, CodingKey {
    case schema, title, version, device, canary, count, summary, cases
  }

  /// Encodes everything but the pictures, with the line and the numbers that count.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(Self.schema, forKey: .schema)
    try container.encode(title, forKey: .title)
    try container.encodeIfPresent(version, forKey: .version)
    try container.encodeIfPresent(device, forKey: .device)
    try container.encodeIfPresent(canary, forKey: .canary)
    try container.encode(summary, forKey: .count)
    let counts = counts
    let numbers = ComparisonStatus.allCases.map { ($0.rawValue, counts[$0]) }
    try container.encode(Dictionary(numbers) { first, _ in first }, forKey: .summary)
    try container.encode(cases, forKey: .cases)
  }

  /// Decodes a report of this version of the schema; it has no pictures.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let schema = try container.decode(Int.self, forKey: .schema)
    guard schema == Self.schema else {
      throw SafelightError(
        .input, "report", why: "its schema is \(schema); this version reads \(Self.schema)",
        remedy: "read it with the version that wrote it")
    }
    self.init(
      title: try container.decode(String.self, forKey: .title),
      version: try container.decodeIfPresent(String.self, forKey: .version),
      device: try container.decodeIfPresent(String.self, forKey: .device),
      canary: try container.decodeIfPresent(String.self, forKey: .canary))
    cases = try container.decode([Case].self, forKey: .cases)
  }

  /// The bytes of `report.json`: a line for every field, in the order of their names, and one at the end.
  public func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try [UInt8](encoder.encode(self)) + [UInt8(ascii: "\n")]
  }
}
