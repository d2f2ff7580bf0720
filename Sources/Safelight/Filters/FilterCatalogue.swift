public import SafelightGPU
internal import SafelightImage
public import SafelightKernels
internal import Synchronization

/// All filters: their descriptions, and how they are made.
public enum FilterCatalogue {
  /// The descriptions, in the order of listings.
  public static let descriptions: [FilterDescription] = entries.map(\.description)

  package struct Entry: Sendable {
    package let description: FilterDescription
    /// The calls that conformance runs; together they reach every branch of the filter's functions.
    package let examples: [String]
    let formats: [PixelFormat]
    let pipelines: [PipelineKind]
    package let make: @Sendable (FilterCall, Device, PipelineKind) throws -> any ImageStage
    /// Returns the kernel of a call.
    package let kernel: @Sendable (FilterCall) throws -> any ImageKernel
    /// Returns the kernel of a call, with what its files hold, and with the words of the call; nil if it is none of
    /// passes.
    package let applied: @Sendable (FilterCall) throws -> AppliedKernel?
  }

  /// Returns the entry of a call.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a name that does not exist.
  package static func entry(_ call: FilterCall) throws -> Entry {
    if let entry = entries.first(where: { $0.description.name == call.name }) { return entry }
    throw UnknownName.filter(call.name, catalogue: descriptions.map(\.name))
  }

  /// Returns true if a filter of the chain has no Swift twin and needs a device with OpenGL ES.
  public static func needsShaders(_ calls: [FilterCall]) -> Bool {
    calls.contains { $0.name == ShaderFilter.card.name }
  }

  /// Returns warnings of the files that `calls` name, for frames of these `names`.
  ///
  /// - Throws: ``SafelightError`` if such a file cannot be read.
  package static func warnings(of calls: [FilterCall], for names: [String]) throws -> [String] {
    try SequenceTables.warnings(of: calls, for: names) + LookupFilter.warnings(of: calls)
      + TextFilter.warnings(of: calls, for: names)
  }

  /// Adds a kernel of another package, which chains, help, conformance and benchmarks then know by its card's name.
  /// Call this before the catalogue is first read; its filters do not change from then on.
  public static func add(_ kernel: any ImageKernel.Type) {
    added.withLock { added in
      trap(
        unless: !added.isRead, "\(kernel) was added after the catalogue was read; add kernels where the program begins")
      added.kernels.append(kernel)
    }
  }

  /// Returns a name that two of `kernels` have, or one of them and a filter of this package; nil if there is none.
  package static func repeatedName(adding kernels: [any ImageKernel.Type]) -> String? {
    var names: Set<String> = []
    return (Self.kernels + kernels).lazy.map { Entry($0).description.name }.first { !names.insert($0).inserted }
  }

  /// The kernels of other packages, and true once the catalogue was read.
  private static let added = Mutex<(kernels: [any ImageKernel.Type], isRead: Bool)>(([], false))

  package static let entries: [Entry] = {
    let entries = all.map { Entry($0) }
    var names: Set<String> = []
    for name in entries.map(\.description.name) {
      trap(
        unless: names.insert(name).inserted, "there are two filters '\(name)'; give the one that was added another name"
      )
    }
    return entries
  }()

  /// All kernels: those of this package, then those of other packages.
  fileprivate static let all: [any ImageKernel.Type] =
    kernels
    + added.withLock { added in
      added.isRead = true
      return added.kernels
    }

  /// The kernels of this package, in the order of listings.
  private static let kernels: [any ImageKernel.Type] = [
    EqualizeFilter.self, ImageContrastLimitedEqualization.self, MatchFilter.self,
    // Tone.
    ImageLevels.self, ImageGamma.self, ImageExposure.self, ImageBrightnessContrast.self, CurvesFilter.self,
    LookupFilter.self, ImageContrastStretch.self, ImageThreshold.self, ImagePosterize.self, ImageInvert.self,
    // Color.
    ImageSaturation.self, ImageVibrance.self, ImageGray.self, ImageHue.self, ImageWhiteBalance.self,
    ImageColorMatrix.self, ImageChannelMix.self, ImageChannelSwap.self,
    // Geometry.
    ImageCrop.self, ImagePad.self, ImageResize.self, ImageFlip.self, ImageRotate.self, ImageTranspose.self,
    ImageOrient.self, ImageAffine.self, ImagePerspective.self, ImageUndistort.self, RemapFilter.self,
    // Drawing.
    ImageRectangle.self, ImageBorder.self, ImageLine.self, TextFilter.self, ImageRedact.self,
    // Two pictures.
    OverFilter.self, ImageBlend.self, ImageAdd.self, ImageSubtract.self, ImageMultiply.self, ImageDivide.self,
    ImageAbsoluteDifference.self, ImageMinimum.self, ImageMaximum.self, ImageAverage.self, ImageCrossfade.self,
    ImageSideBySide.self, ImageMontage.self,
    // Neighborhoods.
    ImageBilateralFilter.self, ImageBox.self, ImageGaussianBlur.self, ImageMedian.self, ImageSobel.self,
    // Statistics.
    ImageMean.self,
    // The meaning of samples.
    ImageSRGBToLinear.self, ImageLinearToSRGB.self, ImagePremultiply.self, ImageUnpremultiply.self, YCbCrFilter.self,
    ImagePassthrough.self,
    // Shaders of users.
    ShaderFilter.self,
  ]
}

extension FilterCatalogue.Entry {
  /// Returns the kernel of a call, with what its files hold; nil if it is none of passes.
  package func passKernel(_ call: FilterCall) throws -> (any PassKernel)? {
    try (kernel(call) as? any PassKernel)?.prepared()
  }

  package init<Kernel: ImageKernel>(_ kernel: Kernel.Type) {
    let card = Kernel.card
    trap(
      unless: card.secondPicture == nil || Kernel.self is any PassKernel.Type,
      "'\(card.name)' has a second picture, which only kernels of passes read; make it a PassKernel")
    // Sets all values, or those at an index of the values that change over time.
    @Sendable func set(_ arguments: [FilterCall.Argument], of kernel: inout Kernel, at index: Int? = nil) {
      for (binding, argument) in zip(card.parameters, arguments) where index == nil || argument.value.series != nil {
        binding.set(&kernel, argument.value.value(at: index ?? 0))
      }
      // The parameters behind the file are those that it declares.
      if var shader = kernel as? ShaderFilter {
        shader.values = arguments.dropFirst(card.parameters.count).map { $0.value.value(at: index ?? 0) }
        if let shader = shader as? Kernel { kernel = shader }
      }
    }
    let kernel: @Sendable (FilterCall) throws -> Kernel = { call in
      var kernel = Kernel()
      set(call.arguments, of: &kernel)
      let count = call.seconds == [""] ? 0 : call.seconds.count
      if let reading = (kernel as? any PassKernel)?.reading(count) as? Kernel { kernel = reading }
      try kernel.check()
      return kernel
    }
    let applied: @Sendable (FilterCall) throws -> AppliedKernel? = { call in
      guard let prepared = try (kernel(call) as? any PassKernel)?.prepared() else { return nil }
      return try call.applied(prepared) { index in
        guard var own = prepared as? Kernel else { return prepared }
        set(call.arguments, of: &own, at: index)
        return own as? any PassKernel ?? prepared
      }
    }
    self.init(
      description: FilterDescription(card), examples: card.examples, formats: Kernel.formats,
      pipelines: Kernel.pipelines,
      make: { call, device, pipeline in
        guard call.isApplied else { return try kernel(call).makeStage(on: device, pipeline: pipeline) }
        let hasTable = (try kernel(call) as? EqualizeFilter)?.table.isEmpty == false
        guard !hasTable, let applied = try applied(call) else {
          throw SafelightError(
            .usage, "filter '\(call.name)'", why: "its tables of frames are made already, for all of each frame",
            remedy: "leave out the table, or region, mask, opacity and values over time")
        }
        try (applied.kernel as? ShaderFilter)?.compile(on: device, pipeline: pipeline)
        return applied.makeStage(on: device, pipeline: pipeline)
      }, kernel: kernel, applied: applied)
  }
}

extension TwinLibrary {
  /// The twins of the functions of all kernels, for captures.
  public static let kernels: TwinLibrary = {
    var twins = TwinLibrary()
    twins.passes = { origin, text, arguments in
      guard let origin = PassOrigin(origin) else { return nil }
      guard let calls = try? FilterSyntax.parse(origin.call, catalogue: FilterCatalogue.descriptions) else {
        return origin.twinOfCall(text: text, arguments: arguments)
      }
      let kernels = calls.compactMap { call in
        try? FilterCatalogue.entry(call).applied(call)
      }
      guard kernels.count == calls.count else { return nil }
      return origin.twin(of: kernels, text: text, arguments: arguments)
    }
    return twins
  }()
}
