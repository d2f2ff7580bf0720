internal import SafelightGPU
internal import SafelightImage

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
