internal import SafelightGPU
public import SafelightImage
internal import SafelightKernels

/// One way of calling a kernel, which must give the same bytes on every device.
public struct ConformanceKernel: Sendable {
  /// The kernel's name: that of its filter, where it has one.
  public let name: String
  /// How it is called: `equalize=channels=luma, compute`.
  public let settings: String
  /// The formats of pictures that it takes.
  public let formats: [PixelFormat]
  /// Whether it takes pictures larger than a texture.
  let isTiled: Bool
  /// Whether it is defined for pictures of a size.
  package let isDefined: @Sendable (Size) -> Bool
  /// Makes the kernel anew, without memory of earlier pictures; what is returned records it for a scene.
  package let make: @Sendable (Device) throws -> (any KernelScene) throws -> Void

  package init(
    name: String, settings: String, formats: [PixelFormat], isTiled: Bool,
    isDefined: @escaping @Sendable (Size) -> Bool = { _ in true },
    make: @escaping @Sendable (Device) throws -> (any KernelScene) throws -> Void
  ) {
    self.name = name
    self.settings = settings
    self.formats = formats
    self.isTiled = isTiled
    self.isDefined = isDefined
    self.make = make
  }

  /// Every kernel, in the order of the catalogue.
  public static var all: [ConformanceKernel] {
    get throws { try catalogue.get() }
  }

  /// Made once: every example is read, and its filter asked what it takes.
  private static let catalogue = Result<[ConformanceKernel], any Error> {
    try FilterCatalogue.entries.flatMap { try $0.conformanceKernels } + withoutExample
  }

  /// The kernels that no example of a filter reaches.
  static var withoutExample: [ConformanceKernel] { matches + histograms + normalizedHistograms + renderers }

  /// The kernels that `selection` means: all of a name, or one call such as `saturation=2`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that names the nearest kernels.
  public static func kernels(_ selection: String) throws -> [ConformanceKernel] {
    let named = try all.filter { $0.name == selection }
    if !named.isEmpty { return named }
    if FilterCatalogue.descriptions.contains(where: { selection.hasPrefix($0.name + "=") }) {
      return try FilterSyntax.parse(selection, catalogue: FilterCatalogue.descriptions).flatMap { call in
        try FilterCatalogue.entry(call).conformanceKernels(call)
      }
    }
    let names = try Set(all.map(\.name)).sorted()
    let nearest = NearestNames.find(selection, among: names)
    throw SafelightError(
      .usage, "unknown kernel '\(selection)'",
      why: nearest.isEmpty
        ? "no name is near; the kernels are \(names.joined(separator: ", "))"
        : "the nearest that exists is \(alternatives(nearest))", remedy: "use one of them")
  }
}
