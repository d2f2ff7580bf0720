import Safelight
import SafelightImage
import TestSupport
import Testing

/// Pictures scaled by a transform, against `scripts/oracle freeze-scaling`.
@Suite struct ScaleDeviceTests {
  private struct Frozen: Decodable {
    let source: String
    let filter: String
    /// Columns and rows of the destination.
    let size: [Int]
    /// scaleX, scaleY, translateX and translateY.
    let transform: [Double]?
    /// Column, row, columns and rows that are written.
    let clip: [Int]?
    let hash: String

    var destination: Size { Size(size[0], size[1]) }
    var scaleTransform: ScaleTransform? {
      transform.map { ScaleTransform(scaleX: $0[0], scaleY: $0[1], translateX: $0[2], translateY: $0[3]) }
    }
    var clipRect: Region? { clip.map { Region(x: $0[0], y: $0[1], width: $0[2], height: $0[3]) } }
  }

  /// The value that every byte of a destination has before it is written.
  private static let before: UInt8 = 0x4d

  private static func kernel(_ filter: String, _ device: Device) -> any ImageScale {
    filter == "bilinear" ? ImageBilinearScale(device: device) : ImageLanczosScale(device: device)
  }

  /// Records a case into a new texture, which it returns.
  private static func encode(
    _ filter: String, _ transform: ScaleTransform?, _ clip: Region?, of source: Texture, to size: Size,
    in buffer: CommandBuffer, on device: Device, pipeline: PipelineKind = .automatic
  ) throws -> Texture {
    let format = source.pixelFormat
    let bytes = [UInt8](repeating: before, count: size.area * format.bytesPerPixel)
    let made = try device.makeTexture(size, format, bytes: bytes, label: "destination")
    var scale = Self.kernel(filter, device)
    (scale.scaleTransform, scale.clipRect) = (transform, clip)
    try scale.encode(to: buffer, source: source, destination: made, pipeline: pipeline)
    return made
  }

  @Test(arguments: TestDevice.all, [PipelineKind.render, .compute])
  func picturesArePillowsAndNumPys(_ test: TestDevice, _ pipeline: PipelineKind) throws {
    let device = try test.open()
    let cases: [Frozen] = try Fixtures.golden("scaling/cases")
    #expect(cases.count > 200)
    #expect(cases.count { $0.transform != nil && $0.clip != nil } > 20)
    for (source, cases) in Dictionary(grouping: cases, by: \.source) {
      let image = try Fixtures.image(source)
      if pipeline == .compute && !image.pixelFormat.isStorable { continue }
      let readbacks = try device.run { buffer in
        let texture = try buffer.texture(image)
        return try cases.map { frozen in
          let made = try Self.encode(
            frozen.filter, frozen.scaleTransform, frozen.clipRect, of: texture, to: frozen.destination, in: buffer,
            on: device, pipeline: pipeline)
          return buffer.blit { $0.read(made) }
        }
      }
      for (frozen, readback) in zip(cases, readbacks) {
        #expect(try SHA256.hash(readback.contents()).hexadecimal == frozen.hash, "\(frozen)")
      }
    }
  }

  /// Without a transform the rules are those of the filter `resize`, whatever alpha is.
  @Test(arguments: TestDevice.all) func wholePicturesAreThoseOfResize(_ test: TestDevice) throws {
    let device = try test.open()
    for (format, channels) in [(PixelFormat.bgra8Unorm, Channels.rgba), (.r16Uint, .gray), (.rgba16Uint, .rgba)] {
      let image = SyntheticImage.noise.image(Size(53, 37), channels: channels, depth: format.depth)
      let source = try device.makeTexture(image.size, format, bytes: image.bytes)
      for size in [Size(53, 37), Size(20, 80), Size(53, 11), Size(1, 1)] {
        for (filter, mode) in [("bilinear", ImageResize.Mode.bilinear), ("lanczos", .lanczos)] {
          let readbacks = try device.run { buffer in
            let made = try Self.encode(filter, nil, .noClip, of: source, to: size, in: buffer, on: device)
            let resized = try device.makeTexture(size, format)
            var resize = ImageResize(device: device, mode: mode)
            resize.alphaMode = .asIs
            try resize.encode(to: buffer, source: source, destination: resized)
            return buffer.blit { blit in [made, resized].map { blit.read($0) } }
          }
          #expect(try readbacks[0].contents() == readbacks[1].contents(), "\(filter) of \(format) to \(size)")
        }
      }
    }
  }

  /// A point goes to `x · scaleX + translateX`, and what lies beyond the edges is as the edge.
  @Test(arguments: TestDevice.all, ["bilinear", "lanczos"])
  func translationsMovePixels(_ test: TestDevice, _ filter: String) throws {
    let device = try test.open()
    let source = try device.makeTexture(Size(3, 1), .r8Unorm, bytes: [10, 20, 30])
    func made(_ transform: ScaleTransform, _ clip: Region? = nil) throws -> [UInt8] {
      try device.run { buffer in
        let made = try Self.encode(filter, transform, clip, of: source, to: Size(7, 1), in: buffer, on: device)
        return buffer.blit { $0.read(made) }
      }.contents()
    }
    let moved = try made(ScaleTransform(translateX: 2))
    #expect(Array(moved[2..<5]) == [10, 20, 30])
    #expect(Set(moved[..<2]).count == 1 && Set(moved[5...]).count == 1)
    if filter == "bilinear" { #expect(moved == [10, 10, 10, 20, 30, 30, 30]) }
    let clipped = try made(ScaleTransform(translateX: 2), Region(x: 3, y: 0, width: 2, height: 9))
    #expect(clipped == [0x4d, 0x4d, 0x4d, 20, 30, 0x4d, 0x4d])
    // Nothing is written.
    for clip in [Region(x: 7, y: 0, width: 2, height: 1), Region(x: 0, y: 0, width: 0, height: 1)] {
      #expect(try made(ScaleTransform(), clip) == [UInt8](repeating: 0x4d, count: 7))
    }
  }

  /// A kernel keeps the passes of a call, which serve no other: calls that follow one another differ in the picture,
  /// the size or the transform alone.
  @Test(arguments: ["bilinear", "lanczos"]) func callsOfOneKernelAreApart(_ filter: String) throws {
    let device = try Device.open(.cpu)
    var kernel = Self.kernel(filter, device)
    let moved = ScaleTransform(scaleX: 1.5, translateY: 3)
    let calls: [(source: Size, transform: ScaleTransform?, made: Size)] = [
      (Size(17, 11), nil, Size(12, 9)), (Size(13, 19), nil, Size(12, 9)), (Size(13, 19), nil, Size(9, 12)),
      (Size(13, 19), moved, Size(9, 12)), (Size(17, 11), moved, Size(9, 12)), (Size(17, 11), nil, Size(9, 12)),
    ]
    for call in calls {
      let image = SyntheticImage.noise.image(call.source, channels: .rgba, depth: .bits8)
      let readbacks = try device.run { buffer in
        let source = try buffer.texture(image)
        kernel.scaleTransform = call.transform
        let made = try device.makeTexture(call.made, .rgba8Unorm)
        try kernel.encode(to: buffer, source: source, destination: made)
        let alone = try Self.encode(filter, call.transform, nil, of: source, to: call.made, in: buffer, on: device)
        return buffer.blit { blit in [made, alone].map { blit.read($0) } }
      }
      #expect(try readbacks[0].contents() == readbacks[1].contents(), "\(call)")
    }
  }

  @Test(arguments: ["bilinear", "lanczos"]) func whatCannotBeScaledIsRefused(_ filter: String) throws {
    let device = try Device.open(.cpu)
    func error(
      _ transform: ScaleTransform? = nil, from: PixelFormat = .rgba8Unorm, _ fromSize: Size = Size(4, 4),
      to: PixelFormat = .rgba8Unorm, _ toSize: Size = Size(4, 4)
    ) throws -> SafelightError? {
      let source = try device.makeTexture(fromSize, from, label: "camera")
      let target = try device.makeTexture(toSize, to, label: "screen")
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "scale")
      do throws(SafelightError) {
        var scale = Self.kernel(filter, device)
        scale.scaleTransform = transform
        try scale.encode(to: buffer, source: source, destination: target)
        return nil
      } catch {
        return error
      }
    }
    #expect(try error() == nil)
    for (from, to) in [(PixelFormat.rgba8Unorm, PixelFormat.bgra8Unorm), (.r8Unorm, .r16Uint), (.rg8Unorm, .rg8Unorm)] {
      let refusal = try #require(try error(from: from, to: to))
      #expect(refusal.kind == .unsupported && refusal.what == "\(filter) scale")
      for part in ["'camera' of \(from.rawValue)", "'screen' of \(to.rawValue)"] {
        #expect(refusal.why.contains(part), "\(refusal)")
      }
    }
    for transform in [
      ScaleTransform(translateX: 1e8), ScaleTransform(translateY: -1e300), ScaleTransform(scaleX: 1e-9),
      ScaleTransform(scaleY: .leastNonzeroMagnitude),
    ] {
      #expect(try error(transform)?.kind == .unsupported, "\(transform)")
    }
    #expect(try error(ScaleTransform(scaleX: 1e300, scaleY: 1e300)) == nil)
    let long = try error(nil, Size(4099, 1), Size(1, 1))
    #expect(long?.kind == (filter == "lanczos" ? .limit : nil))
  }

  @Test(arguments: [0, 1, 2, 3, 4]) func mistakesTrap(_ mistake: Int) async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [mistake] in
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(4, 4), .rgba8Unorm, label: "camera")
      let other = try device.makeTexture(Size(4, 4), .rgba8Unorm)
      let buffer = device.makeCommandQueue().makeCommandBuffer(label: "scale")
      var scale = ImageLanczosScale(device: device)
      switch mistake {
      case 0: scale.scaleTransform = ScaleTransform(scaleX: 0)
      case 1: scale.scaleTransform = ScaleTransform(scaleY: -1)
      case 2: scale.scaleTransform = ScaleTransform(translateX: .nan)
      case 3: scale.clipRect = Region(x: 0, y: 0, width: -4, height: 4)
      default: break
      }
      try scale.encode(
        to: buffer, source: source, destination: mistake == 4 ? source.makeTextureView() : other)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    let words = [
      "its scales must be above 0", "its scales must be above 0", "all its numbers finite",
      "a clipRect of -4×4; neither number may be negative", "lanczos scale reads and paints",
    ]
    #expect(said.contains(words[mistake]), "\(said)")
  }
}
