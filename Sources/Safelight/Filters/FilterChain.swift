package import SafelightFrames
public import SafelightGPU
public import SafelightImage
public import SafelightKernels

/// A sequence of filters, made for one device.
public struct FilterChain: Sendable {
  /// The filters' calls, with every parameter.
  public let calls: [FilterCall]

  /// The filters, of which those that can be joined are one.
  package var filters: [any ImageStage]
  /// The second pictures, masks and chosen frames that calls name, by the numbers of their filters among ``filters``.
  private let companions: [Int: Companions]
  /// SHA-256 of the calls and of the contents of the files and folders that they name.
  let hash: [UInt8]

  /// The second pictures, the mask and the chosen frames that a call names.
  private struct Companions {
    let filter: String
    var seconds: [SecondPictures]
    var mask: SecondPictures?
    /// The frames on which the filter works; nil for all.
    var frames: FrameSelection?

    /// The second pictures and the mask.
    var pictures: [SecondPictures] { seconds + [mask].compactMap { $0 } }

    func isFor(_ frame: FrameIdentity) -> Bool { frames?.contains(frame.position ?? 0) ?? true }
  }

  /// Reads a chain such as `equalize=channels=luma,saturation=amount=1.2` and makes its filters on `device`.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public init(parsing text: String, device: Device, pipeline: PipelineKind = .automatic) throws {
    try self.init(FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions), device: device, pipeline: pipeline)
  }

  /// Reads a chain whose filters may lack `with`: whoever has a picture processed gives their second pictures, as to
  /// ``FrameProcessor/process(_:with:label:)``.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for names and values that do not exist, naming the nearest that do.
  public init(parsing text: String, givenSecondsOn device: Device, pipeline: PipelineKind = .automatic) throws {
    try self.init(
      FilterSyntax.parse(text, catalogue: FilterCatalogue.descriptions), device, pipeline, unnamedSeconds: .given)
  }

  /// Makes the filters of `calls` on `device`, with point kernels in the given pipeline.
  ///
  /// - Throws: ``SafelightError`` of what the filters read, and of kind `usage` if a filter's second picture is
  ///   missing.
  public init(_ calls: [FilterCall], device: Device, pipeline: PipelineKind = .automatic) throws {
    try self.init(calls, device, pipeline)
  }

  /// Where second pictures come from that a call does not name.
  package enum UnnamedSeconds {
    /// From nowhere: the call is refused.
    case refused
    /// From whoever has a picture processed.
    case given
    /// From whoever encodes the filter.
    case encoded
  }

  /// Makes the filters of `calls`; unless `joins`, each stays for itself, which gives the same pictures.
  package init(
    _ calls: [FilterCall], _ device: Device, _ pipeline: PipelineKind, unnamedSeconds: UnnamedSeconds = .refused,
    joins: Bool = true
  ) throws {
    self.calls = calls
    var filters: [any ImageStage] = []
    var companions: [Int: Companions] = [:]
    let made = try calls.map { try FilterCatalogue.entry($0).make($0, device, pipeline) }
    for (call, filter) in zip(calls, made) {
      let frames = try call.frames
      if joins, frames == nil, companions[filters.count - 1]?.frames == nil,
        let joined = filters.last?.joined(with: filter)
      {
        filters[filters.count - 1] = joined
        continue
      }
      filters.append(filter)
      let edge = device.capabilities.maximumTextureSize
      let seconds = try SecondPictures.all(of: call, edge: edge, unnamed: unnamedSeconds)
      let mask = try SecondPictures.mask(of: call, edge: edge, unnamed: unnamedSeconds)
      if !seconds.isEmpty || mask != nil || frames != nil {
        companions[filters.count - 1] = Companions(
          filter: call.name, seconds: seconds, mask: mask, frames: frames)
      }
    }
    self.filters = filters
    self.companions = companions
    // After the filters are made, so that their errors about the call come before those about a missing file.
    hash = try FrameRecipe.hash(of: calls)
  }

  private init(
    _ calls: [FilterCall], _ filters: [any ImageStage], _ companions: [Int: Companions], hash: [UInt8]
  ) {
    (self.calls, self.filters, self.companions, self.hash) = (calls, filters, companions, hash)
  }

  /// Returns the chain for pictures stored as `orientation` says, which it makes upright before all else. What filters
  /// keep from frame to frame is that of this chain.
  func turning(_ orientation: Orientation, on device: Device) throws -> FilterChain {
    let turn = try FilterCall(ImageOrient(device: device, orientation: orientation))
    let filter = try FilterCatalogue.entry(turn).make(turn, device, .automatic)
    if isPassthrough { return FilterChain([turn], [filter], [:], hash: hash) }
    let behind = Dictionary(uniqueKeysWithValues: companions.map { ($0 + 1, $1) })
    return FilterChain([turn] + calls, [filter] + filters, behind, hash: hash)
  }

  /// True if every filter leaves all samples unchanged.
  public var isPassthrough: Bool { calls.allSatisfy { $0.name == "passthrough" } }
  /// The number of earlier pictures on which a picture's result depends.
  public var history: Int { filters.reduce(0) { $0 + $1.history } }

  /// Returns the size, the format and the meaning of the result for a picture like `image`.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` or `limit` if a filter is not defined for the output of the one
  ///   before.
  public func output(of image: ImageDescriptor) throws(SafelightError) -> ImageDescriptor {
    try plan(image).last ?? image
  }

  /// Returns what each filter makes of pictures like `image`.
  func plan(_ image: ImageDescriptor) throws(SafelightError) -> [ImageDescriptor] {
    var plan: [ImageDescriptor] = []
    for (number, filter) in filters.enumerated() {
      let source = plan.last ?? image
      let made = try filter.output(of: source)
      if let own = companions[number], own.frames != nil {
        try ensure(
          made == source, .unsupported, "filter '\(own.filter)'",
          why:
            "its results have another size, other channels or another meaning than the frames that frames= leaves out",
          remedy: "leave frames out, or process those frames in a run of their own")
      }
      plan.append(made)
    }
    return plan
  }

  /// Returns the shape of a result's pixels, if those of a picture like `image` have the shape `aspect`.
  ///
  /// As ffmpeg's `scale` does, filters that change columns and rows unevenly change it, so that the picture is shown
  /// with the same proportions; a turn exchanges its sides, and a shape that is not stated stays so.
  package func pixelAspect(
    of image: ImageDescriptor, _ aspect: PixelAspect?
  ) throws(SafelightError) -> PixelAspect? {
    guard var shape = aspect else { return nil }
    for (filter, source) in zip(filters, [image] + (try plan(image))) {
      shape = shape.scaled(from: source.size, to: filter.scaledSize(of: source.size))
      if try filter.exchangesAxes(of: source) { shape = PixelAspect(shape.height, shape.width) }
    }
    return shape
  }

  /// True if the results are upright as they are stored.
  package var makesUpright: Bool { filters.contains(where: \.makesUpright) }

  /// True if a result depends on its frame's position in the sequence.
  package var dependsOnPosition: Bool {
    filters.contains(where: \.dependsOnPosition) || secondSequences.contains(where: \.isSequence)
      || companions.values.contains { $0.frames != nil }
  }

  /// The second pictures and masks, in the order of the filters and of each call.
  var secondSequences: [SecondPictures] { companions.sorted { $0.key < $1.key }.flatMap(\.value.pictures) }

  /// True if a result depends on the name of its frame's file or film, or on its number there.
  var dependsOnName: Bool { filters.contains(where: \.dependsOnName) }

  /// Returns what each filter reads besides its picture, for `frame` or a part of it; `images` are its picture and
  /// those that the filters make, and `given` the second pictures that no call names. Several calls may be made at
  /// once, in any order.
  ///
  /// - Throws: ``SafelightError`` if a filter has nothing for this frame, or a second picture that does not suit it.
  func inputs(
    for frame: FrameIdentity, of images: [ImageDescriptor], given: [Image] = []
  ) throws -> [StageInput?] {
    let places = secondSequences.count(where: \.isGiven)
    try ensure(
      given.count == places, .usage, frame.name,
      why: "\(given.count) second \(given.count == 1 ? "picture is" : "pictures are") given, and the filters take "
        + "\(places)",
      remedy: "give one for each with that the chain leaves out")
    var rest = given[...]
    return try filters.enumerated().map { number, filter in
      let image = images[number]
      guard let own = companions[number] else { return try filter.input(for: frame, like: image) }
      let given = own.seconds.map { $0.isGiven ? rest.popFirst() : nil }
      guard own.isFor(frame) else { return .unchanged }
      if own.seconds.isEmpty, own.mask == nil { return try filter.input(for: frame, like: image) }
      // The second picture goes into the result, so its alpha has the same meaning.
      let isPremultiplied = images[number + 1].color.alpha == .premultiplied
      let pictures = try zip(own.seconds, given).compactMap { second, given in
        try second.texture(for: frame, like: image, isPremultiplied: isPremultiplied, given: given)
      }
      let ownPictures = own.seconds.isEmpty ? try filter.input(for: frame, like: image)?.pictures : nil
      let mask = try own.mask?.texture(for: frame, like: image, isPremultiplied: false)
      let input = StageInput.pictures(ownPictures ?? pictures, mask: mask, position: frame.position)
      try (filter as? any BandedStage)?.check(image, beside: input)
      return input
    }
  }

  /// Checks that the frames on which filters work, and second pictures, go with the frames of `sequence`, none of which
  /// lies behind `last`; a film has none.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if a sequence ends before, or lacks other numbers, and of kind
  ///   `missingInput` if there are no such frames.
  package func check(_ sequence: [Frame], upTo last: Int) throws(SafelightError) {
    if let end = sequence.map(\.index).max() {
      for own in companions.values { try own.frames?.check(count: end + 1) }
      for call in calls { try call.checkSeries(upTo: end) }
    }
    for second in secondSequences { try second.check(sequence, upTo: last) }
  }

  /// True if a run may go on after the last frame.
  var goesOn: Bool { secondSequences.contains(where: \.goesOn) }

  /// Returns the number of frames of a run over `count` frames, of which the last stands for those that follow.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if there are too few frames.
  func count(after count: Int) throws(SafelightError) -> Int {
    var whole = count
    for second in secondSequences { whole = try second.count(after: whole) }
    return whole
  }

  /// Checks that the second pictures of the frame at `position`, which is like `image`, suit it; of files the beginning
  /// is read.
  ///
  /// - Throws: ``SafelightError`` of kind `unsupported` if one does not.
  func checkSeconds(of image: ImageDescriptor, at position: Int) throws(SafelightError) {
    guard !companions.isEmpty, let plan = try? plan(image) else { return }
    for (number, picture) in ([image] + plan).dropLast().enumerated() {
      guard let own = companions[number], own.frames?.contains(position) ?? true else { continue }
      for second in own.pictures { try second.check(picture, at: position) }
    }
  }

  /// Forgets earlier pictures, so that the next is the first.
  public func reset() {
    for filter in filters { filter.reset() }
  }
}

/// A filter with a value for each of its parameters, all inside their limits.
public struct FilterCall: Hashable, Sendable, CustomStringConvertible {
  /// A parameter and its value.
  public struct Argument: Hashable, Sendable {
    /// The parameter's name.
    public let name: String
    /// Its value.
    public let value: ParameterValue
  }

  /// The filter's name.
  public let name: String
  /// All parameters of the filter, in the order of its description.
  public let arguments: [Argument]
  /// The words that every filter takes and that the call gives, in the order of ``FilterWords/parameters``.
  public let words: [Argument]

  /// The second pictures that it names, an empty text for each that it leaves out.
  package var seconds: [String] {
    arguments.compactMap { argument in
      if argument.name == "with", case .text(let path) = argument.value { path } else { nil }
    }
  }

  /// Returns the value of a parameter, the first if several are given; nil if the filter has none of that name.
  public subscript(_ parameter: String) -> ParameterValue? { arguments.first { $0.name == parameter }?.value }

  /// The files that it reads, also those of folders and sequences, without `data:` addresses.
  public var files: [String] {
    let filter = FilterCatalogue.descriptions.first { $0.name == name }
    let paths = arguments.compactMap { argument in
      if filter?.parameter(argument.name)?.isPath ?? false, case .text(let path) = argument.value { path } else { nil }
    }
    // The filter reports what cannot be listed.
    return (paths + [mask ?? ""]).filter { !$0.isEmpty }.flatMap { path in
      (try? InlineFile.files(path).map(\.path)) ?? [path]
    }
  }

  /// The canonical text, `equalize=rule=opencv:channels=luma`, with every parameter in the order of the description,
  /// and the words that are given.
  public var description: String {
    let all = arguments + words
    return all.isEmpty ? name : name + "=" + all.map { "\($0.name)=\($0.value)" }.joined(separator: ":")
  }
}

extension FilterCall {
  /// Makes a call of `filter` with `values`; other parameters keep their defaults.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a parameter the filter does not have or a value it does not
  ///   allow.
  public init(_ filter: FilterDescription, _ values: [String: ParameterValue] = [:]) throws {
    try self.init(filter, values, seconds: [])
  }

  /// Makes a call with `seconds` as the values of a parameter that may be given several times.
  init(_ filter: FilterDescription, _ values: [String: ParameterValue], seconds: [String]) throws {
    for name in values.keys.sorted() where filter.parameter(name) == nil && filter.word(name) == nil {
      throw filter.unknownParameter(name)
    }
    name = filter.name
    words = try filter.words.compactMap { word in
      guard let value = values[word.name] else { return nil }
      guard word.allows(value) else { throw filter.refused(value.description, for: word) }
      return Argument(name: word.name, value: value)
    }
    arguments = try filter.parameters.flatMap { parameter in
      if case .pictures(areSeveral: true, _) = parameter.kind, !seconds.isEmpty {
        return seconds.map { Argument(name: parameter.name, value: .text($0)) }
      }
      // Second pictures need not come from files.
      let mayBeLeftOut = !parameter.isRequired || parameter.isPictures
      guard let value = values[parameter.name] ?? (mayBeLeftOut ? parameter.defaultValue : nil) else {
        throw filter.fault(
          "parameter '\(parameter.name)' is missing",
          "write \(filter.name)=\(parameter.name)=PATH with \(parameter.allowedValues)")
      }
      guard parameter.allows(value) else { throw filter.refused(value.description, for: parameter) }
      return [Argument(name: parameter.name, value: value)]
    }
  }

  /// Makes a call of a kernel's filter with the kernel's values.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` for a value that its parameter does not allow.
  package init<Kernel: ImageKernel>(_ kernel: Kernel) throws {
    let values = Kernel.card.parameters.map { ($0.parameter.name, $0.value(kernel)) }
    try self.init(FilterDescription(Kernel.card), Dictionary(uniqueKeysWithValues: values))
  }
}
