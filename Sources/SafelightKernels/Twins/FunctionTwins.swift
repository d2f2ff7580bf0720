internal import SafelightGPU
internal import SafelightImage

extension ImagePassthrough {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "passthrough") { _, _, _ in twin }
  }
}

extension ImageSaturation {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "saturation") { _, arguments, _ in twin(arguments.words(2)) }
  }
}

extension ImageVibrance {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "vibrance") { _, arguments, _ in twin(arguments.words(2)) }
  }
}

extension ImageColorMatrix {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "color_matrix") { _, arguments, _ in twin(arguments.words(2)) }
  }
}

extension ImagePremultiply {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "premultiply") { format, _, _ in format.samplesPerPixel == 4 ? twin : nil }
  }
}

extension ImageUnpremultiply {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add(point: "unpremultiply") { format, _, _ in format.samplesPerPixel == 4 ? twin : nil }
  }
}

extension ImageYCbCrToRGB {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("ycbcr_to_rgb") { constants in
      let macros = FunctionMacros(constants)
      return ShaderTwin { arguments in
        guard let isPlanar = macros[isSet: "PLANAR"], let hasAlpha = macros[isSet: "HAS_ALPHA"],
          let conversion = YCbCrToRGBTwin(arguments, isPlanar: isPlanar, hasAlpha: hasAlpha)
        else { throw FunctionMacros.fault("ycbcr_to_rgb") }
        conversion.run()
      }
    }
  }
}

extension ImageRGBToYCbCr {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("rgb_to_ycbcr") { _ in
      ShaderTwin { arguments in
        guard let conversion = RGBToYCbCrTwin(arguments) else { throw FunctionMacros.fault("rgb_to_ycbcr") }
        conversion.run()
      }
    }
  }
}

extension ImageHistogram {
  static func addTwins(to twins: inout TwinLibrary) {
    for form in HistogramForm.allCases where form != .automatic {
      twins.add("histogram_\(form.rawValue)") { constants in
        let macros = FunctionMacros(constants)
        return ShaderTwin { arguments in
          guard let twin = checkedTwin(macros, arguments) else {
            throw FunctionMacros.fault("histogram_\(form.rawValue)")
          }
          try twin.run(arguments)
        }
      }
    }
  }

  /// Nil where the area, the buffer or the macros do not go together.
  private static func checkedTwin(_ macros: FunctionMacros, _ arguments: TwinArguments) -> ShaderTwin? {
    let source = arguments.texture(0)
    let format = source.pixelFormat
    let words = arguments.words(2)
    guard let planes = macros["PLANES", 1...format.samplesPerPixel], let bins = macros.bins(arguments, format),
      let countsLuma = macros[isSet: "COUNTS_LUMA"], !countsLuma || format.samplesPerPixel == 4, words.count >= 5,
      words[..<4].allSatisfy({ $0 <= 1 << 20 }), format.bytesPerSample <= 2
    else { return nil }
    let area = Region(x: Int(words[0]), y: Int(words[1]), width: Int(words[2]), height: Int(words[3]))
    let count = unsafe arguments.buffer(1).withWords { $0.count }
    guard area.isInside(source.size), Int(words[4]) + planes * bins.entries <= count else { return nil }
    return twin(planes: planes, countsLuma: countsLuma, bins: bins, format: format)
  }
}

extension ImageHistogramEqualization {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("equalization_transform") { constants in
      let macros = FunctionMacros(constants)
      return ShaderTwin { arguments in
        let words = arguments.words(2)
        let count = unsafe arguments.buffer(0).withWords { $0.count }
        guard let entries = macros["ENTRIES", 256...65536], let planes = macros["PLANES", 1...4],
          let bits = macros["SAMPLE_BITS", 8...16],
          let rule = Rule.allCases.first(where: { $0.macro == macros["RULE", 0...3] }),
          rule.takes(entries: entries, sampleBits: bits), let first = words.first,
          Int(first) + planes * entries <= count,
          FunctionMacros.isTable(arguments.texture(1), entries: entries, sampleBits: bits)
        else { throw FunctionMacros.fault("equalization_transform") }
        try transformTwin(rule: rule, entries: entries, planes: planes, sampleBits: bits).run(arguments)
      }
    }
    twins.add(point: "equalization_apply") { format, arguments, macros in
      guard let planes = macros["PLANES", 1...4], let bins = macros.bins(arguments, format),
        let usesLuma = macros[isSet: "COUNTS_LUMA"], format.bytesPerSample <= 2,
        format.samplesPerPixel == 4 ? usesLuma || planes >= 3 : !usesLuma,
        FunctionMacros.isTable(arguments.texture(2), entries: bins.entries, sampleBits: format.bytesPerSample * 8)
      else { return nil }
      return applyTwin(bins: bins, planes: planes, usesLuma: usesLuma, format: format)
    }
  }
}
