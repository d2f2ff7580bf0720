package extension Double {
  /// With two decimals.
  var hundredths: String {
    let count = Int((magnitude * 100).rounded())
    let fraction = count % 100
    let sign = self < 0 ? "-" : ""
    return "\(sign)\(count / 100).\(fraction < 10 ? "0" : "")\(fraction)"
  }
}
