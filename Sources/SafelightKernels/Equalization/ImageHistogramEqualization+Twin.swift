internal import SafelightGPU
internal import SafelightImage

extension ImageHistogramEqualization {
  /// The twin of `equalization_transform.comp`.
  static func transformTwin(rule: Rule, entries: Int, planes: Int, sampleBits: Int) -> ShaderTwin {
    ShaderTwin { arguments in
      let placement = arguments.words(2)
      let first = Int(placement[0])
      let parts = (strength: placement[1], intensity: placement[2])
      let counts = unsafe arguments.buffer(0).withWords { words in
        (0..<planes).map { unsafe Array(words[(first + $0 * entries)..<(first + ($0 + 1) * entries)]) }
      }
      switch sampleBits {
      case 8: fill(UInt8.self, arguments.texture(1), counts, entries: entries, rule: rule, parts: parts)
      default: fill(UInt16.self, arguments.texture(1), counts, entries: entries, rule: rule, parts: parts)
      }
    }
  }

  private static func fill<Sample: FixedWidthInteger & UnsignedInteger & BitwiseCopyable>(
    _ type: Sample.Type, _ table: TextureMemory, _ counts: [[UInt32]], entries: Int, rule: Rule,
    parts: (strength: UInt32, intensity: UInt32)
  ) {
    let last: Int = (0..<entries).last { entry in counts.contains { $0[entry] > 0 } } ?? 0
    unsafe table.withMutableSamples(of: type) { table in
      for plane in 0..<4 {
        let outputs =
          plane < counts.count ? rule.table(counts[plane], maximum: UInt64(Sample.max), last: last, parts: parts) : nil
        for entry in 0..<(plane < counts.count ? entries : 0) {
          let output = outputs?[entry] ?? UInt64(entry)
          unsafe table[entry * 4 + plane] = Sample(truncatingIfNeeded: output)
          // Levels have two bytes.
          if rule == .ffmpeg { unsafe table[entry * 4 + 1] = Sample(truncatingIfNeeded: output >> 8) }
        }
        unsafe table[entries * 4 + plane] = outputs == nil ? 1 : 0
      }
    }
  }
}
