public import SafelightGPU
public import SafelightImage

extension Device {
  /// Opens the device for a chain of filters, such as `equalize,saturation=1.2`, by the rule of the tool's `--device`.
  ///
  /// `auto` takes the fastest exact way: the first GPU that works; else the Swift twins, if every filter has one, which
  /// make the same bytes several times as fast as a software renderer; else a software renderer. ``Device/refusals``
  /// then has the reason why there is no GPU. Every other selector opens what it names. A platform in `options`, and
  /// shaders from the folder of `SAFELIGHT_SHADERS`, need OpenGL ES and rule the twins out.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a chain that does not exist, and those of
  ///   `Device.open(_:options:)`.
  public static func open(
    _ selector: DeviceSelector = .auto, for chain: String, options: DeviceOptions = DeviceOptions()
  ) throws -> Device {
    try open(selector, for: FilterSyntax.parse(chain, catalogue: FilterCatalogue.descriptions), options: options)
  }

  /// Opens the device for the filters of `calls`, by the same rule.
  public static func open(
    _ selector: DeviceSelector = .auto, for calls: [FilterCall], options: DeviceOptions = DeviceOptions()
  ) throws(SafelightError) -> Device {
    try open(selector, options: options, hasTwins: !FilterCatalogue.needsShaders(calls))
  }
}
