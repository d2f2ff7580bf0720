import SafelightFrames
import SafelightImage
import Testing

/// Red, green, blue and gray of any pixel format come in as they are stored: wider samples repeat the bits of narrower
/// ones from the top, so that white is white.
@Suite struct FFmpegPixelTests {
  private let folder = TemporaryFolder()

  /// Pixels as little-endian words of `byteCount`, with the place and the number of the bits of each component, in the
  /// order of red, green, blue and alpha.
  struct Words: Sendable {
    let name: String
    let byteCount: Int
    let fields: [(shift: UInt64, bits: UInt64)]
    let layout: PixelLayout

    init(_ name: String, _ byteCount: Int, _ fields: [(UInt64, UInt64)], as layout: PixelLayout) {
      (self.name, self.byteCount, self.layout) = (name, byteCount, layout)
      self.fields = fields.map { (shift: $0.0, bits: $0.1) }
    }
  }

  /// Those that swscale widens by shifting, or by way of luma and chroma, and some that it does not change.
  static let all = [
    Words("rgb565le", 2, [(11, 5), (5, 6), (0, 5)], as: .rgba8),
    Words("bgr565le", 2, [(0, 5), (5, 6), (11, 5)], as: .bgra8),
    Words("rgb555le", 2, [(10, 5), (5, 5), (0, 5)], as: .rgba8),
    Words("bgr444le", 2, [(0, 4), (4, 4), (8, 4)], as: .rgba8),
    Words("rgb444le", 2, [(8, 4), (4, 4), (0, 4)], as: .rgba16),
    Words("rgb8", 1, [(5, 3), (2, 3), (0, 2)], as: .rgba8), Words("bgr8", 1, [(0, 3), (3, 3), (6, 2)], as: .rgba8),
    Words("bgra64le", 8, [(32, 16), (16, 16), (0, 16), (48, 16)], as: .rgba16),
    Words("rgba64le", 8, [(0, 16), (16, 16), (32, 16), (48, 16)], as: .rgba16),
    Words("rgb24", 3, [(0, 8), (8, 8), (16, 8)], as: .rgba16),
    Words("abgr", 4, [(24, 8), (16, 8), (8, 8), (0, 8)], as: .rgba16),
    Words("gray", 1, [(0, 8)], as: .rgba16), Words("gray10le", 2, [(0, 10)], as: .rgba16),
    Words("gray12le", 2, [(0, 12)], as: .gray16),
  ]

  @Test(arguments: all) func samplesAreWidenedByRepeatingBits(_ format: Words) async throws {
    let side = 48
    let used = format.fields.reduce(UInt64(0)) { $0 | ((1 << $1.bits) - 1) << $1.shift }
    // Black, noise and white.
    let words = (0..<UInt64(side * side - 1)).map { ($0 &* 0x9E37_79B9_7F4A_7C15) >> 3 & used } + [used]
    let bytes = words.flatMap { word in (0..<format.byteCount).map { UInt8(truncatingIfNeeded: word >> (8 * $0)) } }
    let raw = try folder.write("in.raw", bytes)
    let film = folder("in.nut")
    try folder.ffmpeg("-f rawvideo -pix_fmt \(format.name) -s \(side)x\(side) -i \(raw) -c copy \(film)")
    let source = try await FFmpegSource(.file(film), options: FFmpegOptions(layout: format.layout))
    let read = try #require(try await source.collected().first)
    let differing = zip(read.planes[0].bytes, words.flatMap { Self.pixel($0, format) }).filter { $0 != $1 }
    #expect(differing.isEmpty && read.size == Size(side, side), "\(format.name): \(differing.prefix(3))")
  }

  /// The bytes of a pixel in a frame.
  private static func pixel(_ word: UInt64, _ format: Words) -> [UInt8] {
    let target = UInt64(format.layout.depth.rawValue)
    var samples = format.fields.map { field in
      let sample = word >> field.shift & ((1 << field.bits) - 1)
      var (widened, rest) = (UInt64(0), target)
      while rest > 0 {
        let taken = min(field.bits, rest)
        widened = widened << taken | sample >> (field.bits - taken)
        rest -= taken
      }
      return widened
    }
    if !format.layout.isGray, samples.count == 1 { samples = [samples[0], samples[0], samples[0]] }
    if samples.count == 3 { samples.append((1 << target) - 1) }
    if format.layout == .bgra8 { samples.swapAt(0, 2) }
    return samples.flatMap { sample in
      (0..<Int(target / 8)).map { UInt8(truncatingIfNeeded: sample >> (8 * UInt64($0))) }
    }
  }
}

/// Chroma that pixels share lies in the middle of them in a still picture that does not state its place.
@Suite struct StillChromaTests {
  /// As Pillow reads them (`scripts/oracle freeze-stills`), but for the curve between chroma samples, which is a cubic
  /// one in ffmpeg: up to 6, where half a pixel is up to 15.
  @Test(arguments: ["waves.webp", "waves.avif", "waves.jpg", "alpha.webp"])
  func chromaOfStillsIsCentered(_ name: String) async throws {
    let path = Videos.fixture("golden/stills/\(name)")
    let stored = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: nil)).format
    #expect(!stored.layout.isYCbCr || stored.color.siting == .center)
    let read = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: .rgba8)).collected()
    let wanted = try PNGFile(reading: path + ".png").image
    let most = zip(try #require(read.first).planes[0].bytes, wanted.bytes).map { abs(Int($0) - Int($1)) }.max()
    #expect(wanted.size == read[0].size)
    #expect(try #require(most) <= 6)
  }

  /// Chroma of a film lies where it says, or on the left, also where ffmpeg makes red, green and blue of it.
  @Test(arguments: ["left", "topleft", "center", "unspecified"])
  func chromaOfFilmsIsWhereTheySay(_ siting: String) async throws {
    let folder = TemporaryFolder()
    // Chroma rises from column to column at the same luma.
    let ramp = "nullsrc=size=32x16:rate=1,format=yuv420p,geq=lum=120:cb=128:cr=40+10*X"
    let tag = siting == "unspecified" ? "" : "-chroma_sample_location \(siting)"
    try folder.ffmpeg("-f lavfi -i \(ramp) -frames:v 1 -c:v ffv1 -color_range tv \(tag) \(folder("a.mkv"))")
    let read = try await FFmpegSource(.file(folder("a.mkv")), options: FFmpegOptions(layout: .rgba8)).collected()
    // ITU-T H.273 for BT.601; 5 a column, from the first chroma sample, which is half a column to the right in the
    // middle.
    let place = siting == "center" ? 0.5 : 0
    let bytes = read[0].planes[0].bytes
    for x in 8..<24 {
      let red = 1.164 * (120 - 16) + 1.596 * (40 + 5 * (Double(x) - place) - 128)
      #expect(abs(Double(bytes[(8 * 32 + x) * 4]) - red) < 2, "\(siting), column \(x)")
    }
  }
}
