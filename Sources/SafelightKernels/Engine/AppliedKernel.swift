package import SafelightGPU
package import SafelightImage

/// A kernel as a chain applies it: by the words that every filter takes, of which the kernel knows nothing.
package struct AppliedKernel: Sendable {
  /// The kernel, prepared, with the first of values over time.
  package let kernel: any PassKernel
  /// The kernel's call in a chain.
  let call: String
  /// The pixels of which a result stays, and statistics count; nil for all.
  private(set) var region: Region?
  /// True if a mask says how much of a result stays.
  package var isMasked = false
  /// The part of a result that stays, from 0 to 1.
  package var opacity = ParameterValue.number(1)
  /// The kernels of values over time.
  private var variation: Variation?

  /// Kernels that differ by a frame's index.
  private struct Variation: Sendable {
    /// The parameters with values over time and a verb, for messages: `left and right change`.
    let subject: String
    /// The indices of frames with values of their own, in ascending order.
    let indices: [Int]
    let kernel: @Sendable (Int) -> any PassKernel
  }

  /// The kernel with all of its results.
  package init(_ kernel: any PassKernel) { self.init(kernel, call: kernel.call) }

  /// Applies a kernel, which `call` names.
  package init(_ kernel: any PassKernel, call: String) { (self.kernel, self.call) = (kernel, call) }

  /// Keeps the pixels of a rectangle, `WxH+X+Y`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a text that is no rectangle, or one without pixels.
  package mutating func keep(_ region: String) throws(SafelightError) {
    self.region = try DrawnRegion(region, of: kernel.name).region
  }

  /// Sets values over time of the parameters `names`: `kernel` returns the kernel for the frame at an index, from 0.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for kernels whose numbers say when they have an effect.
  package mutating func vary(
    _ names: [String], by series: [ValueSeries], _ kernel: @escaping @Sendable (Int) -> any PassKernel
  ) throws(SafelightError) {
    try ensure(
      !(self.kernel is any TimedKernel), .usage, "filter '\(self.kernel.name)'",
      why: "it mixes frames by their positions itself, so nothing of it has values over time",
      remedy: "give each number one value")
    variation = Variation(
      subject: names.joined(separator: " and ") + (names.count == 1 ? " changes" : " change"),
      indices: Set(series.flatMap(\.indices)).sorted()
    ) { index in
      let made = kernel(index)
      guard var placed = made as? any PlacedKernel else { return made }
      placed.mayLieOutside = true
      return placed
    }
  }

  /// True if the call has no words and no values over time.
  var isPlain: Bool { region == nil && !isMasked && variation == nil && share(at: nil) == 65536 }
  /// True if each pixel depends only on the pixel at its place, wherever it is.
  var isPointwise: Bool { isPlain && kernel.isPointwise }
  /// The indices of frames with values of their own; none without values over time.
  var indices: [Int] { variation?.indices ?? [] }
  /// The parameters with values over time and a verb, for messages: `sigma changes`.
  var whatChanges: String { variation?.subject ?? "" }

  /// Returns the picture of which passes are made for `image`, with second pictures of `seconds`, for a frame at
  /// `position`. Frames with the same values have the same.
  func picture(
    _ image: ImageDescriptor, _ format: PixelFormat? = nil, seconds: [Size] = [], at position: Int? = nil
  ) -> PassPicture {
    let picture = kernel.picture(image, format, seconds: seconds, at: position)
    guard let first = indices.first, let last = indices.last else { return picture }
    // A picture that stands alone is the first.
    return PassPicture(
      image, format, secondSizes: picture.secondSizes, moment: min(max(position ?? 0, first), last))
  }

  /// Returns the kernel for a picture whose ``PassPicture/moment`` is given, or for the frame at a position.
  package func kernel(at moment: Int?) -> any PassKernel { variation.map { $0.kernel(moment ?? 0) } ?? kernel }

  /// Returns the same for so many second pictures.
  package func reading(_ count: Int) -> AppliedKernel {
    var applied = AppliedKernel(kernel.reading(count), call: call)
    (applied.region, applied.isMasked, applied.opacity) = (region, isMasked, opacity)
    applied.variation = variation.map { own in
      Variation(subject: own.subject, indices: own.indices) { own.kernel($0).reading(count) }
    }
    return applied
  }

  /// Returns the checked passes for `picture` on a device whose textures have at most `edge` columns and rows.
  package func plan(for picture: PassPicture, edge: Int) throws(SafelightError) -> PassPlan {
    try PassPlan([self], for: picture, edge: edge)
  }

  /// Makes the stage on `device`.
  package func makeStage(on device: Device, pipeline: PipelineKind) -> any ImageStage {
    PassStage([self], edge: device.capabilities.maximumTextureSize, pipeline: pipeline)
  }

  /// The part of a result that stays, in 65536ths.
  private func share(at moment: Int?) -> Int {
    guard case .number(let part) = opacity.value(at: moment ?? 0) else { return 65536 }
    return Int((part * 65536).rounded())
  }
}

// MARK: Passes

extension AppliedKernel {
  /// The passes of a kernel that is applied.
  struct Application {
    var passes: [Pass]
    /// The pixels of which numbers are made; nil for all.
    var counted: Region?
    /// True if the kernel's result is one that the last pass mixes, and the result is another.
    var isMixed = false
  }

  /// Returns the `passes` that the kernel makes of `picture`, with those by which only a part of its result stays.
  ///
  /// - Throws: ``SafelightError`` if the result, which is like `made`, cannot be mixed with the picture.
  func applied(
    _ passes: [Pass], of picture: PassPicture, to made: PassPicture
  ) throws(SafelightError) -> Application {
    let share = share(at: picture.moment)
    let keepsAll = region == nil && !isMasked && opacity == .number(1)
    if keepsAll { return Application(passes: passes) }
    try check(passes, of: picture.image, to: made.image)
    let whole = Region(size: picture.size)
    let part = region.map { $0.intersection(whole) }.flatMap { $0 == whole ? nil : $0 }
    var application = Application(passes: passes.parted(to: part ?? whole, of: whole), counted: part)
    guard passes.contains(where: \.output.resource.isResult) else { return application }
    guard isMasked || share < 65536 || opacity.series != nil else {
      if part != nil { application.passes.insert(.copy(), at: 0) }
      return application
    }
    application.isMixed = true
    if part != nil {
      var copy = Pass.copy()
      copy.output = .result(1)
      application.passes.append(copy)
    }
    let mask = isMasked ? [Pass.Input("mask", .mask, .pixel)] : []
    var mixture = Pass(
      MixtureFunction(isMasked: isMasked), uniforms: [UInt32(share)],
      inputs: [Pass.Input("made", .result(0), .pixel), .source(.pixel, named: "picture")] + mask, output: .result(1))
    mixture.area = part
    application.passes.append(mixture)
    return application
  }

  /// Checks that a result like `made` can stand beside pixels of its picture, which is like `image`.
  private func check(
    _ passes: [Pass], of image: ImageDescriptor, to made: ImageDescriptor
  ) throws(SafelightError) {
    let words = [
      region.map { _ in "region" }, isMasked ? "mask" : nil, opacity == .number(1) ? nil : "opacity",
    ].compactMap { $0 }.joined(separator: " and ")
    func require(_ condition: Bool, _ why: String, _ remedy: String) throws(SafelightError) {
      try ensure(condition, .unsupported, "filter '\(kernel.name)'", why: why, remedy: remedy)
    }
    try require(
      made.size == image.size, "it makes \(made.size) of \(image.size), and \(words) keeps pixels of both",
      "leave \(words) out")
    try require(
      made == image,
      "its result has another meaning or other channels than its picture, and \(words) keeps pixels of "
        + "both", "leave \(words) out, or convert the frames before it")
    if let region {
      try DrawnRegion.check(region, in: image, of: kernel.name, "its region of \(region)")
      try require(
        !passes.contains { $0.kind == .threadgroups && $0.inputs.contains { $0.resource == .picture } },
        "it counts in tiles of whole frames", "crop the frames before it, or use a mask")
    }
    try require(
      region != nil && words == "region" || !(kernel is any ReductionKernel),
      "it only measures, and makes no picture to mix", "leave \(words) out, or measure a region")
  }
}

extension [Pass] {
  /// Returns the passes by which only the pixels of `part` of results are made, of pictures of the size of `whole`;
  /// those on which none of them depends are left out.
  fileprivate func parted(to part: Region, of whole: Region) -> [Pass] {
    if part == whole { return self }
    var parted = compactMap { pass -> Pass? in
      guard pass.output.resource.isResult else { return pass }
      var pass = pass
      let area = (pass.area ?? whole).intersection(part)
      pass.area = area
      return area.size.isEmpty ? nil : pass
    }
    while true {
      let read = Set(parted.flatMap(\.inputs).map(\.resource))
      let rest = parted.filter { pass in
        if case .temporary = pass.output.resource { read.contains(pass.output.resource) } else { true }
      }
      if rest.count == parted.count { return rest }
      parted = rest
    }
  }
}
