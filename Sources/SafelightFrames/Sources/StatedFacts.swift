internal import SafelightImage

/// What a picture or film states besides its samples, in words, and what is in its file besides.
package struct StatedFacts: Hashable, Sendable {
  /// The values by the names of the facts: `pixel aspect` and `2:1`. What every reader assumes is not stated.
  package private(set) var values: [String: String] = [:]
  /// The parts of the file that a comparison of pictures does not look at: `further pages`.
  package private(set) var unseen: [String] = []
}

extension StatedFacts {
  /// Describes the frames of a film; `companions` are the other parts of its file.
  package init(_ format: VideoFormat, besides companions: [String] = []) {
    let color = format.color
    values["transfer"] = color.transfer == .unspecified ? nil : color.transfer.rawValue
    values["primaries"] = color.primaries == .unspecified ? nil : color.primaries.rawValue
    if format.layout.isYCbCr {
      values["matrix"] = color.matrix.rawValue
      values["range"] = color.range.rawValue
    }
    values["pixel aspect"] = Self.text(format.pixelAspect)
    unseen = companions
  }

  /// Reads what the PNG file at `path` states, without its pixels; nil if it cannot be read, or is no file.
  package init?(pngAt path: String) {
    guard let file = try? OpenedFile(path),
      let contents = try? PNGContents(scanning: .file(file), name: path, limits: PNGLimits())
    else { return nil }
    for type: PNGChunkType in ["cICP", "mDCV", "cLLI", "iCCP", "sRGB", "cHRM", "oFFs", "pCAL", "sCAL", "sTER"] {
      values["\(type)"] = contents.metadata[type].map(Self.text)
    }
    values["gAMA"] = contents.metadata["gAMA"].map { gamma in
      gamma.count == 4 ? DecimalText.text(Double(gamma.bigEndian(at: 0)) / 100_000) : Self.text(gamma)
    }
    if let shape = contents.metadata["pHYs"], shape.count == 9, shape[8] == 1 {
      values["pHYs"] = "\(shape.bigEndian(at: 0))×\(shape.bigEndian(at: 4)) per meter"
    } else {
      values["pixel aspect"] = Self.text(contents.metadata.pixelAspect)
    }
    let orientation = contents.metadata["eXIf"].flatMap { TIFFDirectory(of: .memory($0))?.orientation }
    // 1 is upright, as without a tag.
    values["orientation"] = orientation.flatMap { $0 == 1 ? nil : "\($0)" }
    if contents.isAnimated { unseen.append("later frames of the animation") }
  }

  /// Returns a shape in lowest terms; nil for square pixels, which need no words.
  private static func text(_ aspect: PixelAspect?) -> String? {
    guard let aspect, aspect.width != aspect.height else { return nil }
    return PixelAspect(reducing: Int128(aspect.width), Int128(aspect.height)).description
  }

  /// Returns the numbers of a short chunk, and the length and checksum of a long one.
  private static func text(_ data: [UInt8]) -> String {
    if data.count <= 4 { return data.map(String.init).joined(separator: "/") }
    return "\(data.count) bytes, checksum \(String(CRC32.checksum(data[...]), radix: 16))"
  }
}
