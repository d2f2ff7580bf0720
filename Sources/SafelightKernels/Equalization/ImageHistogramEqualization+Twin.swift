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
      let maximum: UInt64 = 1 << sampleBits - 1
      let last: Int = (0..<entries).last { entry in counts.contains { $0[entry] > 0 } } ?? 0
      unsafe arguments.texture(1).withMutableSamples(of: UInt16.self) { table in
        for plane in 0..<4 {
          let outputs =
            plane < planes ? rule.table(counts[plane], maximum: maximum, last: last, parts: parts) : nil
          for entry in 0..<(plane < planes ? entries : 0) {
            unsafe table[entry * 4 + plane] = UInt16(truncatingIfNeeded: outputs?[entry] ?? UInt64(entry))
          }
          unsafe table[entries * 4 + plane] = outputs == nil ? 1 : 0
        }
      }
    }
  }
}
