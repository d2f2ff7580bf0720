import SafelightFrames
public import SafelightImage

extension GoldenChange {
  /// Makes `candidate` the golden of its name, replacing any former one; `tolerance` and `mask`, if given, replace the
  /// golden's own.
  ///
  /// With a variant only that picture changes: the default serves every driver without one.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` without a reason, for a variant with the pixels of the default, and
  ///   if the tolerance lets damage of the whole picture pass; `missingFrame` for a variant of a golden without a
  ///   default; `incomparable` if variants would be of different kinds; and the errors of the mask.
  public mutating func approve(
    _ candidate: GoldenCandidate, variant: String? = nil, tolerance: Tolerance? = nil, mask: GoldenMask? = nil,
    provenance: GoldenProvenance
  ) throws {
    let (name, image) = (candidate.name, candidate.image)
    try GoldenName.check(name)
    try ensure(
      provenance.reason?.contains(where: { !$0.isWhitespace }) == true, .usage, "approval",
      why: "no reason is given for it", remedy: "say why the pictures are right", setting: .reason
    )
    if let variant { try GoldenName.check(variant: variant) }
    let key = variant ?? GoldenManifest.defaultPicture
    try ensure(
      variant == nil || self.row(name) != nil, .missingFrame, name,
      why: "\(key) would be a variant, but there is no golden of this name",
      remedy: "record the default first, which serves every driver without a variant")
    var row = self.row(name) ?? GoldenManifest.Row(image, tolerance: .exact)
    try check(image, named: name, against: row, replacing: key)
    (row.width, row.height, row.channels, row.depth) = (
      image.size.width, image.size.height, image.channels, image.depth
    )
    if let tolerance { row.tolerance = tolerance.description }

    let part = if let mask { try mask.mask(of: image.size, name: name) } else { try before.mask(of: name, row) }
    if let mask { try set(mask, for: name, &row) }
    try checkSoundness(row, image, part, named: name)
    if mask != nil { try hashAgain(&row, named: name, part, but: key) }
    let pixels = try part.hash(image)
    try ensure(
      variant == nil || row.pictures[GoldenManifest.defaultPicture]?.pixels != pixels, .usage, name,
      why: "it has the same pixels as the default picture, so no variant is needed",
      remedy: "leave the variant out")
    var provenance = provenance
    if let known = row.pictures[key], known.pixels == pixels {
      // The same pixels keep their origin.
      provenance.made = provenance.made ?? known.made
      provenance.device = provenance.device ?? known.device
    }
    row.pictures[key] = GoldenManifest.Picture(pixels, provenance)
    try write(candidate.file, to: GoldenName.file(name, variant))
    try set(row, for: name)
  }

  /// All pictures of a golden are of one kind.
  private func check(
    _ image: Image, named name: String, against row: GoldenManifest.Row, replacing key: String
  ) throws(SafelightError) {
    let others = row.pictures.keys.filter { $0 != key }.sorted()
    guard row.kind != image.kind, !others.isEmpty else { return }
    func text(_ kind: ImageDescriptor) -> String {
      "\(kind.size) \(kind.channels.rawValue) \(kind.depth.rawValue) bit"
    }
    throw SafelightError(
      .incomparable, name,
      why: "it is \(text(image.kind)), but the golden has \(text(row.kind)) in \(others.joined(separator: ", "))",
      remedy: others.contains(GoldenManifest.defaultPicture)
        ? "remove the whole golden, and record it again: \(before.removal(of: name))"
        : "remove its variants first: "
          + others.map { "\(before.removal(of: name)) --variant \($0.quotedForShell)" }.joined(separator: "; "))
  }

  private mutating func set(_ mask: GoldenMask, for name: String, _ row: inout GoldenManifest.Row) throws {
    let file = GoldenName.file(name, GoldenName.mask)
    if row.hasMaskFile { removeFile(file) }
    switch mask {
    case .none: row.mask = nil
    case .regions(let regions): row.mask = GoldenMask.text(regions)
    case .file(let bytes):
      try write(bytes, to: file)
      row.mask = PathParts(file).name
    }
  }

  /// Hashes the pictures that stay again, since another mask leaves other pixels.
  private func hashAgain(
    _ row: inout GoldenManifest.Row, named name: String, _ mask: ImageMask?, but key: String
  ) throws {
    for other in row.pictures.keys where other != key {
      let variant = other == GoldenManifest.defaultPicture ? nil : other
      guard let golden = try before.golden(named: name, variant: variant), let image = try golden.picture() else {
        throw SafelightError(
          .input, name,
          why: "its picture \(other) is only a Git LFS pointer, but its hash under the mask needs the picture itself",
          remedy: GitLFSPointer.remedy)
      }
      row.pictures[other]?.pixels = try mask.hash(image)
    }
  }

  /// Makes `candidate` a golden, judged by `tolerance`, if none of its name exists.
  ///
  /// - Throws: ``SafelightError`` of kind `output` if one exists; `input` if every pixel is the same, as in pictures
  ///   that nothing was drawn into; `usage` if the tolerance lets damage of the whole picture pass; and `difference` if
  ///   `again`, the picture of a second run, has other pixels.
  public mutating func record(
    _ candidate: GoldenCandidate, again: GoldenCandidate? = nil, tolerance: Tolerance = .exact,
    provenance: GoldenProvenance
  ) throws {
    let name = candidate.name
    try GoldenName.check(name)
    let file = GoldenName.file(name)
    if let owner = GoldenName.owner(of: name, in: before.rows) {
      throw SafelightError(
        .output, name, why: "its file exists already and belongs to the golden \(owner)", remedy: "rename the picture"
      )
    }
    try ensure(
      row(name) == nil && before.files[file] == nil, .output, name,
      why: row(name) == nil
        ? "its file exists already, but golden.json has no row for it" : "the golden exists already",
      remedy: "replace it: safelight golden approve … \(name) --reason TEXT")
    try ensure(
      !candidate.image.isBlank, .input, name,
      why: "every pixel is the same, as in a picture that nothing was drawn into",
      remedy: "if that is intended: safelight golden approve … \(name) --reason TEXT")
    if let again, again.image.pixelHash != candidate.image.pixelHash {
      throw SafelightError(
        .difference, name, why: "a second run made other pixels",
        remedy: "record only pictures that are the same in every run")
    }
    try write(candidate.file, to: file)
    var row = GoldenManifest.Row(candidate.image, tolerance: tolerance)
    row.pictures[GoldenManifest.defaultPicture] = GoldenManifest.Picture(candidate.image.pixelHash, provenance)
    try checkSoundness(row, candidate.image, nil, named: name)
    try set(row, for: name)
  }
}

extension Image {
  var isBlank: Bool {
    let pixel = pixelFormat.bytesPerPixel
    // Equal to itself moved by a pixel.
    return bytes.dropFirst(pixel).elementsEqual(bytes.dropLast(pixel))
  }
}

extension GoldenManifest.Row {
  /// Makes the row of a golden of the kind of `image`, without pictures.
  init(_ image: Image, tolerance: Tolerance) {
    self.init(
      width: image.size.width, height: image.size.height, channels: image.channels, depth: image.depth,
      tolerance: tolerance.description, mask: nil, pictures: [:])
  }
}

extension GoldenManifest.Picture {
  init(_ pixels: String, _ provenance: GoldenProvenance) {
    self.init(
      pixels: pixels, approved: provenance.date, reason: provenance.reason, made: provenance.made,
      device: provenance.device)
  }
}

extension GoldenChange {
  /// Renames the golden `old` to `new`, with its variants, its mask and its row.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if the name is invalid, `missingInput` if there is no such golden,
  ///   `output` if a golden or a file of the new name exists, and the errors of reading its files.
  public mutating func rename(_ old: String, to new: String) throws {
    try GoldenName.check(new)
    var row = try existing(old)
    try ensure(
      self.row(new) == nil, .output, new, why: "a golden of this name exists already",
      remedy: "choose another name, or remove that golden")
    for (file, target) in zip(row.files(of: old), row.files(of: new)) {
      try ensure(
        before.files[target] == nil, .output, target, why: "a file of this name exists already",
        remedy: "choose another name, or move it away")
      try write(readRegularFile(before.place(of: file)), to: target)
      removeFile(file)
    }
    if row.hasMaskFile { row.mask = PathParts(GoldenName.file(new, GoldenName.mask)).name }
    try set(nil, for: old)
    try set(row, for: new)
  }

  /// Removes the golden `name` with its variants, its mask and its row, or the picture of `variant` alone.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if there is no such golden or variant.
  public mutating func remove(_ name: String, variant: String? = nil) throws {
    var row = try existing(name)
    guard let variant else {
      for file in row.files(of: name) { removeFile(file) }
      return try set(nil, for: name)
    }
    try GoldenName.check(variant: variant)
    guard row.pictures.removeValue(forKey: variant) != nil else {
      throw SafelightError(
        .missingInput, name, why: "it has no variant \(variant)",
        remedy: row.variants.isEmpty
          ? "name no variant; it has none" : "name one that it has: \(row.variants.joined(separator: ", "))")
    }
    removeFile(GoldenName.file(name, variant))
    try set(row, for: name)
  }

  private func existing(_ name: String) throws(SafelightError) -> GoldenManifest.Row {
    if let row = row(name) { return row }
    throw SafelightError(.missingInput, name, why: "no golden has this name", remedy: "check the name")
  }
}

extension SafelightError.Setting {
  /// The reason for approving a picture.
  public static let reason = Self("reason")
}
