import SafelightGPU
import SafelightImage
import SafelightKernels
import Testing

@Suite struct YCbCrTagTests {
  private static func frame(_ layout: PixelLayout, _ color: ColorDescription) -> VideoFrame {
    let size = Size(2, 2)
    let planes = zip(layout.planeFormats, layout.planeByteCounts(of: size)).enumerated().map { index, plane in
      PixelPlane(
        size: layout.planeSize(index, of: size), pixelFormat: plane.0, bytes: [UInt8](repeating: 0, count: plane.1))
    }
    return VideoFrame(index: 7, size: size, layout: layout, planes: planes, presentationTime: .zero, color: color)
  }

  private static let made = ColorDescription(matrix: .bt601, range: .full)

  @Test(arguments: [
    ColorDescription(matrix: .bt709, range: .limited), ColorDescription(matrix: .bt709),
    ColorDescription(range: .limited), ColorDescription(matrix: .bt601, range: .full, siting: .center),
  ])
  func aFrameOfAnotherMeaningIsRefused(_ color: ColorDescription) throws {
    let kernel = try ImageYCbCrToRGB(device: try Device.open(.cpu), layout: .yCbCr420Planar8, color: Self.made)
    let error = #expect(throws: SafelightError.self) { try kernel.check(Self.frame(.yCbCr420Planar8, color)) }
    #expect(error?.kind == .input && error?.what == "frame 8")
    #expect(error?.why.contains("tagged \(color), but the kernel was made for yCbCr420Planar8 of bt601 full") == true)
  }

  @Test(arguments: [
    ColorDescription.unspecified, made, ColorDescription(matrix: .bt601, range: .full, siting: .left),
    ColorDescription(range: .full, transfer: .pq),
  ])
  func whatAFrameLeavesOpenContradictsNothing(_ color: ColorDescription) throws {
    let kernel = try ImageYCbCrToRGB(device: try Device.open(.cpu), layout: .yCbCr420Planar8, color: Self.made)
    #expect(throws: Never.self) { try kernel.check(Self.frame(.yCbCr420Planar8, color)) }
    #expect(throws: SafelightError.self) { try kernel.check(Self.frame(.yCbCr422Planar8, color)) }
  }

  @Test(arguments: [
    (PixelLayout.rgba8, ColorDescription(matrix: .bt601, range: .full), "no luma"),
    (.yCbCr420BiPlanar8, ColorDescription(range: .full), "its color matrix, unspecified"),
    (.yCbCr420BiPlanar8, ColorDescription(matrix: .other, range: .full), "its color matrix, other"),
    (.yCbCr420BiPlanar8, ColorDescription(matrix: .bt709), "its range is unspecified"),
    (.yCbCr420BiPlanar8, ColorDescription(matrix: .bt709, range: .full, siting: .other), "siting has no name"),
  ])
  func nothingIsGuessed(_ layout: PixelLayout, _ color: ColorDescription, _ why: String) throws {
    let device = try Device.open(.cpu)
    for make in [
      { _ = try ImageYCbCrToRGB(device: device, layout: layout, color: color) },
      { _ = try ImageRGBToYCbCr(device: device, layout: layout, color: color) },
    ] {
      let error = #expect(throws: SafelightError.self, performing: make)
      #expect(error?.kind == .unsupported && error?.why.contains(why) == true)
    }
  }

  @Test(arguments: PixelLayout.allCases.filter(\.isYCbCr)) func namesSayWhatTheLayoutIs(_ layout: PixelLayout) throws {
    let yCbCr = try #require(layout.yCbCr)
    let chroma = yCbCr.subsampling.rawValue.filter { $0 != ":" }
    #expect(layout.rawValue == "yCbCr\(chroma)\(yCbCr.isBiPlanar ? "BiPlanar" : "Planar")\(yCbCr.bits)")
    #expect(yCbCr.shift == (layout.rawValue.hasSuffix("BiPlanar10") ? 6 : 0))
    #expect(layout.planeFormats.count == (yCbCr.isBiPlanar ? 2 : 3))
  }
}
