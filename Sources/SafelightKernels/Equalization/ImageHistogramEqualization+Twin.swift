internal import SafelightGPU
internal import SafelightImage

extension ImageHistogramEqualization {
  /// The twin of `equalization_transform.comp`.
  static func transformTwin(rule: Rule, entries: Int, planes: Int, sampleBits: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let first = Int(arguments.words(2)[0])
      let counts = unsafe arguments.buffer(0).withWords { words in
        (0..<planes).map { unsafe Array(words[(first + $0 * entries)..<(first + ($0 + 1) * entries)]) }
      }
      switch sampleBits {
      case 8: fill(UInt8.self, arguments.texture(1), counts, entries: entries, rule: rule)
      default: fill(UInt16.self, arguments.texture(1), counts, entries: entries, rule: rule)
      }
    }
  }

  private static func fill<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ table: TextureMemory, _ counts: [[UInt32]], entries: Int, rule: Rule
  ) {
    let last: Int = (0..<entries).last { entry in counts.contains { $0[entry] > 0 } } ?? 0
    unsafe table.withMutableSamples(of: type) { table in
      for plane in 0..<4 {
        let outputs =
          plane < counts.count ? rule.table(counts[plane], maximum: UInt64(Sample.max), last: last) : nil
        for entry in 0..<(plane < counts.count ? entries : 0) {
          unsafe table[entry * 4 + plane] = Sample(truncatingIfNeeded: outputs?[entry] ?? UInt64(entry))
        }
        unsafe table[entries * 4 + plane] = outputs == nil ? 1 : 0
      }
    }
  }
}
