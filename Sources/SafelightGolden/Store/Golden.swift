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

/// What of a golden is left out of every comparison: rectangles, or a picture of the golden's size that is black there.
public enum GoldenMask: Sendable {
  /// Everything counts.
  case none
  /// Rectangles of the picture.
  case regions([Region])
  /// The bytes of a PNG file, black where pixels are left out.
  case file([UInt8])

  /// Reads `text`: rectangles as `x,y,width,height` with spaces between, the path of a PNG file, or `none`.
  ///
  /// Throws a ``SafelightError`` of kind `usage` where it is neither, or that of a file that cannot be read.
  public init(_ text: String) throws {
    if text == "none" {
      self = .none
    } else if text.hasSuffix(".png") {
      self = try .file(readRegularFile(text))
    } else {
      self = try .regions(Self.regions(text))
    }
  }

  /// Rectangles as ``init(_:)`` reads them.
  static func text(_ regions: [Region]) -> String {
    regions.map { "\($0.x),\($0.y),\($0.size.width),\($0.size.height)" }.joined(separator: " ")
  }

  /// True where Git LFS left only a pointer to the picture.
  var isPointer: Bool {
    if case .file(let bytes) = self { GitLFSPointer.isPointer(bytes) } else { false }
  }

  /// The mask for a picture of `size`.
  ///
  /// Throws a ``SafelightError`` of kind `input` where the file is no mask, `incomparable` where it has another size or hides nothing,
  /// `missingInput` where nothing would be left to compare.
  public func mask(of size: Size, name: String) throws -> ImageMask? {
    let mask =
      switch self {
      case .none: ImageMask?.none
      case .regions(let regions): ImageMask(hiding: regions, of: size)
      case .file(let bytes): try ImageMask(PNGDecoder.decode(bytes, name: name).image)
      }
    guard let mask else { return nil }
    if mask.size != size {
      throw SafelightError(
        .incomparable, name, why: "the mask is \(mask.size), the golden \(size)",
        remedy: "make one of the golden’s size")
    }
    if mask.hidden == 0 {
      throw SafelightError(
        .incomparable, name, why: "the mask hides nothing of the picture, which is \(size)",
        remedy: "hide what may change, or give none")
    }
    if mask.hidden == size.area {
      throw SafelightError(
        .missingInput, name, why: "the mask hides every pixel, so nothing would be compared",
        remedy: "hide only what may change")
    }
    return mask
  }

  private static func regions(_ text: String) throws(SafelightError) -> [Region] {
    let parts = text.split(separator: " ")
    let regions = parts.compactMap { part -> Region? in
      let numbers = part.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
      guard numbers.count == 4, let x = numbers[0], let y = numbers[1], let width = numbers[2], let height = numbers[3],
        x >= 0, y >= 0, width > 0, height > 0, [x, y, width, height].allSatisfy({ $0 <= Int(Int32.max) })
      else { return nil }
      return Region(x: x, y: y, width: width, height: height)
    }
    guard !parts.isEmpty, regions.count == parts.count else {
      throw SafelightError(
        .usage, "mask “\(text)”", why: "it is neither rectangles nor a .png file",
        remedy:
          "write x,y,width,height, several with spaces between, or name a picture that is black where nothing is compared"
      )
    }
    return regions
  }
}

extension ImageMask? {
  /// The hash of the pixels of `image` that count.
  package func hash(_ image: Image) throws(SafelightError) -> String {
    guard let self else { return image.pixelHash }
    return try self.clearing(image).pixelHash
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
