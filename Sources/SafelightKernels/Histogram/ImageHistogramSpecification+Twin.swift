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
        (0..<2 * planes).map { plane in unsafe words[plane * entries..<(plane + 1) * entries].map { UInt64($0) } }
      }
      let outputs = (0..<planes).map { plane in
        table(source: sums[plane], desired: sums[planes + plane])?.map { bins.value($0, plane: plane) }
      }
      if arguments.texture(1).pixelFormat.bytesPerSample == 1 {
        fill(UInt8.self, arguments.texture(1), outputs, entries: entries)
      } else {
        fill(UInt16.self, arguments.texture(1), outputs, entries: entries)
      }
    }
  }

  /// The desired entry for each of the source's, from inclusive sums; nil where either histogram is empty.
  ///
  /// Both sums rise, so that the desired entry never falls: one walk finds them all.
  private static func table(source: [UInt64], desired: [UInt64]) -> [Int]? {
    guard let total = source.last, let desiredTotal = desired.last, total > 0, desiredTotal > 0 else { return nil }
    // The entries that count, with their sums: products of two sums below 2³² fit into 64 bits.
    let counted = desired.indices.filter { desired[$0] > ($0 == 0 ? 0 : desired[$0 - 1]) }
    var place = 0
    return source.map { sum in
      let wanted = sum * desiredTotal
      while place + 1 < counted.count && desired[counted[place]] * total < wanted { place += 1 }
      guard place > 0 else { return counted[place] }
      let upper = desired[counted[place]] * total
      let lower = desired[counted[place - 1]] * total
      return wanted - lower <= upper - wanted ? counted[place - 1] : counted[place]
    }
  }

  private static func fill<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ table: TextureMemory, _ outputs: [[UInt32]?], entries: Int
  ) {
    unsafe table.withMutableSamples(of: type) { table in
      for plane in 0..<4 {
        let values = plane < outputs.count ? outputs[plane] : nil
        for entry in 0..<entries {
          let stays = plane < outputs.count ? Sample(truncatingIfNeeded: entry) : 0
          unsafe table[entry * 4 + plane] = values.map { Sample(truncatingIfNeeded: $0[entry]) } ?? stays
        }
        unsafe table[entries * 4 + plane] = values == nil ? 1 : 0
      }
    }
  }
}
