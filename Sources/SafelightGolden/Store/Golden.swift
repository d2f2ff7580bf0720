import SafelightFrames
public import SafelightImage

/// An approved picture, and what its folder says of it.
public struct Golden: Sendable {
  /// As its file is called from the golden folder, without `.png`: `blur/soft`.
  public let name: String
  /// The driver that it was approved for; nil for all that have none of their own.
  public let variant: String?
  /// Where its file lies.
  public let path: String
  /// Columns and rows.
  public let size: Size
  /// What its samples mean.
  public let channels: Channels
  /// Bits in a sample.
  public let depth: SampleDepth
  /// How far a picture may be from it.
  public let tolerance: Tolerance
  /// What of it counts; nil where all does.
  public let mask: ImageMask?
  /// The hash of its pixels (``SafelightImage/Image/pixelHash``), of those that the mask leaves.
  public let pixels: String
  /// How it came to be.
  public let provenance: GoldenProvenance

  /// What messages call it: `blur/soft`, and of a variant also which one and why there is one.
  public var title: String {
    guard let variant else { return name }
    return "\(name), variant \(variant)" + (provenance.reason.map { " (\($0))" } ?? "")
  }
}

/// How a golden came to be, in the words of those who made it so.
public struct GoldenProvenance: Hashable, Sendable {
  /// The day on which it was recorded or approved: `2026-11-22`.
  public var date: String
  /// Why it is right.
  public var reason: String?
  /// The command or the test that made the picture.
  public var made: String?
  /// The device that it was made on.
  public var device: String?

  /// Notes how a golden comes to be.
  public init(date: String, reason: String? = nil, made: String? = nil, device: String? = nil) {
    self.date = date
    self.reason = reason
    self.made = made
    self.device = device
  }
}

/// A picture that may be like a golden, or become one.
public struct GoldenCandidate: Sendable {
  /// The golden's name: that of the file, from its folder, without `.png`.
  public let name: String
  /// The picture.
  public let image: Image
  /// The file as it is, or as it would be written.
  let file: [UInt8]

  /// Adopts a picture that a program made.
  public init(_ image: Image, named name: String) throws {
    self.name = name
    self.image = image
    file = try PNGEncoder.encode(PNGFile(image: image.samplesAlone), compression: .small)
  }

  fileprivate init(name: String, reading path: String, codec: PNGCodec) throws {
    self.name = name
    file = try readRegularFile(path)
    image = try PNGDecoder.decode(file, name: path, codec: codec).image
  }
}

/// The pictures below a folder, by the names of goldens.
public struct CandidateFolder: Sendable {
  /// As it was named.
  public let path: String
  /// The names, in natural order.
  public let names: [String]
  /// Where they lie, by name: Swift takes two spellings of é for one, a file system does not.
  private let files: [String: String]
  private let codec = PNGCodec()

  /// Looks for the pictures below `path`.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where there is no such folder or no picture in it, `input` where a name cannot be
  /// read, `usage` where no golden can be called so.
  public init(_ path: String) throws {
    self.path = path
    let files = try FileTree.files(in: path) { $0.lowercased().hasSuffix(".png") }
    if let odd = files.first(where: { !GoldenName.isPicture($0) }) {
      throw SafelightError(
        .input, SafelightFrames.path(path, odd), why: "goldens end in .png, so it would never be compared",
        remedy: "rename it")
    }
    names = files.map(GoldenName.name)
    self.files = Dictionary(uniqueKeysWithValues: zip(names, files))
    guard !names.isEmpty else {
      throw SafelightError(
        .missingInput, path, why: "no .png file is in it, so nothing can be compared",
        remedy: "name the folder that the pictures were written to")
    }
    for name in names { try GoldenName.check(name) }
  }

  /// Where the picture `name` lies, or would.
  public func file(_ name: String) -> String { SafelightFrames.path(path, files[name] ?? GoldenName.file(name)) }

  /// Reads the picture `name`.
  ///
  /// Throws a ``SafelightError`` of kind `missingInput` where there is none, `input` where it is damaged or a pointer of Git LFS.
  public func candidate(_ name: String) throws -> GoldenCandidate {
    try GoldenCandidate(name: name, reading: file(name), codec: codec)
  }
}
