internal import SafelightImage

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
