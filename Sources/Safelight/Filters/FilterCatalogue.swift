internal import SafelightGPU
internal import SafelightImage
package import SafelightKernels

/// Every filter there is: what it says of itself, and how it is made.
public enum FilterCatalogue {
  /// The descriptions, in the order in which they are listed.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  package struct Entry: Sendable {
    package let description: FilterDescription
    /// Calls that together reach every branch of the filter's functions: what conformance runs.
    package let examples: [String]
    /// Mistakes in its shaders that conformance must find.
    package var defects: [KernelDefect] = []
    /// The formats of pictures that it takes.
    var formats = PixelFormat.pointFormats
    /// The forms that its functions have.
    var forms = [KernelForm.render, .compute]
    let make: @Sendable (FilterCall, Device, KernelForm) throws -> any ImageStage
  }

  /// The entry of a call.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a name that does not exist.
  static func entry(_ call: FilterCall) throws -> Entry {
    let description = try FilterSyntax.filter(named: call.name, in: descriptions)
    guard let entry = entries.first(where: { $0.description == description }) else {
      trap("filter '\(call.name)' is described but not in the catalogue; add its entry")
    }
    return entry
  }

  package static let entries: [Entry] = [
    equalize, clahe, match,
    // How light or dark each pixel is.
    Entry(ImageLevels.self), Entry(ImageGamma.self), Entry(ImageExposure.self), Entry(ImageBrightnessContrast.self),
    curves, lookup, stretch, Entry(ImageThreshold.self), Entry(ImagePosterize.self), Entry(ImageInvert.self),
    // How red, green and blue are mixed.
    Entry(ImageSaturation.self), Entry(ImageVibrance.self), Entry(ImageGray.self), Entry(ImageHue.self),
    Entry(ImageWhiteBalance.self), Entry(ImageColorMatrix.self), Entry(ImageChannelMix.self),
    Entry(ImageChannelSwap.self),
    // What samples mean.
    Entry(ImageSRGBToLinear.self), Entry(ImageLinearToSRGB.self), Entry(ImagePremultiply.self),
    Entry(ImageUnpremultiply.self), yCbCr,
    Entry(ImagePassthrough.self),
  ]
}

extension FilterCatalogue.Entry {
  /// A kernel as a filter.
  init<Kernel: ImageKernel>(_ kernel: Kernel.Type) {
    let card = Kernel.card
    self.init(
      description: FilterDescription(
        name: card.name, summary: card.summary, discussion: card.discussion,
        parameters: card.parameters.map(\.parameter)),
      examples: card.examples, defects: card.defects, formats: Kernel.formats, forms: Kernel.forms
    ) { call, device, form in
      var kernel = Kernel()
      for (binding, argument) in zip(card.parameters, call.arguments) { binding.set(&kernel, argument.value) }
      try kernel.check()
      return try kernel.makeStage(on: device, form: form)
    }
  }
}
