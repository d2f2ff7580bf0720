internal import SafelightGPU
internal import SafelightImage

extension ImageYCbCrToRGB {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("ycbcr_to_rgb", textures: [0, 1], bytes: [3]) { arguments, macros in
      guard let isPlanar = macros[isSet: "PLANAR"], let hasAlpha = macros[isSet: "HAS_ALPHA"],
        arguments.has(textures: (isPlanar ? [2] : []) + (hasAlpha ? [4] : [])),
        YCbCrToRGBTwin(arguments, isPlanar: isPlanar, hasAlpha: hasAlpha) != nil,
        macros.writesNormalized(arguments)
      else { return nil }
      return twin(isPlanar: isPlanar, hasAlpha: hasAlpha)
    }
  }
}

extension ImageRGBToYCbCr {
  static func addTwins(to twins: inout TwinLibrary) {
    twins.add("rgb_to_ycbcr", textures: [0], bytes: [1]) { arguments, macros in
      let isGray = arguments.texture(0).pixelFormat.samplesPerPixel == 1
      guard RGBToYCbCrTwin(arguments) != nil, macros[isSet: "SOURCE_IS_GRAY"] == isGray,
        macros.writesNormalized(arguments)
      else { return nil }
      return twin
    }
  }
}

extension FunctionMacros {
  /// Whether the function writes such samples as the target has.
  fileprivate func writesNormalized(_ arguments: TwinArguments) -> Bool {
    self[isSet: "TARGET_IS_NORMALIZED"] == (arguments.colorAttachment?.pixelFormat.sampleKind == .normalized)
  }
}
