internal import SafelightGPU

extension ImageContrastStretch {
  /// The twin of `stretch_transform.comp`.
  static func transformTwin(entries: Int, planes: Int, isLinked: Bool) -> ShaderTwin {
    ShaderTwin { arguments in
      let words = arguments.words(2)
      let ranges = unsafe arguments.buffer(0).withWords { counts in
        (0..<planes).map { plane in
          let first = Int(words[0]) + plane * entries
          return unsafe range(counts[first..<first + entries], below: words[1], above: words[2])
        }
      }
      let linked = (ranges.map(\.black).min() ?? 0, ranges.map(\.white).max() ?? 0)
      unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { table in
        for channel in 0..<4 {
          // Of one plane all channels have the table; what lies behind the last of several has none.
          let (black, white) =
            isLinked || planes == 1
            ? linked : channel < planes ? (ranges[channel].black, ranges[channel].white) : (0, 0)
          for value in 0..<entries {
            unsafe table[4 * value + channel] = UInt16(stretched(value, black, white, maximum: entries - 1))
          }
        }
      }
    }
  }

  private static func range(
    _ counts: Slice<UnsafeMutableBufferPointer<UInt32>>, below: UInt32, above: UInt32
  ) -> (black: Int, white: Int) {
    let total = unsafe counts.reduce(0 as UInt32, &+)
    let below = UInt32(truncatingIfNeeded: (UInt64(total) * UInt64(below)) >> 16)
    let above = UInt32(truncatingIfNeeded: (UInt64(total) * UInt64(above)) >> 16)
    var (black, white) = (0, 0)
    var before: UInt32 = 0
    for value in unsafe 0..<counts.count {
      let after = unsafe before &+ counts[counts.startIndex + value]
      if before <= below && after > below { black = value }
      if total &- before > above && total &- after <= above { white = value }
      before = after
    }
    return (black, white)
  }

  private static func stretched(_ value: Int, _ black: Int, _ white: Int, maximum: Int) -> Int {
    guard black < white else { return value }
    let range = white - black
    return (min(max(value - black, 0), range) * maximum + range / 2) / range
  }
}
