import SafelightFrames
import SafelightImage
import Testing

@Suite("Streams of libdeflate") struct DeflateTests {
  private static let bytes = SyntheticImage.noise.image(Size(300, 100), channels: .rgb, depth: .bits8).bytes

  private func deflated(
    _ bytes: [UInt8] = Self.bytes, room: Int,
    by deflate: (UnsafeRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int?
  ) -> [UInt8]? {
    var stream = [UInt8](repeating: 0, count: room)
    let count = stream.withUnsafeMutableBytes { stream in bytes.withUnsafeBytes { deflate($0, stream) } }
    return count.map { Array(stream[..<$0]) }
  }

  private func inflated(_ stream: [UInt8], to count: Int) throws -> [UInt8]? {
    let inflater = try #require(Inflater())
    var bytes = [UInt8](repeating: 0, count: count)
    let isDone = bytes.withUnsafeMutableBytes { bytes in stream.withUnsafeBytes { inflater.inflate($0, into: bytes) } }
    return isDone ? bytes : nil
  }

  @Test("streams decompress to their input, to its exact length, and only as a whole") func roundTrip() throws {
    let deflater = try #require(Deflater(level: 1))
    let room = Deflater.bound(Self.bytes.count)
    let stream = try #require(deflated(room: room) { deflater.deflate($0, into: $1) })
    #expect(try inflated(stream, to: Self.bytes.count) == Self.bytes)
    #expect(try inflated(stream, to: Self.bytes.count - 1) == nil)
    #expect(try inflated(stream, to: Self.bytes.count + 1) == nil)
    #expect(try inflated(stream + [0], to: Self.bytes.count) == nil)
    #expect(try inflated(stream.dropLast(), to: Self.bytes.count) == nil)
    #expect(try inflated([], to: Self.bytes.count) == nil)
  }

  @Test("a stream that does not fit is not written, nor is anything outside its room") func room() throws {
    let deflater = try #require(Deflater(level: 1))
    for room in [0, 1, 5, 100, 50_000] {
      #expect(deflated(room: room) { deflater.deflate($0, into: $1) } == nil)
    }
  }

  @Test("noise is preserved and grows little") func noise() throws {
    // Nothing in it repeats, and all values are equally likely.
    let image = SyntheticImage.noise.image(Size(512, 512), channels: .rgba, depth: .bits16)
    for backend in PNGCodec.Backend.allCases {
      let bytes = try PNGEncoder.encode(PNGFile(image: image), codec: PNGCodec(backend))
      #expect(try PNGDecoder.decode(bytes, name: "a.png", codec: PNGCodec(.libpng)).image.bytes == image.bytes)
      #expect(bytes.count < image.bytes.count * 101 / 100)
    }
  }

  @Test("a stream that decompresses to far more than the picture is cut at the picture's end") func bomb() throws {
    let deflater = try #require(Deflater(level: 1))
    let zeros = [UInt8](repeating: 0, count: 30_000_000)
    let stream = try #require(deflated(zeros, room: 1_000_000) { deflater.deflate($0, into: $1) })
    let bytes = PNGStreamTests.file(stream)
    let verdict = try PNGVerdict(bytes, by: .auto)
    #expect(try verdict == PNGVerdict(bytes, by: .libpng))
    let file = try #require(verdict.file)
    #expect(file.image.bytes.count == 9 * 7 * 4 && file.warnings.count == 1)
  }
}
