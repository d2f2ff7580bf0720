internal import SafelightFrames
internal import SafelightImage

extension ComparisonReport {
  /// Writes the page, whole or not at all: one file that needs no other and no network.
  ///
  /// Throws a ``SafelightError`` of kind `output` (cannot be created) or `transfer` (writing failed half-way).
  public func write(html path: String) throws {
    let file = try AtomicFile(path: path)
    try HTMLReport(report: self).write { try file.write($0) }
    try file.commit()
  }

  /// Writes `report.json`, whole or not at all; throws as ``write(html:)``.
  public func write(json path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(json())
    try file.commit()
  }

  /// Writes JUnit's XML, whole or not at all; throws as ``write(html:)``.
  public func write(junit path: String) throws {
    let file = try AtomicFile(path: path)
    try file.write(Array(JUnitReport(report: self).text.utf8))
    try file.commit()
  }
}
