internal import SafelightFrames
internal import SafelightImage

/// The numbers that are missing in a sequence, by the index of the picture before which each is missing.
package struct SequenceGaps: Sendable {
  /// In ascending order.
  var places: [Int] = []

  package init() {}

  init(_ frames: [Frame]) throws(SafelightError) {
    // The last may stand for others behind it.
    let again = frames.reversed().prefix { $0.path == frames.last?.path }.dropFirst().count
    places = try FrameList.gaps(of: Array(frames.dropLast(again))).map(\.next).sorted()
  }

  /// Returns how many are missing before the picture of this index.
  func count(before index: Int) -> Int { places.prefix { $0 <= index }.count }

  /// The place of the picture of this index, if none were missing.
  func place(of index: Int) -> Int { index + count(before: index) }

  /// Returns the index of the picture at `place`, or of the last one before, of `count` pictures, which begin again
  /// behind the last if `loops`.
  func index(at place: Int, of count: Int, loops: Bool) -> Int {
    let whole = self.place(of: count - 1) + 1
    let place = loops ? place % whole : min(place, whole - 1)
    // Each missing number moves the pictures behind it on by one.
    var index = min(place, count - 1)
    while self.place(of: index) > place { index -= 1 }
    return index
  }
}
