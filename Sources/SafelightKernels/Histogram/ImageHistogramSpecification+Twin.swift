internal import SafelightGPU
internal import SafelightImage

extension ImageHistogramSpecification {
  /// The twin of `specification_sums.comp`.
  static func sumsTwin(entries: Int, planes: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let placement = arguments.words(3)
      unsafe arguments.buffer(2).withWords { sums in
        for histogram in 0..<2 {
          unsafe arguments.buffer(histogram).withWords { words in
            for plane in 0..<planes {
              var sum: UInt32 = 0
              for entry in plane * entries..<(plane + 1) * entries {
                unsafe sum &+= words[Int(placement[histogram]) + entry]
                unsafe sums[histogram * planes * entries + entry] = sum
              }
            }
          }
        }
      }
    }
  }

  /// The twin of `specification_transform.comp`.
  static func transformTwin(bins: HistogramBins, planes: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let entries = bins.entries
      let sums = unsafe arguments.buffer(0).withWords { words in
        (0..<2 * planes).map { plane in unsafe Array(words[plane * entries..<(plane + 1) * entries]) }
      }
      let outputs = (0..<planes).map { plane in
        table(source: sums[plane], desired: sums[planes + plane])?.map { bins.value($0, plane: plane) }
      }
      unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { table in
        for plane in 0..<4 {
          let values = plane < planes ? outputs[plane] : nil
          for entry in 0..<entries {
            let stays = plane < planes ? UInt16(truncatingIfNeeded: entry) : 0
            unsafe table[entry * 4 + plane] = values.map { UInt16(truncatingIfNeeded: $0[entry]) } ?? stays
          }
          unsafe table[entries * 4 + plane] = values == nil ? 1 : 0
        }
      }
    }
  }

  /// The desired entry for each of the source's, from inclusive sums; nil where either histogram is empty.
  ///
  /// Each is searched for as the shader does, and differences wrap as they do there: sums that wrapped beyond 2³² fall.
  private static func table(source: [UInt32], desired: [UInt32]) -> [Int]? {
    guard let total = source.last, let desiredTotal = desired.last, total > 0, desiredTotal > 0 else { return nil }
    return source.map { sum in
      let wanted = UInt64(sum) * UInt64(desiredTotal)
      // At least one, so that the entry counts.
      let above = firstEntry(desired) { UInt64($0) * UInt64(total) < max(1, wanted) }
      let before = above == 0 ? 0 : desired[above - 1]
      guard before > 0 else { return above }
      let toLower = wanted &- UInt64(before) * UInt64(total)
      let toUpper = UInt64(desired[above]) * UInt64(total) &- wanted
      return toUpper < toLower ? above : firstEntry(desired) { $0 < before }
    }
  }

  /// The first entry whose sum is not below, which the last one's is not.
  @inline(__always)
  private static func firstEntry(_ sums: [UInt32], isBelow: (UInt32) -> Bool) -> Int {
    var entry = 0
    var step = sums.count / 2
    while step > 0 {
      if isBelow(sums[entry + step - 1]) { entry += step }
      step /= 2
    }
    return entry
  }
}
