import SafelightImage

/// Writes a stream of raw video for a pipe to ffmpeg: a QuickTime movie of fragments with a frame each (ISO/IEC
/// 14496-12, 8.8).
///
/// Unlike NUT it holds the light of the film, which ffmpeg passes on to the track that it encodes.
struct MOVWriter: RawVideoStream {
  private let format: VideoFormat
  private var clock: FrameClock
  private var count: UInt32 = 0

  /// Makes a writer that counts times from `start`. ``NUTWriter`` has the same layouts, and rejects others.
  init(_ format: VideoFormat, start: MediaTime) {
    self.format = format
    clock = FrameClock(timeBase: format.timeBase, start: start)
  }

  var beginning: [UInt8] {
    let (width, height) = (UInt32(format.size.width), UInt32(format.size.height))
    let timescale = UInt32(format.timeBase.timescale)
    let upright: [UInt32] = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x4000_0000]
    let movie = MOVBox("mvhd", version: 0, words: [0, 0, timescale, 0, 0x10000, 0x0100_0000, 0, 0] + upright)
      .adding(words: [0, 0, 0, 0, 0, 0, 2])
    let track = MOVBox("tkhd", version: 0, flags: 3, words: [0, 0, 1, 0, 0, 0, 0, 0, 0] + upright)
      .adding(words: [width << 16, height << 16])
    let media = MOVBox("mdhd", version: 0, words: [0, 0, timescale, 0, 0x55C4_0000])
    let handler = MOVBox("hdlr", version: 0, words: [0]).adding(Array("vide".utf8) + [UInt8](repeating: 0, count: 13))
    let reference = MOVBox("dref", version: 0, words: [1]).adding(MOVBox("url ", version: 0, flags: 1).bytes)
    // No sample is listed here; the one entry of `stts` states the frame rate.
    let rate: [UInt32] = frameTicks.map { [1, 0, $0] } ?? [0]
    let table = MOVBox("stbl").adding(
      MOVBox("stsd", version: 0, words: [1]).adding(entry.bytes), MOVBox("stts", version: 0, words: rate),
      MOVBox("stsc", version: 0, words: [0]), MOVBox("stsz", version: 0, words: [0, 0]),
      MOVBox("stco", version: 0, words: [0]))
    let information = MOVBox("minf").adding(
      MOVBox("vmhd", version: 0, flags: 1, words: [0, 0]), MOVBox("dinf").adding(reference), table)
    let fragments = MOVBox("mvex").adding(MOVBox("trex", version: 0, words: [1, 1, 0, 0, 0]))
    let tracks = MOVBox("trak").adding(track, MOVBox("mdia").adding(media, handler, information))
    return MOVBox("ftyp").adding(Array("qt  ".utf8)).adding(words: [0]).adding(Array("qt  ".utf8)).bytes
      + MOVBox("moov").adding(movie, tracks, fragments).bytes
  }

  /// The ticks of the movie's clock from frame to frame, if they are as many and known.
  private var frameTicks: UInt32? {
    guard let duration = format.frameDuration else { return nil }
    let ticks = duration.rescaled(to: format.timeBase.timescale)?.value ?? 0
    return UInt32(exactly: ticks).flatMap { $0 > 0 ? $0 : nil }
  }

  /// The description of the samples.
  private var entry: MOVBox {
    let size = [UInt16(clamping: format.size.width), UInt16(clamping: format.size.height)]
    // dpi, frames in a sample, the name of the encoder, depth, no colors of its own.
    let head = MOVBox(fourCC: format.fourCC ?? [0, 0, 0, 0]).adding(words: [0, 1, 0, 0, 0, 0]).adding(halves: size)
    var entry = head.adding(words: [0x48_0000, 0x48_0000, 0]).adding(halves: [1])
      .adding(words: [0, 0, 0, 0, 0, 0, 0, 0]).adding(halves: [24, 0xFFFF])
    if let aspect = format.pixelAspect {
      let ratio = [UInt32(clamping: aspect.width), UInt32(clamping: aspect.height)]
      entry = entry.adding(MOVBox("pasp").adding(words: ratio))
    }
    if let mastering = format.facts.mastering {
      // Green, blue, red, white.
      let places = [2, 3, 4, 5, 0, 1, 6, 7].map { mastering.chromaticities[$0] }
      entry = entry.adding(
        MOVBox("mdcv").adding(halves: places).adding(words: [mastering.maximumLuminance, mastering.minimumLuminance]))
    }
    if let light = format.facts.contentLight {
      let whole = [light.maximum, light.maximumAverage].map { UInt16(clamping: (UInt64($0) + 5000) / 10_000) }
      entry = entry.adding(MOVBox("clli").adding(halves: whole))
    }
    return entry
  }

  mutating func frameBeginning(
    _ index: Int, at time: MediaTime, byteCount: Int
  ) throws(SafelightError) -> [UInt8] {
    let ticks = try clock.ticks(index, at: time) * Int(format.timeBase.value)
    count += 1
    let length = try required(
      UInt32(exactly: byteCount + 8), .limit, "frame \(index + 1)",
      why: "its samples are \(byteCount) bytes, and a movie holds less than 4 GiB of them in one piece",
      remedy: "scale it down, or leave the light of the film out (PNG: mDCV and cLLI)")
    func fragment(dataOffset: UInt32) -> MOVBox {
      MOVBox("moof").adding(
        MOVBox("mfhd", version: 0, words: [count]),
        MOVBox("traf").adding(
          // Data offsets count from the fragment; samples have a duration and a size of their own.
          MOVBox("tfhd", version: 0, flags: 0x2_0000, words: [1]),
          MOVBox("tfdt", version: 1, words: [UInt32(ticks >> 32), UInt32(ticks & 0xFFFF_FFFF)]),
          MOVBox("trun", version: 0, flags: 0x301, words: [1, dataOffset, frameTicks ?? 0, length - 8])))
    }
    let dataOffset = UInt32(fragment(dataOffset: 0).bytes.count) + 8
    return fragment(dataOffset: dataOffset).bytes + [UInt8](bigEndian: [length]) + Array("mdat".utf8)
  }
}

/// A box of a movie that is being made: a length, four letters and contents.
private struct MOVBox {
  private let type: [UInt8]
  private var contents: [UInt8] = []

  init(fourCC: [UInt8]) { type = fourCC }
  init(_ type: String) { self.init(fourCC: Array(type.utf8)) }

  /// A box with a version and flags.
  init(_ type: String, version: UInt32, flags: UInt32 = 0, words: [UInt32] = []) {
    self.init(type)
    contents = [UInt8](bigEndian: [version << 24 | flags] + words)
  }

  var bytes: [UInt8] { [UInt8](bigEndian: [UInt32(contents.count + 8)]) + type + contents }

  func adding(_ bytes: [UInt8]) -> MOVBox {
    var box = self
    box.contents += bytes
    return box
  }

  func adding(words: [UInt32]) -> MOVBox { adding([UInt8](bigEndian: words)) }
  func adding(halves: [UInt16]) -> MOVBox { adding(halves.flatMap { [UInt8($0 >> 8), UInt8($0 & 255)] }) }
  func adding(_ boxes: MOVBox...) -> MOVBox { adding(boxes.flatMap(\.bytes)) }
}
