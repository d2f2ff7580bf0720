internal import SafelightGLES
internal import SafelightImage

extension GLESExecutor {
  func mark() throws(SafelightError) -> TimeMark { try clock?.mark() ?? TimeMark() }

  func seconds(at marks: [TimeMark]) -> [Double]? {
    let queries = marks.compactMap(\.query)
    return queries.count == marks.count ? clock?.seconds(at: queries) : nil
  }

  func reuse(_ marks: [TimeMark]) {
    for mark in marks {
      if let query = mark.query { clock?.reuse(query) }
    }
  }
}
