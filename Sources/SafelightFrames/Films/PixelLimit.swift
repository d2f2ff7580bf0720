import SafelightImage

extension Size {
  /// Throws a ``SafelightError`` of kind `limit` where a picture of the film `name` would have more than `limit` pixels; to be asked before
  /// memory is taken for one.
  func check(within limit: Int, film name: String) throws(SafelightError) {
    guard area > limit else { return }
    throw SafelightError(
      .limit, name, why: "its pictures have \(self) = \(area) pixels; \(limit) are accepted",
      remedy: "if that is right and the film is to be trusted, raise the limit", setting: .pixelLimit)
  }
}
