/// Bits in one sample of a picture.
public enum SampleDepth: Int, Codable, Sendable, CaseIterable {
  /// 0 to 255.
  case bits8 = 8
  /// 0 to 65535.
  case bits16 = 16
}
