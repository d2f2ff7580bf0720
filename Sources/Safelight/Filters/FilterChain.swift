public import SafelightGPU
public import SafelightImage
public import SafelightKernels

/// Filters one after the other, made for one device.
public struct FilterChain: Sendable {
  /// The filters as they were called, every parameter spelled out.
  public let calls: [FilterCall]

  package var filters: [any ImageStage]
  /// SHA-256 of the calls and of what is in the files that they name.
  let hash: [UInt8]

  /// Reads a chain such as `equalize=channels=luma,saturation=amount=1.2` and makes its filters on `device`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public init(parsing text: String, device: Device, form: KernelForm = .automatic) throws {
    try self.init(FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions), device: device, form: form)
  }

  /// Makes the filters of `calls` on `device`; `form` is that of all point kernels.
  public init(_ calls: [FilterCall], device: Device, form: KernelForm = .automatic) throws {
    self.calls = calls
    filters = try calls.map { try FilterCatalogue.entry($0).make($0, device, form) }
    // Behind what says that a call makes no sense, which may name a file that is not there.
    hash = try FrameRecipe.hash(of: calls)
  }

  /// True where every filter leaves all samples as they are.
  public var isPassthrough: Bool { calls.allSatisfy { $0.name == "passthrough" } }

  /// How many pictures before its own a picture's result depends on.
  public var history: Int { filters.reduce(0) { $0 + $1.history } }

  /// Returns the size, the format and the meaning of what a picture like `image` becomes.
  ///
  /// - Throws: ``SafelightError`` of the kind `unsupported` or `limit` if a stage is not defined for what the one
  /// before
  /// makes.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try plan(image).last ?? image
  }

  /// What each stage makes of pictures like `image`.
  func plan(_ image: ImageDescriptor) throws(SafelightError) -> [ImageDescriptor] {
    var made = image
    var plan: [ImageDescriptor] = []
    for filter in filters {
      made = try filter.output(of: made)
      plan.append(made)
    }
    return plan
  }

  /// True where each pixel of a result depends on the pixel at its place alone.
  var isPointwise: Bool { filters.allSatisfy { $0.reach == .pixel && $0.history == 0 } }

  /// Forgets the pictures before: the next is the first.
  public func reset() {
    for filter in filters { filter.reset() }
  }
}
