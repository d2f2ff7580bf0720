internal import SafelightImage

extension ImageResize {
  /// The weights by which pixels are added up; nil for the modes that have none.
  var resamplingRule: Resampling.Rule? {
    switch mode {
    case .bicubic: .bicubic
    case .lanczos: .lanczos
    case .auto, .nearest, .bilinear, .area: nil
    }
  }

  /// True if ``color`` needs pictures with alpha.
  package var colorIsTranslucent: Bool { NamedColor(color)?.isTranslucent ?? false }

  /// Returns the most columns or rows of which one is made, and the most entries that a table of weights has.
  func pixelsJoined(from source: Size, to size: Size) -> (count: Int, entries: Int) {
    guard let rule = resamplingRule else { return (max(source.width / size.width, source.height / size.height), 0) }
    let tables = [(source.width, size.width), (source.height, size.height)].map { from, to in
      ResamplingTable(
        resampling: Resampling(rule: rule, axis: .row, from: from, to: to, isDeep: false, made: 0..<to))
    }
    return (tables.map(\.resampling.taps).max() ?? 0, tables.map(\.count).max() ?? 0)
  }

  /// One pass for nearest, bilinear and area, one for each axis for the others; none for a picture that has the size.
  /// Passes for light, for alpha and for what is around the picture come before and behind.
  public func passes(for picture: PassPicture) -> [Pass] {
    let (whole, scaled) = (output(of: picture.size), scaledSize(of: picture.size))
    let columns = gravity.columns.overlap(of: scaled.width, with: whole.width)
    let rows = gravity.rows.overlap(of: scaled.height, with: whole.height)
    // The part of the scaled picture that is seen.
    let seen = Region(x: columns.first, y: rows.first, width: columns.count, height: rows.count)
    let made = PassPicture(picture.image.resized(to: seen.size), picture.pixelFormat)
    var steps = PassSteps(picture)
    if scaled == picture.size {
      let placement = Placement(x: -seen.x, y: -seen.y)
      let cut = Pass.rendering(.picture, of: picture.size, picture.pixelFormat, placement)
      if seen.size != picture.size { steps.append(cut, like: made) }
    } else {
      let isLinear = light == .linear && mode != .nearest
      if isLinear { steps.append(.light(of: picture, isLinear: true), like: picture.deep) }
      scale(&steps, to: scaled, seen)
      if isLinear { steps.append(.light(of: picture, isLinear: false), like: made) }
    }
    if whole != seen.size {
      let padding = Padding(left: columns.place, top: rows.place, size: whole, edge: .color)
      steps.append(
        .padding(made, padding, NamedColor.around(picture.image, color)),
        like: PassPicture(picture.image.resized(to: whole), picture.pixelFormat))
    }
    return steps.passes
  }

  /// Makes of the last picture the part `seen` of one that is scaled to `size`.
  private func scale(_ steps: inout PassSteps, to size: Size, _ seen: Region) {
    let source = steps.last
    let hasAlpha = source.image.channels.hasAlpha && source.image.color.alpha != .premultiplied
    let isWeighted = hasAlpha && alphaMode == .weighted
    guard let rule = resamplingRule else {
      guard let scale = PictureScale(from: source.size, to: size) else { return }
      let placement = Placement(scale: scale, filter: filter(from: source.size, to: size), x: -seen.x, y: -seen.y)
      steps.append(
        .rendering(.picture, of: source.size, source.pixelFormat, placement, isWeighted: isWeighted),
        like: source.resized(to: seen.size))
      return
    }
    func multiply(isDivision: Bool) {
      let function = ResampleAlpha(isDivision: isDivision, isDeep: source.image.depth == .bits16)
      steps.append(Pass(function, inputs: [.source(.pixel)], output: .result), like: steps.last)
    }
    if isWeighted { multiply(isDivision: false) }
    steps.resample(by: rule, to: size, seen)
    if isWeighted { multiply(isDivision: true) }
  }

  private func filter(from source: Size, to made: Size) -> ImageRenderer.Filter {
    switch mode {
    case .nearest: .nearest
    case .area: .area
    case .auto where made.width <= source.width && made.height <= source.height: .area
    case .auto, .bilinear, .bicubic, .lanczos: .linear
    }
  }
}

/// Passes one after the other, each of which makes a picture of what the one before made.
struct PassSteps {
  private var steps: [Pass] = []
  /// The last picture.
  private(set) var last: PassPicture
  private var made: [PassPicture] = []

  init(_ picture: PassPicture) { last = picture }

  /// Adds a pass, which reads the kernel's picture and makes the result, by itself.
  mutating func append(_ pass: Pass, like made: PassPicture) {
    steps.append(pass)
    self.made.append(made)
    last = made
  }

  /// Scales the last picture, or parts of its axes, to `size`, in the order of axes that Pillow has; makes the part
  /// `seen` of that. A side that stays as it is has no pass.
  mutating func resample(
    by rule: Resampling.Rule, to size: Size, _ seen: Region, columns columnPart: Resampling.Part? = nil,
    rows rowPart: Resampling.Part? = nil
  ) {
    let (source, isDeep) = (last.size, last.image.depth == .bits16)
    func columns(_ steps: inout PassSteps) {
      steps.resample(
        Resampling(
          rule: rule, axis: .row, from: source.width, to: size.width, isDeep: isDeep,
          made: seen.x..<seen.x + seen.size.width, part: columnPart))
    }
    func rows(_ steps: inout PassSteps) {
      steps.resample(
        Resampling(
          rule: rule, axis: .column, from: source.height, to: size.height, isDeep: isDeep,
          made: seen.y..<seen.y + seen.size.height, part: rowPart))
    }
    let (lostColumns, lostRows) = (source.width - size.width, source.height - size.height)
    for step in lostRows > 0 && lostRows > 2 * lostColumns ? [rows, columns] : [columns, rows] { step(&self) }
  }

  private mutating func resample(_ resampling: Resampling) {
    if resampling.isIdentity { return }
    var size = last.size
    if resampling.axis == .row { size.width = resampling.made.count } else { size.height = resampling.made.count }
    append(.resampling(resampling), like: last.resized(to: size))
  }

  /// The passes, of which all but the last make temporaries.
  var passes: [Pass] {
    steps.enumerated().map { number, pass in
      var pass = pass
      for input in pass.inputs.indices where number > 0 && pass.inputs[input].resource == .picture {
        pass.inputs[input].resource = .temporary(number - 1)
      }
      if number + 1 < steps.count {
        pass.output = .temporary(number, made[number].pixelFormat, made[number].size)
      }
      return pass
    }
  }
}

extension PassPicture {
  /// The same picture of another size.
  fileprivate func resized(to size: Size) -> PassPicture { PassPicture(image.resized(to: size), pixelFormat) }

  /// The same picture of 16 bits.
  fileprivate var deep: PassPicture {
    PassPicture(ImageDescriptor(size: size, channels: image.channels, depth: .bits16, color: image.color))
  }
}

extension ImageDescriptor {
  fileprivate func resized(to size: Size) -> ImageDescriptor {
    ImageDescriptor(size: size, channels: channels, depth: depth, color: color)
  }
}
