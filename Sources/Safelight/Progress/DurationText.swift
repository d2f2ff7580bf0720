/// Times and rates as text, without a locale.
package enum DurationText {
  /// `seconds` as `m:ss`, from an hour on `h:mm:ss`.
  package static func clock(_ seconds: Int) -> String {
    func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
    let minutes = seconds / 60
    return minutes < 60
      ? "\(minutes):\(two(seconds % 60))" : "\(minutes / 60):\(two(minutes % 60)):\(two(seconds % 60))"
  }

  /// The whole seconds of `time`; what is too long for a clock stops at a thousand hours.
  static func seconds(_ time: Double) -> Int {
    Int(min(max(0, time), 3_599_999))
  }

  /// `number`, at least 0, with exactly `places` decimals, rounded to the nearest.
  package static func decimal(_ number: Double, places: Int) -> String {
    let power = (0..<places).reduce(1) { power, _ in power * 10 }
    let units = Int(min(max(0, number) * Double(power), 1e18).rounded())
    guard places > 0 else { return String(units) }
    let decimals = String(units % power)
    return "\(units / power)." + String(repeating: "0", count: places - decimals.count) + decimals
  }
}
