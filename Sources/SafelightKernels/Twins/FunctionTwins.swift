internal import SafelightGPU
internal import SafelightImage

extension ImageHistogramEqualization {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("equalization_transform", stored: [1], buffers: [0], bytes: [2]) { arguments, macros in
      let words = arguments.words(2)
      let count = unsafe arguments.buffer(0).withWords { $0.count }
      guard let entries = macros["ENTRIES", 256...65536], let planes = macros["PLANES", 1...4],
        let bits = macros["SAMPLE_BITS", 8...16],
        let rule = Rule.allCases.first(where: { $0.macro == macros["RULE", 0...4] }),
        rule.takes(entries: entries, sampleBits: bits), let first = words.first,
        rule != .ffmpeg || (planes == 1 && words.count >= 3 && words[1...2].allSatisfy { $0 <= 1000 }),
        Int(first) + planes * entries <= count,
        FunctionMacros.isTable(arguments.texture(1), entries: entries)
      else { return nil }
      return transformTwin(rule: rule, entries: entries, planes: planes, sampleBits: bits)
    }
  }
}
