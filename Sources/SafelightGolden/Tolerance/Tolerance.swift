public import SafelightImage

/// Which differences pass, as a sentence: `exact`, or `max<=3 && over(1)<=0.1% && window(8,1)<=10%`.
///
/// Terms joined by `&&`; all of them must hold. A term is a ``Metric``, `<=` (for psnr, ssim and msssim `>=`) and a number; `over`, `window` and
/// `line` are written in `%` of the pixels, `over` in `px` too. `exact` is `max<=0`. A limit that everything passes is refused.
public struct Tolerance: Hashable, Sendable, CustomStringConvertible {
  /// One condition.
  public struct Term: Hashable, Sendable, CustomStringConvertible {
    /// What is measured.
    public let metric: Metric
    /// The most that passes, or the least where ``Metric/isQuality``.
    public let limit: Double
    /// What the limit counts.
    public let unit: Metric.Unit

    /// As it is read: `over(1)<=0.1%`.
    public var description: String {
      "\(metric.name)\(metric.isQuality ? ">=" : "<=")\(DecimalText.text(limit))\(unit.rawValue)"
    }

    /// True where `measured` is good enough.
    func allows(_ measured: Double) -> Bool { metric.isQuality ? measured >= limit : measured <= limit }
  }

  /// What must hold, at least one term.
  public let terms: [Term]

  /// No sample differs.
  public static let exact = Tolerance(terms: [Term(metric: .maximum, limit: 0, unit: .none)])

  /// Reads a tolerance.
  ///
  /// - Throws: ``SafelightError`` of the kind `usage`, which quotes the text and points at the character that cannot be read.
  public init(_ text: String) throws(SafelightError) {
    var reader = ToleranceReader(text)
    self.init(terms: try reader.terms())
  }

  init(terms: [Term]) {
    self.terms = terms
  }

  /// As it is read back.
  public var description: String {
    self == .exact ? "exact" : terms.map(\.description).joined(separator: " && ")
  }

  /// Judges two pictures; every term is measured, so that the verdict can show all.
  public func verdict(on difference: ImageDifference) -> Verdict { Verdict(self, difference) }
}
