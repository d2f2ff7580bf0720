package import SafelightImage

/// What a film says of itself beside its frames and their colors.
package struct VideoFacts: Hashable, Sendable {
  /// A fact, by its name in messages.
  package enum Kind: String, CaseIterable, Sendable {
    case mastering = "mastering display"
    case contentLight = "content light level"
    case dynamicLight = "HDR metadata of single frames"
    case timecode, title, language
  }

  package var mastering: MasteringDisplay?
  package var contentLight: ContentLight?
  /// True if frames have HDR metadata of their own, as in HDR10+ and Dolby Vision, which nothing here carries.
  package var hasDynamicLight = false
  /// That of the first frame, as `01:00:00:00`.
  package var timecode: String?
  package var title: String?
  /// By a code, such as `fra`.
  package var language: String?

  package init() {}

  /// The facts that are stated.
  package var kinds: [Kind] {
    Kind.allCases.filter { kind in
      switch kind {
      case .mastering: mastering != nil
      case .contentLight: contentLight != nil
      case .dynamicLight: hasDynamicLight
      case .timecode: timecode != nil
      case .title: title != nil
      case .language: language != nil
      }
    }
  }

  /// Returns only the facts of `kinds`.
  package func keeping(_ kinds: some Sequence<Kind>) -> VideoFacts {
    var kept = VideoFacts()
    for kind in kinds {
      switch kind {
      case .mastering: kept.mastering = mastering
      case .contentLight: kept.contentLight = contentLight
      case .dynamicLight: kept.hasDynamicLight = hasDynamicLight
      case .timecode: kept.timecode = timecode
      case .title: kept.title = title
      case .language: kept.language = language
      }
    }
    return kept
  }

  /// Returns the names of the facts that are not among `kept`, as `the timecode and the title`; nil if there are none.
  package func names(except kept: some Sequence<Kind>) -> String? {
    let names = kinds.filter { !kept.contains($0) }.map { "the \($0.rawValue)" }
    guard let last = names.last else { return nil }
    return names.count == 1 ? last : names.dropLast().joined(separator: ", ") + " and " + last
  }

  /// True if its timecode has hours, minutes, seconds and frames.
  var isTimecodeCounted: Bool { timecode?.wholeMatch(of: /\d{1,2}:\d{1,2}:\d{1,2}[:;.]\d{1,3}/) != nil }

  /// True if it has facts that go through the pipe to ffmpeg.
  var hasLight: Bool { mastering != nil || contentLight != nil }

  /// The facts about light, which describe samples of one transfer and one set of primaries only.
  package static let light: Set<Kind> = [.mastering, .contentLight, .dynamicLight]
}

/// The display on which a film was graded (SMPTE ST 2086).
package struct MasteringDisplay: Hashable, Sendable {
  /// x and y of red, green, blue and white, in 1/50000.
  package let chromaticities: [UInt16]
  /// In 1/10000 cd/m².
  package let maximumLuminance: UInt32
  /// In 1/10000 cd/m².
  package let minimumLuminance: UInt32
}

/// The light of the brightest pixel, and of the brightest frame (CTA-861.3, MaxCLL and MaxFALL).
package struct ContentLight: Hashable, Sendable {
  /// In 1/10000 cd/m².
  package let maximum: UInt32
  /// In 1/10000 cd/m².
  package let maximumAverage: UInt32
}

// MARK: In PNG files

extension VideoFacts {
  /// Reads the facts of a picture (PNG, third edition, 11.3.2.7 and 11.3.2.8).
  package init(_ metadata: PNGMetadata) {
    if let data = metadata["mDCV"], data.count == 24 {
      mastering = MasteringDisplay(
        chromaticities: (0..<8).map { UInt16(data[2 * $0]) << 8 | UInt16(data[2 * $0 + 1]) },
        maximumLuminance: data.bigEndian(at: 16), minimumLuminance: data.bigEndian(at: 20))
    }
    if let data = metadata["cLLI"], data.count == 8 {
      contentLight = ContentLight(maximum: data.bigEndian(at: 0), maximumAverage: data.bigEndian(at: 4))
    }
  }

  /// The facts that PNG files have a chunk for.
  package static let ofPictures: Set<Kind> = [.mastering, .contentLight]

  /// The chunks of a picture.
  private var chunks: [PNGChunk] {
    var chunks: [PNGChunk] = []
    if let mastering {
      let numbers = mastering.chromaticities.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }
      let lights = [UInt8](bigEndian: [mastering.maximumLuminance, mastering.minimumLuminance])
      chunks.append(PNGChunk(type: "mDCV", data: numbers + lights))
    }
    if let contentLight {
      let lights = [UInt8](bigEndian: [contentLight.maximum, contentLight.maximumAverage])
      chunks.append(PNGChunk(type: "cLLI", data: lights))
    }
    return chunks
  }

  /// Returns the metadata of a picture with these facts, whose samples mean `color`.
  package func metadata(_ color: ColorDescription) throws(SafelightError) -> PNGMetadata {
    var metadata = try PNGMetadata().describing(color)
    metadata.chunks += chunks
    return metadata
  }
}

// MARK: In films

extension VideoFacts {
  /// Reads ffprobe's output about the video track whose keys begin with `track`.
  init(_ listing: FlatListing, track: String) {
    for place in [track, "frames.frame.0."] {
      for number in 0..<16 {
        let data = "\(place)side_data_list.side_data.\(number)."
        guard let type = listing[data + "side_data_type"] else { break }
        mastering = mastering ?? MasteringDisplay(listing, data)
        contentLight = contentLight ?? ContentLight(listing, data)
        hasDynamicLight =
          hasDynamicLight || ["DOVI", "Dolby Vision", "HDR Dynamic"].contains(where: { type.hasPrefix($0) })
      }
    }
    // Matroska and others write the names of tags in capitals.
    func tag(_ name: String) -> String? {
      let places = [track, "format."].flatMap { ["\($0)tags.\(name)", "\($0)tags.\(name.uppercased())"] }
      return places.lazy.compactMap { listing[$0] }.first { !$0.isEmpty }
    }
    timecode = tag("timecode")
    title = tag("title")
    language = tag("language").flatMap { $0 == "und" ? nil : $0 }
  }
}

extension MasteringDisplay {
  fileprivate init?(_ listing: FlatListing, _ place: String) {
    func number(_ key: String, _ scale: Double) -> Double? {
      let parts = listing[place + key]?.split(separator: "/").compactMap { Double($0) } ?? []
      guard parts.count == 2, parts[1] > 0, parts[0] >= 0 else { return nil }
      return (parts[0] / parts[1] * scale).rounded()
    }
    let chromaticities = ["red", "green", "blue", "white_point"].flatMap { [$0 + "_x", $0 + "_y"] }
      .compactMap { number($0, 50_000).flatMap { UInt16(exactly: $0) } }
    guard chromaticities.count == 8, let most = number("max_luminance", 10_000).flatMap({ UInt32(exactly: $0) }),
      let least = number("min_luminance", 10_000).flatMap({ UInt32(exactly: $0) })
    else { return nil }
    self.init(chromaticities: chromaticities, maximumLuminance: most, minimumLuminance: least)
  }
}

extension ContentLight {
  fileprivate init?(_ listing: FlatListing, _ place: String) {
    guard let most = listing.number(place + "max_content").flatMap({ UInt16(exactly: $0) }),
      let mean = listing.number(place + "max_average").flatMap({ UInt16(exactly: $0) }), most > 0 || mean > 0
    else { return nil }
    // Films count in whole cd/m².
    self.init(maximum: UInt32(most) * 10_000, maximumAverage: UInt32(mean) * 10_000)
  }
}
