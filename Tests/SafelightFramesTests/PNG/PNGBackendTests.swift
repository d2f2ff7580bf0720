import SafelightFrames
import SafelightImage
import Testing

@Suite("The libraries that read and write PNGs: the same pictures, the same refusals")
struct PNGBackendTests {
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

  @Test("keys and short palettes over every kind and width", arguments: PNGDecoderTests.kinds)
  func transparency(kind: (colorType: Int, bitDepth: Int)) throws {
    guard kind.colorType < 4 else { return }
    for width in 1...40 {
      var png = PNGDecoderTests.file(Size(width, 6), colorType: kind.colorType, bitDepth: kind.bitDepth)
      png.transparency =
        kind.colorType == 3
        ? [1, 200]
        : (0..<png.samplesPerPixel).flatMap { channel -> [UInt8] in
          let key = png.stored(width / 2, 2, channel)
          return [UInt8(key >> 8), UInt8(key & 255)]
        }
      let bytes = png.bytes
      #expect(try HandmadePNG.readWhole(bytes))
      #expect(try PNGDecoder.decode(bytes, name: "a.png").image == png.expected, "\(width)")
    }
  }

  @Test("a key beyond the depth is libpng's to judge")
  func keyBeyondDepth() throws {
    var png = HandmadePNG(width: 5, height: 5, colorType: 0, bitDepth: 2)
    png.transparency = [0, 5]
    #expect(try !HandmadePNG.readWhole(png.bytes))
    #expect(try PNGVerdict(png.bytes, by: .auto) == PNGVerdict(png.bytes, by: .libpng))
  }

  @Test("what one writes the others read", arguments: PNGEncoderTests.channels.map(\.channels), SampleDepth.allCases)
  func exchange(channels: Channels, depth: SampleDepth) throws {
    let codecs = PNGCodec.Backend.allCases.map { PNGCodec($0) }
    // The last two are long enough for ISA-L, in grey of 8 bits too.
    for width in Array(1...70) + [5000, 5001] {
      let image = SyntheticImage.noise.image(Size(width, 5), channels: channels, depth: depth)
      #expect(width < 5000 || image.bytes.count >= ISALDeflater.minimumByteCount)
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

  @Test("what a codec did before leaves no trace in a file", arguments: PNGCodec.Backend.allCases)
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

  @Test("where a codec's memory lies leaves no trace in a file", arguments: PNGCodec.Backend.allCases)
  func addresses(backend: PNGCodec.Backend) throws {
    let image = SyntheticImage.flat.image(Size(13, 5), channels: .gray, depth: .bits8)
    // All at once, so that each has memory of its own.
    let codecs = (0..<300).map { _ in PNGCodec(backend) }
    let files = try codecs.map { try PNGEncoder.encode(PNGFile(image: image), codec: $0) }
    withExtendedLifetime(codecs) { #expect(Set(files).count == 1) }
  }

  @Test("what is too large to be held at once goes row by row")
  func sizeOfWholePictures() throws {
    let image = SyntheticImage.flat.image(Size(16, 16), channels: .gray, depth: .bits8)
    let file = PNGFile(image: image)
    // In memory sixteen bytes a row, and in the file that of their filter too.
    let justWhole = PNGCodec(.auto, largestUnfolded: 272, largestWrittenWhole: 256)
    let tooLarge = PNGCodec(.auto, largestUnfolded: 271, largestWrittenWhole: 255)
    let bytes = try PNGEncoder.encode(file, codec: justWhole)
    #expect(try bytes == PNGEncoder.encode(file))
    let byRows = try PNGEncoder.encode(file, codec: tooLarge)
    #expect(try byRows != bytes && byRows == PNGEncoder.encode(file, codec: PNGCodec(.libpng)))
    #expect(try HandmadePNG.readWhole(bytes, justWhole))
    #expect(try !HandmadePNG.readWhole(bytes, tooLarge))
    #expect(try PNGDecoder.decode(bytes, name: "a.png", codec: tooLarge).image == image)
    // What the C functions count in.
    #expect(PNGCodec().largestUnfolded < Int(Int32.max))
    // A frame of 8K in the largest kind takes the fast way.
    #expect(PNGCodec().largestWrittenWhole >= 7680 * 4320 * 8)
  }

  @Test("what the bytes of a file depend on says no more than they do")
  func folding() {
    for backend in PNGCodec.Backend.allCases { #expect(PNGCodec(backend).folding(.balanced) == "zlib") }
    for compression in PNGCompression.allCases { #expect(PNGCodec(.libpng).folding(compression) == "zlib") }
    for compression in [PNGCompression.store, .small] {
      #expect(PNGCodec(.auto).folding(compression) == PNGCodec(.libdeflate).folding(compression))
    }
    #expect((PNGCodec(.auto).folding(.fast) != PNGCodec(.libdeflate).folding(.fast)) == ISALDeflater.isSound)
  }
}

extension HandmadePNG {
  /// Whether all of the file is unfolded at once.
  static func readWhole(_ bytes: [UInt8], _ codec: PNGCodec = PNGCodec()) throws -> Bool {
    let contents = try PNGContents(scanning: bytes, name: "a.png", limits: PNGLimits())
    return PNGDecoder.decodeWhole(bytes, contents, codec) != nil
  }
}
