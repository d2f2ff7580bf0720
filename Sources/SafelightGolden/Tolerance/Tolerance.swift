import Glibc
public import SafelightImage

/// The differences that pass, as a sentence: `exact`, or `max<=3 && over(1)<=0.1% && window(8,1)<=10%`.
///
/// All terms, joined by `&&`, must hold. A term is a ``Metric``, `<=` (for psnr, ssim and msssim `>=`) and a number;
/// `over`, `window` and `line` are in `%` of the pixels, `over` optionally in `px`. `exact` is `max<=0`. A limit that
/// every picture passes is refused.
public struct Tolerance: Hashable, Sendable, CustomStringConvertible {
  package struct Term: Hashable, Sendable, CustomStringConvertible {
    let metric: Metric
    /// The most that passes, or the least if ``Metric/isQuality``.
    package let limit: Double
    let unit: Metric.Unit

    /// The text of the term: `over(1)<=0.1%`.
    package var description: String { "\(metric.name)\(metric.sign)\(DecimalText.text(limit))\(unit.rawValue)" }

    var isLimit: Bool { metric.isQuality ? limit > metric.worst(unit) : limit < metric.worst(unit) }

    func allows(_ measured: Double) -> Bool { metric.isQuality ? measured >= limit : measured <= limit }
  }

  /// The terms that must hold, at least one.
  package let terms: [Term]
  /// The tolerance under which no sample may differ.
  public static let exact = Tolerance(terms: [Term(metric: .maximum, limit: 0, unit: .none)])

  /// Parses a tolerance.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that quotes the text and points at the first invalid character.
  public init(_ text: String) throws(SafelightError) {
    var reader = ToleranceReader(text)
    self.init(terms: try reader.terms())
  }

  init(terms: [Term]) { self.terms = terms }

  /// The text that parses to this tolerance.
  public var description: String { self == .exact ? "exact" : terms.map(\.description).joined(separator: " && ") }

  /// Returns the verdict on two pictures, with every term measured.
  public func verdict(on difference: ImageDifference) -> Verdict { Verdict(self, difference) }
}

/// Parses a tolerance from left to right, so that it can point at an error.
struct ToleranceReader {
  private let characters: [Character]
  private var position = 0

  init(_ text: String) { characters = text.map { $0.isWhitespace ? " " : $0 } }

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
    let place = skipSpace()
    guard take(metric.sign) else { throw error("expected \(metric.sign) after \(metric.name)", at: place) }
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
    let term = Tolerance.Term(metric: metric, limit: limit, unit: unit)
    guard term.isLimit else { throw error("every picture passes this limit", at: start) }
    return term
  }

  private static var allNames: String { Metric.names.map(\.name).joined(separator: ", ") }
  private var isAtEnd: Bool { characters[position...].allSatisfy { $0 == " " } }

  /// Skips spaces and returns the position behind them.
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
  /// Returns the same metric with the tightest limit of four digits that `measured` passes; nil if no such limit can be
  /// written.
  func tightened(to measured: Double) -> Tolerance.Term? {
    let limit = measured.rounded(digits: 4, metric.isQuality ? .down : .up)
    var term = Self(metric: metric, limit: limit, unit: unit)
    if !term.allows(measured) { term = Self(metric: metric, limit: measured, unit: unit) }
    return term.isLimit ? term : nil
  }

  /// Returns `value` in the limit's unit, rounded to four digits on the worse side, so that it never looks like the
  /// limit it misses; with all digits if four would look as if it missed a limit that it meets.
  func text(of value: Double) -> String {
    let short = value.rounded(digits: 4, metric.isQuality ? .down : .up)
    return DecimalText.text(allows(short) == allows(value) ? short : value) + unit.rawValue
  }
}

extension Double {
  /// Returns the nearest number with this many digits, by `rule`; whole numbers keep all theirs.
  func rounded(digits: Int, _ rule: FloatingPointRoundingRule) -> Double {
    guard self != 0, isFinite else { return self }
    let decimals = digits - 1 - Int(log10(magnitude).rounded(.down))
    guard decimals > 0 else { return rounded(rule) }
    let scale = pow(10, Double(decimals))
    // A number that already has no more digits stays, even if the product is not whole.
    let nearest = (self * scale).rounded() / scale
    return nearest == self ? self : (self * scale).rounded(rule) / scale
  }
}
