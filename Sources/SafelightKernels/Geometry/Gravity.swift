/// The edges or the middle at which a rectangle lies in a larger one, by compass points: north is up.
public enum Gravity: String, Sendable, CaseIterable {
  /// At the upper left.
  case northwest
  /// At the upper edge, in the middle.
  case north
  /// At the upper right.
  case northeast
  /// At the left edge, in the middle.
  case west
  /// In the middle.
  case center
  /// At the right edge, in the middle.
  case east
  /// At the lower left.
  case southwest
  /// At the lower edge, in the middle.
  case south
  /// At the lower right.
  case southeast

  /// Where a part of a row or column lies.
  package enum Alignment {
    case low, middle, high

    /// Returns where a part of `count` pixels of `whole` begins, so far from its edge, or beside the middle.
    package func place(of count: Int, in whole: Int, margin: Int, offset: Int) -> Int {
      let inset = self == .middle ? offset : margin + offset
      return range(of: max(count, 1), offset: inset, in: whole).first
    }

    /// Returns where a part of `count` pixels of `whole` begins, `offset` from its edge or behind the middle, and its
    /// pixels: for 0 as many as there are.
    func range(of count: Int, offset: Int, in whole: Int) -> (first: Int, count: Int) {
      let count = count > 0 ? count : whole - (self == .middle ? 2 : 1) * offset
      let rest = whole - count
      return switch self {
      case .low: (offset, count)
      case .middle: ((rest >> 1) + offset, count)
      case .high: (rest - offset, count)
      }
    }

    /// Returns the part of `count` pixels that is seen in `whole`, which may be more or fewer, and where it begins
    /// there.
    func overlap(of count: Int, with whole: Int) -> (first: Int, count: Int, place: Int) {
      if count <= whole { return (0, count, range(of: count, offset: 0, in: whole).first) }
      return (range(of: whole, offset: 0, in: count).first, whole, 0)
    }
  }

  /// Where columns lie.
  package var columns: Alignment {
    switch self {
    case .northwest, .west, .southwest: .low
    case .north, .center, .south: .middle
    case .northeast, .east, .southeast: .high
    }
  }

  /// Where rows lie.
  package var rows: Alignment {
    switch self {
    case .northwest, .north, .northeast: .low
    case .west, .center, .east: .middle
    case .southwest, .south, .southeast: .high
    }
  }
}

extension Gravity: ParameterWord {
  /// The compass points by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = [
    (.northwest, "northwest", "at the upper left"), (.north, "north", "at the upper edge, in the middle"),
    (.northeast, "northeast", "at the upper right"), (.west, "west", "at the left edge, in the middle"),
    (.center, "center", "in the middle"), (.east, "east", "at the right edge, in the middle"),
    (.southwest, "southwest", "at the lower left"), (.south, "south", "at the lower edge, in the middle"),
    (.southeast, "southeast", "at the lower right"),
  ]
}
