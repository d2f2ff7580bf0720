package import SafelightGPU
internal import SafelightImage

extension TwinLibrary {
  /// The twins of the functions that several kernels share, for the variants that their macros describe; those of a
  /// kernel's own are added by its family.
  package static let shared: TwinLibrary = {
    var twins = TwinLibrary()
    RenderFunction.addTwins(to: &twins)
    HistogramFunction.addTwins(to: &twins)
    ExtremaFunction.addTwins(to: &twins)
    RangeFunction.addTwins(to: &twins)
    TemporalHistogram.addTwins(to: &twins)
    ImageHistogramEqualization.addTwins(to: &twins)
    ImageContrastLimitedEqualization.addTwins(to: &twins)
    ImageHistogramSpecification.addTwins(to: &twins)
    HistogramLookUp.addTwins(to: &twins)
    ImageYCbCrToRGB.addTwins(to: &twins)
    ImageRGBToYCbCr.addTwins(to: &twins)
    ImageLookup.addTwins(to: &twins)
    ImageContrastStretch.addTwins(to: &twins)
    ImageColorCube.addTwins(to: &twins)
    return twins
  }()

  /// Adds a twin that is made for one call, whose bindings and macros nobody has checked: `make` gets them where the textures, those
  /// that the twin stores into, the buffers and the bytes at these places are bound, and answers nil to what the kernel does not have.
  mutating func add(
    _ name: String, textures: [Int] = [], stored: [Int] = [], buffers: [Int] = [], bytes: [Int] = [],
    _ make: @escaping @Sendable (TwinArguments, FunctionMacros) throws -> ShaderTwin?
  ) {
    add(name) { constants in
      ShaderTwin { arguments in
        guard arguments.has(textures: textures, stored: stored, buffers: buffers, bytes: bytes),
          let twin = try make(arguments, FunctionMacros(constants))
        else { throw FunctionMacros.fault(name) }
        try twin.run(arguments)
      }
    }
  }

  /// Adds the twin of a point kernel, which serves both of its forms and reads the textures and bytes at these places beside the
  /// pictures; `make` gets the format of those. The twin gets bands of rows unless it must see the whole.
  mutating func add(
    point name: String, textures: [Int] = [], bytes: [Int] = [], worksInBands: Bool = true,
    _ make: @escaping @Sendable (PixelFormat, TwinArguments, FunctionMacros) -> PointFunction.Twin?
  ) {
    add(name, textures: [0] + textures, bytes: bytes) { arguments, macros in
      guard arguments.colorAttachment != nil || arguments.has(stored: [1]) else { return nil }
      let source = arguments.texture(0)
      let target = arguments.colorAttachment ?? arguments.texture(1)
      guard source.size == target.size, source.pixelFormat == target.pixelFormat,
        PixelFormat.pointFormats.contains(source.pixelFormat), let twin = make(source.pixelFormat, arguments, macros)
      else { return nil }
      let whole = worksInBands ? PointFunction.banded(twin) : twin
      return ShaderTwin { whole($0, $0.texture(0), $0.colorAttachment ?? $0.texture(1)) }
    }
  }
}

/// The macros of a function that comes from elsewhere than its kernel.
///
/// Nobody has checked what such a function is bound to, so its twin does before it trusts a size.
struct FunctionMacros: Sendable {
  private let values: [String: String]

  init(_ values: [String: String]) { self.values = values }

  /// A number of an expected range; nil where there is none.
  subscript(name: String, range: ClosedRange<Int>) -> Int? {
    values[name].flatMap { Int($0) }.flatMap { range.contains($0) ? $0 : nil }
  }

  /// A macro of 0 or 1.
  subscript(isSet name: String) -> Bool? { self[name, 0...1].map { $0 == 1 } }

  /// The rule by which samples are sorted into entries, its range from the block at 3.
  func bins(_ arguments: TwinArguments, sampleBits: Int) -> HistogramBins? {
    guard let entries = self["ENTRIES", 256...65536], let areValues = self[isSet: "BINS_ARE_VALUES"] else { return nil }
    if areValues {
      guard entries == 1 << sampleBits else { return nil }
      return HistogramBins(entries: entries, low: .zero, high: .zero, areValues: true)
    }
    guard arguments.has(bytes: [3]), arguments.words(3).count >= 8 else { return nil }
    let (low, high) = arguments.value((SIMD4<UInt32>, SIMD4<UInt32>).self, 3)
    for channel in 0..<4 where high[channel] <= low[channel] || high[channel] > 65536 { return nil }
    return HistogramBins(entries: entries, low: low, high: high, areValues: false)
  }

  /// Whether `texture` is a look-up table of `entries`.
  static func isTable(_ texture: TextureMemory, entries: Int) -> Bool {
    texture.size == Size(256, entries / 256 + 1) && texture.pixelFormat == .rgba16Uint
  }

  /// Whether `texture` has four channels of so many bits, and at least `size`.
  static func isTable(_ texture: TextureMemory, size: Size, sampleBits: Int) -> Bool {
    texture.size.width >= size.width && texture.size.height >= size.height
      && texture.pixelFormat.samplesPerPixel == 4
      && texture.pixelFormat.bytesPerSample * 8 == sampleBits
  }

  /// The error for macros and bindings that the kernel does not have.
  static func fault(_ function: String) -> SafelightError {
    SafelightError(
      .input, function, why: "its macros and bindings are none that the Swift twin knows",
      remedy: "replay it on a device with OpenGL ES, or give the function another name")
  }
}
