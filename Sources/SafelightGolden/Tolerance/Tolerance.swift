internal import Glibc
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

/// Reads a tolerance from left to right, so that it can point at what it does not understand.
struct ToleranceReader {
  private let characters: [Character]
  private var position = 0

  init(_ text: String) {
    characters = text.map { $0.isWhitespace ? " " : $0 }
  }

  mutating func terms() throws(SafelightError) -> [Tolerance.Term] {
    var terms = [try term()]
    while !isAtEnd {
      let start = position
      guard take("&&") else { throw error("expected && or the end", at: start) }
      terms.append(try term())
    }
    return terms
  }

  private mutating func term() throws(SafelightError) -> Tolerance.Term {
    let start = skipSpace()
    let name = word { $0.isLetter || $0.isNumber || $0 == "." || $0 == "_" }
    if name == "exact" { return Tolerance.exact.terms[0] }
    let metric = try metric(name, at: start)
    let sign = skipSpace()
    guard take(metric.isQuality ? ">=" : "<=") else {
      throw error("expected \(metric.isQuality ? ">=" : "<=") after \(metric.name)", at: sign)
    }
    return try limit(of: metric)
  }

  private mutating func metric(_ name: String, at start: Int) throws(SafelightError) -> Metric {
    guard !name.isEmpty else { throw error("expected a metric: \(Self.allNames)", at: start) }
    guard let count = Metric.names.first(where: { $0.name == name })?.arguments else {
      let nearest = NearestNames.find(name, among: Metric.names.map(\.name) + ["exact"])
      let remedy = nearest.isEmpty ? "there are \(Self.allNames)" : "did you mean \(nearest.joined(separator: " or "))?"
      throw error("there is no metric \(name); \(remedy)", at: start)
    }
    var arguments: [Int] = []
    if count > 0 {
      let form =
        name
        + (count == 1
          ? "(k), with k the steps that do not count" : "(n,k), n pixels square and k steps that do not count")
      for index in 0..<count {
        let place = skipSpace()
        guard take(index == 0 ? "(" : ",") else { throw error("expected \(form)", at: place) }
        arguments.append(try argument(least: count == 2 && index == 0 ? 1 : 0))
      }
      let place = skipSpace()
      guard take(")") else { throw error("expected ) of \(form)", at: place) }
    }
    guard let metric = Metric(name, arguments) else { throw error("there is no metric \(name)", at: start) }
    return metric
  }

  private mutating func argument(least: Int) throws(SafelightError) -> Int {
    let start = skipSpace()
    guard let number = Int(word { $0.isNumber }), (least...65535).contains(number) else {
      throw error("expected a whole number from \(least) to 65535", at: start)
    }
    return number
  }

  private mutating func limit(of metric: Metric) throws(SafelightError) -> Tolerance.Term {
    let start = skipSpace()
    let text = word { "0123456789.+-eE".contains($0) }
    guard let limit = DecimalText.number(text) else { throw error("expected a number", at: start) }
    let place = skipSpace()
    let unit: Metric.Unit = take("%") ? .percent : take("px") ? .pixels : .none
    guard metric.units.contains(unit) else {
      let units = metric.units.map { $0 == .none ? "no unit" : $0.rawValue }.joined(separator: " or ")
      throw error("\(metric.name) takes \(units)", at: place)
    }
    if limit < 0, metric != .ssim { throw error("\(metric.name) is never below 0", at: start) }
    if metric.units == [.none], metric.isQuality, metric != .psnr, limit > 1 {
      throw error("\(metric.name) is never above 1", at: start)
    }
    let worst = metric.worst(unit)
    guard metric.isQuality ? limit > worst : limit < worst else {
      throw error("every picture passes this limit", at: start)
    }
    return Tolerance.Term(metric: metric, limit: limit, unit: unit)
  }

  private static var allNames: String { Metric.names.map(\.name).joined(separator: ", ") }

  private var isAtEnd: Bool { characters[position...].allSatisfy { $0 == " " } }

  /// The next position that is no space.
  @discardableResult private mutating func skipSpace() -> Int {
    while position < characters.count, characters[position] == " " { position += 1 }
    return position
  }

  private mutating func take(_ text: String) -> Bool {
    skipSpace()
    guard characters[position...].starts(with: text) else { return false }
    position += text.count
    return true
  }

  private mutating func word(_ belongs: (Character) -> Bool) -> String {
    let start = position
    while position < characters.count, belongs(characters[position]) { position += 1 }
    return String(characters[start..<position])
  }

  private func error(_ why: String, at place: Int) -> SafelightError {
    SafelightError(
      .usage, "tolerance",
      why: "\(why)\n  \(String(characters))\n  \(String(repeating: " ", count: place))^")
  }
}

extension Tolerance.Term {
  /// The same metric with the tightest limit of four digits that `measured` passes; nil where no such limit can be written.
  func tightened(to measured: Double) -> Tolerance.Term? {
    var limit = measured.rounded(digits: 4, metric.isQuality ? .down : .up)
    if !allows(limit, measured) { limit = measured }
    let worst = metric.worst(unit)
    guard metric.isQuality ? limit > worst : limit < worst else { return nil }
    return Tolerance.Term(metric: metric, limit: limit, unit: unit)
  }

  private func allows(_ limit: Double, _ measured: Double) -> Bool {
    metric.isQuality ? measured >= limit : measured <= limit
  }

  /// `value` in the limit's unit, rounded to four digits on the worse side, so that it never looks like the limit it
  /// misses; with all digits if four would look as if it missed a limit that it meets.
  func text(of value: Double) -> String {
    let short = value.rounded(digits: 4, metric.isQuality ? .down : .up)
    return DecimalText.text(allows(short) == allows(value) ? short : value) + unit.rawValue
  }
}

extension Double {
  /// The nearest number with so many digits, by `rule`; whole numbers keep all theirs.
  func rounded(digits: Int, _ rule: FloatingPointRoundingRule) -> Double {
    guard self != 0, isFinite else { return self }
    let decimals = digits - 1 - Int(log10(magnitude).rounded(.down))
    guard decimals > 0 else { return rounded(rule) }
    let scale = pow(10, Double(decimals))
    // What is a number of so many digits already stays it, though the product is not whole.
    let nearest = (self * scale).rounded() / scale
    return nearest == self ? self : (self * scale).rounded(rule) / scale
  }
}
