extension String {
  /// With spaces before it up to so many columns, after it where negative.
  func padded(to columns: Int) -> String {
    let spaces = String(repeating: " ", count: max(1, Int(columns.magnitude) - count))
    return columns < 0 ? self + spaces : spaces + self
  }
}
