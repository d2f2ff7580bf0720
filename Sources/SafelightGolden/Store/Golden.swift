import SafelightFrames
public import SafelightImage

/// An approved picture, with what its folder says of it.
public struct Golden: Sendable {
  /// The path of its file from the golden folder, without `.png`: `blur/soft`.
  public let name: String
  /// The driver that it was approved for; nil for every driver without a variant of its own.
  public let variant: String?
  /// The path of its file.
  public let path: String
  /// The tolerance for pictures compared with it.
  public let tolerance: Tolerance
  /// The mask; nil if every pixel counts.
  public let mask: ImageMask?
  /// The hash of the pixels that count (``SafelightImage/Image/pixelHash``).
  public let pixels: String
  /// Its origin.
  public let provenance: GoldenProvenance
  /// The properties that a picture must share to be compared.
  let kind: ImageDescriptor

  /// Columns and rows.
  public var size: Size { kind.size }
  /// The meaning of the samples.
  public var channels: Channels { kind.channels }
  /// The bits in a sample.
  public var depth: SampleDepth { kind.depth }

  /// The name in messages: `blur/soft`, with the variant and its reason if there is one.
  public var title: String {
    guard let variant else { return name }
    return "\(name), variant \(variant)" + (provenance.reason.map { " (\($0))" } ?? "")
  }

  /// Returns true if `image` is of the golden's kind and has the pixels that were approved, as far as they count.
  package func isLike(_ image: Image) throws(SafelightError) -> Bool {
    guard image.kind == kind else { return false }
    return try mask.hash(image) == pixels
  }
}

/// The origin of a golden, in the words of its authors.
public struct GoldenProvenance: Hashable, Sendable {
  /// The day of its recording or approval: `2026-11-22`.
  public var date: String
  /// The reason why it is right.
  public var reason: String?
  /// The command or the test that made the picture.
  public var made: String?
  /// The device that made it.
  public var device: String?

  /// Describes the origin of a golden.
  public init(date: String, reason: String? = nil, made: String? = nil, device: String? = nil) {
    self.date = date
    self.reason = reason
    self.made = made
    self.device = device
  }
}

/// A picture to compare with a golden, or to make one.
public struct GoldenCandidate: Sendable {
  /// The golden's name: the path of the file from its folder, without `.png`.
  public let name: String
  /// The picture.
  public let image: Image
  /// The bytes of the file, existing or to be written.
  let file: [UInt8]
}

extension GoldenCandidate {
  /// Takes a picture that a program made.
  public init(_ image: Image, named name: String) throws {
    let file = try PNGEncoder.encode(PNGFile(image: image.samplesAlone), compression: .small)
    self.init(name: name, image: image, file: file)
  }
}

/// The pictures below a folder, by golden name.
public struct CandidateFolder: Sendable {
  /// The path as given.
  public let path: String
  /// The names, in natural order.
  public let names: [String]
  /// The files by name. Swift takes two spellings of é for one; a file system does not.
  private let files: [String: String]
  private let codec = PNGCodec()

  /// Lists the pictures below `path`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if there is no such folder or no picture in it, `input` if a
  ///   name cannot be read, `usage` if a name is invalid for a golden.
  public init(_ path: String) throws {
    self.path = path
    let files = try FileTree.files(in: path) { $0.lowercased().hasSuffix(".png") }
    if let odd = files.first(where: { !GoldenName.isPicture($0) }) {
      throw SafelightError(
        .input, SafelightFrames.path(path, odd),
        why: "the names of goldens end in .png, so this one would never be compared",
        remedy: "rename it")
    }
    names = files.map(GoldenName.name)
    self.files = Dictionary(uniqueKeysWithValues: zip(names, files))
    try ensure(
      !names.isEmpty, .missingInput, path, why: "it contains no .png file, so nothing can be compared",
      remedy: "name the folder that the pictures were written to")
    for name in names { try GoldenName.check(name) }
  }

  /// Returns the path of the picture `name`, even if it does not exist.
  public func file(_ name: String) -> String { SafelightFrames.path(path, files[name] ?? GoldenName.file(name)) }

  /// Reads the picture `name`.
  ///
  /// - Throws: ``SafelightError`` of kind `missingInput` if there is none, `input` if it is damaged or a pointer of Git
  ///   LFS.
  public func candidate(_ name: String) throws -> GoldenCandidate {
    let file = try readRegularFile(file(name))
    let image = try PNGDecoder.decode(file, name: self.file(name), codec: codec).image
    return GoldenCandidate(name: name, image: image, file: file)
  }
}
