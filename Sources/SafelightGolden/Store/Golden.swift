public import SafelightImage

/// An approved picture, and what its folder says of it.
public struct Golden: Sendable {
  /// As its file is called from the golden folder, without `.png`: `blur/soft`.
  public let name: String
  /// The driver that it was approved for; nil for all that have none of their own.
  public let variant: String?
  /// Where its file lies.
  public let path: String
  /// Columns and rows.
  public let size: Size
  /// What its samples mean.
  public let channels: Channels
  /// Bits in a sample.
  public let depth: SampleDepth
  /// How far a picture may be from it.
  public let tolerance: Tolerance
  /// What of it counts; nil where all does.
  public let mask: ImageMask?
  /// The hash of its pixels (``SafelightImage/Image/pixelHash``), of those that the mask leaves.
  public let pixels: String
  /// How it came to be.
  public let provenance: GoldenProvenance

  /// What messages call it: `blur/soft`, and of a variant also which one and why there is one.
  public var title: String {
    guard let variant else { return name }
    return "\(name), variant \(variant)" + (provenance.reason.map { " (\($0))" } ?? "")
  }
}

/// How a golden came to be, in the words of those who made it so.
public struct GoldenProvenance: Hashable, Sendable {
  /// The day on which it was recorded or approved: `2026-11-22`.
  public var date: String
  /// Why it is right.
  public var reason: String?
  /// The command or the test that made the picture.
  public var made: String?
  /// The device that it was made on.
  public var device: String?

  /// Notes how a golden comes to be.
  public init(date: String, reason: String? = nil, made: String? = nil, device: String? = nil) {
    self.date = date
    self.reason = reason
    self.made = made
    self.device = device
  }
}
