import SafelightFrames
import SafelightImage

extension GoldenChange {
  /// Makes `candidate` a golden, judged by `tolerance`, where none of its name is there.
  ///
  /// Throws a ``SafelightError`` of kind `output` where one is there already, `input` where every pixel is the same, as in pictures
  /// that nothing was drawn into, `usage` where the tolerance lets damage of the whole picture pass, and `difference` where `again`, what a
  /// second run made, has other pixels.
  public mutating func record(
    _ candidate: GoldenCandidate, again: GoldenCandidate? = nil, tolerance: Tolerance = .exact,
    provenance: GoldenProvenance
  ) throws {
    let name = candidate.name
    try GoldenName.check(name)
    let file = GoldenName.file(name)
    if let owner = GoldenName.owner(of: name, in: before.rows) {
      throw SafelightError(
        .output, name, why: "its file is there already and belongs to the golden \(owner)", remedy: "rename the picture"
      )
    }
    guard row(name) == nil, before.files[file] == nil else {
      throw SafelightError(
        .output, name,
        why: row(name) == nil ? "its file is there already, without a row" : "the golden is there already",
        remedy: "replace it: safelight golden approve … \(name) --reason TEXT")
    }
    if candidate.image.isBlank {
      throw SafelightError(
        .input, name, why: "every pixel is the same, as in a picture that nothing was drawn into",
        remedy: "if it is meant to be so: safelight golden approve … \(name) --reason TEXT")
    }
    if let again, again.image.pixelHash != candidate.image.pixelHash {
      throw SafelightError(
        .difference, name, why: "a second run made other pixels", remedy: "record only what every run makes alike")
    }
    try write(candidate.file, to: file)
    var row = GoldenManifest.Row(candidate.image, tolerance: tolerance)
    row.pictures[GoldenManifest.defaultPicture] = GoldenManifest.Picture(candidate.image.pixelHash, provenance)
    try checkSoundness(row, candidate.image, nil, named: name)
    try set(row, for: name)
  }
}

extension Image {
  /// True where every pixel is the same.
  var isBlank: Bool {
    let pixel = pixelFormat.bytesPerPixel
    // Equal to itself moved on by a pixel.
    return bytes.dropFirst(pixel).elementsEqual(bytes.dropLast(pixel))
  }
}

extension GoldenManifest.Row {
  /// What is said of a golden of the kind of `image`.
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
  /// Calls the golden `old` `new` from now on, with its variants, its mask and what is said of them.
  ///
  /// Throws a ``SafelightError`` of kind `usage` if no golden can be called so, `missingInput` if there is none to rename, `output` if
  /// a golden or a file of the new name is there, and what reading its files throws.
  public mutating func rename(_ old: String, to new: String) throws {
    try GoldenName.check(new)
    var row = try existing(old)
    guard self.row(new) == nil else {
      throw SafelightError(
        .output, new, why: "a golden of this name is there already", remedy: "choose another name, or remove that one")
    }
    for (file, target) in zip(row.files(of: old), row.files(of: new)) {
      if before.files[target] != nil {
        throw SafelightError(
          .output, target, why: "a file of this name is there already", remedy: "choose another name, or move it away")
      }
      try write(readRegularFile(before.place(of: file)), to: target)
      removeFile(file)
    }
    if row.hasMaskFile { row.mask = PathParts(GoldenName.file(new, GoldenName.mask)).name }
    try set(nil, for: old)
    try set(row, for: new)
  }

  /// Removes the golden `name` with its variants, its mask and what is said of them; with a variant that picture alone.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` if there is no such golden or variant.
  public mutating func remove(_ name: String, variant: String? = nil) throws {
    var row = try existing(name)
    guard let variant else {
      for file in row.files(of: name) { removeFile(file) }
      return try set(nil, for: name)
    }
    try GoldenName.check(variant: variant)
    guard row.pictures.removeValue(forKey: variant) != nil else {
      let variants = row.pictures.keys.filter { $0 != GoldenManifest.defaultPicture }.sorted()
      throw SafelightError(
        .missingInput, name, why: "it has no variant \(variant)",
        remedy: variants.isEmpty ? "it has none at all" : "it has \(variants.joined(separator: ", "))")
    }
    removeFile(GoldenName.file(name, variant))
    try set(row, for: name)
  }

  private func existing(_ name: String) throws(SafelightError) -> GoldenManifest.Row {
    if let row = row(name) { return row }
    throw SafelightError(.missingInput, name, why: "no golden has this name", remedy: "check the name")
  }
}
