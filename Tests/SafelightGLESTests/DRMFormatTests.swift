import SafelightGLES
import SafelightImage
import Testing

@Suite struct DRMFormatTests {
  /// The kernel's codes, from the characters that drm_fourcc.h spells them with.
  @Test(arguments: [
    (DRMFormat.r8, "R8  ", PixelFormat.r8Unorm), (.gr88, "GR88", .rg8Unorm), (.argb8888, "AR24", .bgra8Unorm),
    (.xrgb8888, "XR24", .bgra8Unorm), (.abgr8888, "AB24", .rgba8Unorm), (.xbgr8888, "XB24", .rgba8Unorm),
  ])
  func codesAndPixelFormats(_ format: DRMFormat, _ characters: String, _ pixelFormat: PixelFormat) {
    #expect(format.rawValue == Array(characters.utf8).reversed().reduce(0) { $0 << 8 | UInt32($1) })
    #expect(format.description == characters.replacing(" ", with: ""))
    #expect(format.planeCount == 1)
    #expect(format.plane(0) == format)
    #expect(format.pixelFormat(ofPlane: 0) == pixelFormat)
    #expect(format.size(ofPlane: 0, in: Size(7, 5)) == Size(7, 5))
  }

  @Test func twoPlanesOfVideo() {
    let format = DRMFormat.nv12
    #expect(format.description == "NV12")
    #expect(format.planeCount == 2)
    #expect([format.plane(0), format.plane(1)] == [.r8, .gr88])
    #expect([format.pixelFormat(ofPlane: 0), format.pixelFormat(ofPlane: 1)] == [.r8Unorm, .rg8Unorm])
    #expect(format.size(ofPlane: 0, in: Size(7, 5)) == Size(7, 5))
    #expect(format.size(ofPlane: 1, in: Size(7, 5)) == Size(4, 3))
  }

  @Test func whoseFourthByteMeansNothing() {
    #expect(DRMFormat.allCases.filter(\.isOpaque) == [.xrgb8888, .xbgr8888])
  }
}
