import SafelightImage
import Testing

@Suite struct ImagePixelFormatTests {
  private let size = Size(2, 1)

  @Test func blueFirstBecomesRedFirst() throws {
    let image = try Image(size: size, pixelFormat: .bgra8Unorm, bytes: [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(image == Image(size: size, channels: .rgba, depth: .bits8, bytes: [3, 2, 1, 4, 7, 6, 5, 8]))
  }

  @Test(arguments: [
    (PixelFormat.r8Unorm, Channels.gray, SampleDepth.bits8), (.rgba8Unorm, .rgba, .bits8), (.r16Uint, .gray, .bits16),
    (.r16Unorm, .gray, .bits16), (.rgba16Uint, .rgba, .bits16), (.rgba16Unorm, .rgba, .bits16),
  ])
  func othersStayAsTheyLie(_ format: PixelFormat, _ channels: Channels, _ depth: SampleDepth) throws {
    let bytes = (0..<UInt8(2 * format.bytesPerPixel)).map { $0 }
    let image = try Image(size: size, pixelFormat: format, bytes: bytes)
    #expect(image == Image(size: size, channels: channels, depth: depth, bytes: bytes))
  }

  @Test(arguments: [
    PixelFormat.rg8Unorm, .rg16Uint, .rg16Unorm, .r32Uint, .r16Float, .rg16Float, .rgba16Float, .rgba32Uint, .r32Float,
    .rg32Float,
    .rgba32Float,
  ])
  func whatIsNoPictureIsRefused(_ format: PixelFormat) {
    let bytes = [UInt8](repeating: 0, count: 2 * format.bytesPerPixel)
    let error = #expect(throws: SafelightError.self) { try Image(size: size, pixelFormat: format, bytes: bytes) }
    #expect(error?.kind == .unsupported)
    #expect(error?.what == "picture of \(format.rawValue)")
  }
}

@Suite struct RegionTests {
  @Test func tilesCoverEveryPixelOnce() {
    let region = Region(x: 3, y: 5, width: 70, height: 33)
    let tiles = region.tiles(edge: 32)
    #expect(tiles.count == 6)
    #expect(tiles.map(\.size.area).reduce(0, +) == region.size.area)
    for (index, tile) in tiles.enumerated() {
      #expect(tile.intersection(region) == tile)
      for other in tiles[(index + 1)...] { #expect(tile.intersection(other).size.isEmpty) }
    }
  }

  @Test func intersectionOfDisjointRegionsIsEmpty() {
    let left = Region(x: 0, y: 0, width: 4, height: 4)
    #expect(left.intersection(Region(x: 4, y: 0, width: 4, height: 4)).size.isEmpty)
    #expect(left.intersection(.noClip) == left)
  }
}

@Suite struct ArrayBytesTests {
  @Test(
    arguments: [([], []), ([1], [1]), ([1], []), ([1, 2, 3], [1, 2, 4]), ([3, 2, 1], [3, 2, 1])] as [([UInt8], [UInt8])]
  )
  func bytesAreEqualWhereArraysAre(_ a: [UInt8], _ b: [UInt8]) { #expect(a.hasSameBytes(as: b) == (a == b)) }

  @Test func partsAreCompared() {
    let bytes: [UInt8] = [7, 7, 7, 8]
    #expect(bytes.hasSameBytes(in: 0..<2, as: bytes, in: 1..<3))
    #expect(!bytes.hasSameBytes(in: 1..<3, as: bytes, in: 2..<4))
    #expect(bytes.hasSameBytes(in: 4..<4, as: [], in: 0..<0))
  }
}
