import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite("The libraries that read and write PNGs: the same pictures, the same errors") struct PNGBackendTests {
  @Test("every row filter over every kind and width", arguments: PNGDecoderTests.kinds)
  func filters(kind: (colorType: Int, bitDepth: Int)) throws {
    for width in 1...70 {
      // The first row has nothing above it, whatever its filter.
      for first in [1, 2, 3, 9, 17, 70].contains(width) ? 0..<5 : 0..<1 {
        var png = PNGDecoderTests.file(Size(width, 6), colorType: kind.colorType, bitDepth: kind.bitDepth)
        png.filters = (0..<6).map { (first + $0 * 3) % 5 }
        let bytes = png.bytes
        #expect(try HandmadePNG.readWhole(bytes))
        #expect(try PNGDecoder.decode(bytes, name: "a.png").image == png.expected, "\(width), \(png.filters)")
        #expect(try PNGVerdict(bytes, by: .auto) == PNGVerdict(bytes, by: .libpng))
      }
    }
  }

  @Test("eight rows at once, with any filters, for every set of instructions", arguments: PNGDecoderTests.kinds)
  func filtersOfEightRows(kind: (colorType: Int, bitDepth: Int)) throws {
    func noise(_ x: Int, _ y: Int, _ channel: Int) -> Int {
      let bits = UInt32(truncatingIfNeeded: x &* 73_856_093 ^ y &* 19_349_663 ^ channel &* 83_492_791) &* 2_654_435_761
      // Of steep edges too, at which predictions clash.
      return y % 3 == 0 ? Int(bits >> 24) % 2 * 65535 : Int(bits >> 13)
    }
    for width in Array(1...20) + [33, 70] {
      var png = PNGDecoderTests.file(Size(width, 27), colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.sample = noise
      for filters in [[4], [3], [4, 3], (0..<27).map { noise($0, width, 1) % 5 }, [0, 0, 0, 4, 1, 1, 2, 4, 0]] {
        png.filters = filters
        let bytes = png.bytes
        #expect(try HandmadePNG.readWhole(bytes))
        for level in PNGCodec.levels.indices {
          let read = try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(.auto, level: level))
          #expect(read.image == png.expected, "\(width), \(filters), \(PNGCodec.levels[level])")
        }
      }
    }
  }

  @Test("keys and short palettes over every kind and width", arguments: PNGDecoderTests.kinds)
  func transparency(kind: (colorType: Int, bitDepth: Int)) throws {
    guard kind.colorType < 4 else { return }
    for width in 1...40 {
      var png = PNGDecoderTests.file(Size(width, 6), colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.transparency = kind.colorType == 3 ? [1, 200] : png.key(width / 2, 2)
      let bytes = png.bytes
      #expect(try HandmadePNG.readWhole(bytes))
      #expect(try PNGDecoder.decode(bytes, name: "a.png").image == png.expected, "\(width)")
    }
  }

  @Test("libpng judges a key beyond the depth") func keyBeyondDepth() throws {
    let png = HandmadePNG(width: 5, height: 5, colorType: 0, bitDepth: 2, transparency: [0, 5])
    #expect(try !HandmadePNG.readWhole(png.bytes))
    #expect(try PNGVerdict(png.bytes, by: .auto) == PNGVerdict(png.bytes, by: .libpng))
  }

  @Test(
    "each library reads what the others write", arguments: PNGEncoderTests.channels.map(\.channels),
    SampleDepth.allCases)
  func exchange(channels: Channels, depth: SampleDepth) throws {
    let codecs = PNGCodec.Backend.allCases.map { PNGCodec($0) }
    // The rows of the last are longer than a compressor's window, even in gray of 8 bits.
    for width in Array(1...70) + [7000] {
      let image = SyntheticImage.noise.image(Size(width, 5), channels: channels, depth: depth)
      for compression in width % 16 == 1 ? PNGCompression.allCases : [.fast] {
        for writer in codecs {
          let bytes = try PNGEncoder.encode(PNGFile(image: image), compression: compression, codec: writer)
          for reader in codecs {
            let read = try PNGDecoder.decode(bytes, name: "a.png", codec: reader)
            #expect(read.image.bytes == image.bytes && read.warnings.isEmpty, "\(width) \(writer) \(reader)")
          }
        }
      }
    }
  }

  @Test("earlier work of a codec does not affect a file", arguments: PNGCodec.Backend.allCases)
  func reuse(backend: PNGCodec.Backend) async throws {
    let large = SyntheticImage.noise.image(Size(300, 200), channels: .rgb, depth: .bits8)
    let small = SyntheticImage.ramp.image(Size(70, 50), channels: .rgba, depth: .bits16)
    let codec = PNGCodec(backend)
    for compression in PNGCompression.allCases {
      let first = try PNGEncoder.encode(PNGFile(image: small), compression: compression, codec: codec)
      let between = try PNGEncoder.encode(PNGFile(image: large), compression: compression, codec: codec)
      #expect(try PNGDecoder.decode(between, name: "a.png", codec: codec).image == large)
      #expect(try PNGEncoder.encode(PNGFile(image: small), compression: compression, codec: codec) == first)
      #expect(try PNGEncoder.encode(PNGFile(image: small), compression: compression, codec: PNGCodec(backend)) == first)
    }
  }

  @Test("the addresses of a codec's memory do not affect a file", arguments: PNGCodec.Backend.allCases)
  func addresses(backend: PNGCodec.Backend) throws {
    for size in [Size(19, 1), Size(13, 5), Size(30, 20)] {
      let image = SyntheticImage.flat.image(size, channels: .gray, depth: .bits8)
      // All at once, so that each has memory of its own.
      let codecs = (0..<300).map { _ in PNGCodec(backend) }
      let files = try codecs.map { try PNGEncoder.encode(PNGFile(image: image), codec: $0) }
      withExtendedLifetime(codecs) { #expect(Set(files).count == 1, "\(size)") }
    }
  }

  @Test("pictures too large to be held at once are processed row by row") func sizeOfWholePictures() throws {
    let image = SyntheticImage.flat.image(Size(16, 16), channels: .gray, depth: .bits8)
    let file = PNGFile(image: image)
    // In memory sixteen bytes per row, and in the file its filter byte too.
    let justWhole = PNGCodec(.auto, largestInflated: 272, largestWrittenWhole: 256)
    let tooLarge = PNGCodec(.auto, largestInflated: 271, largestWrittenWhole: 255)
    let bytes = try PNGEncoder.encode(file, codec: justWhole)
    #expect(try bytes == PNGEncoder.encode(file))
    #expect(try PNGEncoder.encode(file, codec: tooLarge) == bytes)
    let byRows = try PNGEncoder.encode(file, compression: .small, codec: tooLarge)
    #expect(try byRows != PNGEncoder.encode(file, compression: .small, codec: justWhole))
    #expect(try byRows == PNGEncoder.encode(file, compression: .small, codec: PNGCodec(.libpng)))
    #expect(try HandmadePNG.readWhole(bytes, justWhole))
    #expect(try !HandmadePNG.readWhole(bytes, tooLarge))
    #expect(try PNGDecoder.decode(bytes, name: "a.png", codec: tooLarge).image == image)
    // The range of the C functions' numbers.
    #expect(PNGCodec().largestInflated < Int(Int32.max))
    // A frame of 8K in the largest format takes the fast way.
    #expect(PNGCodec().largestWrittenWhole >= 7680 * 4320 * 8)
  }

  @Test("the description of a file's dependencies is no wider than they are") func folding() {
    for backend in PNGCodec.Backend.allCases { #expect(PNGCodec(backend).folding(.balanced) == "zlib") }
    for compression in PNGCompression.allCases { #expect(PNGCodec(.libpng).folding(compression) == "zlib") }
    #expect(PNGCompression.allCases.map(PNGCodec().folding) == ["libdeflate", "blocks 1", "zlib", "libdeflate"])
  }
}

extension HandmadePNG {
  /// Returns whether all of the file is decompressed at once.
  static func readWhole(_ bytes: [UInt8], _ codec: PNGCodec = PNGCodec()) throws -> Bool {
    let contents = try PNGContents(scanning: .memory(bytes), name: "a.png", limits: PNGLimits())
    return PNGDecoder.decodeWhole(bytes, contents, codec) != nil
  }
}

@Suite(
  "PngSuite and the files that crashed other readers: one verdict, whichever library reads",
  .enabled(if: PNGSuites.isThere, "scripts/fetch-png-suites fetches them"))
struct PNGSuiteTests {
  @Test(arguments: [
    ("spng-images", 175), ("spng-crashers", 27), ("libpng-pngsuite", 60), ("libpng-testpngs", 127),
    ("libpng-testpngs/crashers", 23),
  ])
  func noFileIsMissing(suite: String, count: Int) {
    #expect(PNGSuites.files(in: suite).count == count, "run scripts/fetch-png-suites again")
  }

  @Test("both ways of reading give the same picture and warnings, or refuse", arguments: PNGSuites.files)
  func verdicts(file: String) throws {
    let bytes = try PNGSuites.bytes(file)
    let verdict = try PNGVerdict(bytes, by: .auto)
    #expect(try verdict == PNGVerdict(bytes, by: .libpng))
    if case .refused(let error) = verdict { #expect(error.kind == .input, "\(error)") }
  }

  /// Otherwise equal verdicts would prove nothing: unsound files are left to libpng in both cases.
  @Test("whole pictures are decompressed at once, unless they are interlaced") func wholePictures() throws {
    var whole = 0
    for file in PNGSuites.files(in: "spng-images") where !file.contains("/x") {
      let bytes = try PNGSuites.bytes(file)
      let isInterlaced = bytes[28] == 1
      #expect(try HandmadePNG.readWhole(bytes) == !isInterlaced, "\(file)")
      whole += isInterlaced ? 0 : 1
    }
    #expect(whole == 126)
  }

  @Test("the corrupt ones are refused", arguments: PNGSuites.files(in: "spng-images").filter { $0.contains("/x") })
  func corrupt(file: String) throws {
    let bytes = try PNGSuites.bytes(file)
    for backend in PNGCodec.Backend.allCases { #expect(try PNGVerdict(bytes, by: backend).file == nil, "\(backend)") }
  }

  @Test("every way of writing preserves a picture", arguments: PNGSuites.files(in: "spng-images"))
  func again(file: String) throws {
    guard case .read(let read) = try PNGVerdict(PNGSuites.bytes(file), by: .auto) else { return }
    for backend in PNGCodec.Backend.allCases {
      for compression in PNGCompression.allCases {
        let bytes = try PNGEncoder.encode(read, compression: compression, codec: PNGCodec(backend))
        let again = try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(.libpng))
        #expect(again.image == read.image && again.grayBits == read.grayBits && again.warnings.isEmpty)
      }
    }
  }
}

/// The files that `scripts/fetch-png-suites` fetched, by their paths under the folder of the suites.
enum PNGSuites {
  static let folder: URL = {
    let environment = ProcessInfo.processInfo.environment
    if let named = environment["SAFELIGHT_PNG_SUITES"] { return URL(filePath: named) }
    let cache = environment["XDG_CACHE_HOME"].map { URL(filePath: $0) } ?? URL.homeDirectory.appending(path: ".cache")
    return cache.appending(path: "safelight/png-suites")
  }()

  /// A folder that somebody names must exist; the cache may be missing.
  static let isThere =
    ProcessInfo.processInfo.environment["SAFELIGHT_PNG_SUITES"] != nil
    || FileManager.default.fileExists(atPath: folder.appending(path: "ready").path)

  /// All PNG files, ordered by name; none if the folder is missing.
  static let files: [String] = {
    let all = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
    return all.filter { $0.hasSuffix(".png") }.sorted()
  }()

  static func files(in suite: String) -> [String] { files.filter { $0.hasPrefix(suite + "/") } }

  static func bytes(_ file: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: folder.appending(path: file))) }
}

/// The result of reading a file: its contents, or why it was refused.
enum PNGVerdict: Equatable {
  case read(PNGFile)
  case refused(SafelightError)

  init(_ bytes: [UInt8], by backend: PNGCodec.Backend, name: String = "a.png") throws {
    try self.init { try PNGDecoder.decode(bytes, name: name, codec: PNGCodec(backend)) }
  }

  init(_ read: () throws -> PNGFile) throws {
    do {
      self = .read(try read())
    } catch let error as SafelightError {
      self = .refused(error)
    }
  }

  /// The contents; nil if the file was refused.
  var file: PNGFile? { if case .read(let file) = self { file } else { nil } }
}
