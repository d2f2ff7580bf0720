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
