import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageRendererDeviceTests {
  /// Sources and destinations that go together.
  static let formats: [(source: PixelFormat, destination: PixelFormat)] = [
    (.rgba8Unorm, .rgba8Unorm), (.bgra8Unorm, .rgba8Unorm), (.rgba8Unorm, .bgra8Unorm), (.r8Unorm, .rgba8Unorm),
    (.r8Unorm, .r8Unorm), (.rgba16Uint, .rgba16Uint), (.r16Uint, .rgba16Uint), (.r16Uint, .r16Uint),
  ]

  /// Sizes of sources and bounds in a destination of 12×10: equal once upright, enlarged, made smaller, by whole
  /// factors and not, partly outside at every edge, and larger than the destination.
  static let placements: [(Size, Region)] = [
    (Size(1, 1), Region(x: 3, y: 2, width: 1, height: 1)), (Size(1, 1), Region(x: 0, y: 0, width: 12, height: 10)),
    (Size(1, 7), Region(x: 11, y: 0, width: 1, height: 7)), (Size(7, 1), Region(x: 2, y: 1, width: 2, height: 5)),
    (Size(5, 3), Region(x: 4, y: 4, width: 5, height: 3)), (Size(3, 5), Region(x: 4, y: 4, width: 5, height: 3)),
    (Size(5, 3), Region(x: 1, y: 1, width: 11, height: 8)), (Size(17, 11), Region(x: 3, y: 5, width: 6, height: 4)),
    (Size(4, 5), Region(x: 0, y: 0, width: 12, height: 10)), (Size(8, 12), Region(x: 5, y: 1, width: 4, height: 6)),
    (Size(9, 8), Region(x: -3, y: -2, width: 9, height: 8)), (Size(10, 13), Region(x: 6, y: 5, width: 11, height: 9)),
    (Size(6, 7), Region(x: -5, y: -4, width: 25, height: 21)),
  ]

  @Test(arguments: TestDevice.all, formats)
  func everyOrientationSizeAndFilter(
    _ test: TestDevice, _ formats: (source: PixelFormat, destination: PixelFormat)
  ) throws {
    let batch = try Batch(test)
    let renderer = ImageRenderer()
    let start = Picture(Size(12, 10), formats.destination)
    var pipelines = [PipelineKind.render, .automatic]
    for (size, bounds) in Self.placements {
      let source = Picture(size, formats.source)
      for orientation in Orientation.allCases {
        for filter in ImageRenderer.Filter.allCases {
          let rendering = RenderingCase(source: source, bounds: bounds, orientation: orientation, filter: filter)
          try batch.render([rendering], over: start, formats.destination, with: renderer, pipeline: pipelines[0])
          pipelines.swapAt(0, 1)
        }
      }
    }
    try batch.check()
  }

  /// Both pipelines of all that has two, in sizes of several threadgroups.
  @Test(arguments: TestDevice.all, [PixelFormat.rgba8Unorm, .rgba16Uint])
  func bothFormsPaintTheSame(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let renderer = ImageRenderer()
    for pipeline in [PipelineKind.compute, .render] {
      for filter in ImageRenderer.Filter.allCases {
        for blend in ImageRenderer.Blend.allCases {
          let rendering = RenderingCase(
            source: Picture(Size(41, 60), format), bounds: Region(x: 7, y: -9, width: 37, height: 30),
            orientation: .left, filter: filter, blend: blend)
          try batch.render([rendering], over: Picture(Size(51, 37), format), format, with: renderer, pipeline: pipeline)
        }
      }
    }
    try batch.check()
  }

  /// The widest source that every device takes, to bounds so wide that the arithmetic comes near its end: 2047 · 1 049
  /// 013 < 2³¹.
  @Test(arguments: TestDevice.all, ImageRenderer.Filter.allCases)
  func farPlacesAreExact(_ test: TestDevice, _ filter: ImageRenderer.Filter) throws {
    let batch = try Batch(test)
    let source = Picture(Size(2047, 3), .rgba8Unorm)
    let start = Picture(.flat, Size(40, 5), .rgba8Unorm)
    let bounds = Region(x: -1_049_000, y: 0, width: 1_049_013, height: 7)
    let target = try batch.source(start)
    try ImageRenderer().render(
      batch.source(source), to: target, commandBuffer: batch.buffer, bounds: bounds, orientation: .upMirrored,
      filter: filter)
    batch.expect(batch.blit { $0.read(target) }, .rgba8Unorm, "\(filter)") {
      var expected = Raster(start)
      let seen = Raster(source).upright(.upMirrored)
        .scaled(to: bounds.size, filter, columns: -bounds.x..<bounds.size.width, rows: 0..<5)
      expected.paint(seen, x: 0, y: 0, .copy)
      return expected.samples(.rgba8Unorm)
    }
    try batch.check()
  }

  @Test(arguments: TestDevice.all)
  func whatLiesOutsideRecordsNothing(_ test: TestDevice) throws {
    let batch = try Batch(test)
    let source = try batch.texture(.rgba8Unorm, Size(4, 4))
    let target = try batch.texture(.rgba8Unorm, Size(8, 8))
    let renderer = ImageRenderer()
    for bounds in [
      Region(x: 8, y: 0, width: 4, height: 4), Region(x: 0, y: -4, width: 4, height: 4),
      Region(x: 2, y: 2, width: 0, height: 4),
    ] {
      try renderer.render(source, to: target, commandBuffer: batch.buffer, bounds: bounds, blend: .sourceOver)
    }
    #expect(batch.buffer.recording.commands.isEmpty)
    let edge = Region(x: 7, y: -3, width: 4, height: 4)
    try renderer.render(source, to: target, commandBuffer: batch.buffer, bounds: edge)
    #expect(batch.buffer.recording.functions == ["render"])
    try batch.run()
  }
}

extension ImageRendererDeviceTests {
  /// A picture that moves and grows needs no new function for each of its places.
  @Test func allPlacesShareAFunction() throws {
    let batch = try Batch()
    let source = try batch.texture(.rgba8Unorm, Size(4, 4))
    let target = try batch.texture(.rgba8Unorm, Size(32, 32))
    for number in 1...3 {
      let bounds = Region(x: number, y: 2 * number, width: 5 + number, height: 7)
      try ImageRenderer().render(source, to: target, commandBuffer: batch.buffer, bounds: bounds)
    }
    let pipelines = batch.buffer.recording.commands.compactMap { entry in
      if case .dispatch(let dispatch) = entry.command { ObjectIdentifier(dispatch.pipeline) } else { nil }
    }
    #expect(pipelines.count == 3)
    #expect(Set(pipelines).count == 1)
  }
}

@Suite struct ImageRendererErrorDeviceTests {
  private func failure(
    _ from: PixelFormat, _ size: Size = Size(4, 4), to: PixelFormat, _ bounds: Region
  ) throws -> SafelightError? {
    let batch = try Batch()
    let source = try batch.texture(from, size, label: "camera")
    let target = try batch.texture(to, Size(8, 8), label: "screen")
    do throws(SafelightError) {
      try ImageRenderer().render(source, to: target, commandBuffer: batch.buffer, bounds: bounds, label: "frame 17")
    } catch {
      #expect(batch.buffer.recording.commands.isEmpty)
      return error
    }
    return nil
  }

  @Test(arguments: [
    (PixelFormat.rgba8Unorm, PixelFormat.rgba16Uint), (.rgba16Uint, .bgra8Unorm), (.r8Unorm, .r16Uint),
    (.rgba8Unorm, .r8Unorm), (.rgba16Uint, .r16Uint), (.rg8Unorm, .rgba8Unorm), (.rgba8Unorm, .rgba32Float),
    (.r16Float, .r16Uint), (.r32Uint, .r32Uint),
  ])
  func formatsThatDoNotGoTogether(_ from: PixelFormat, _ to: PixelFormat) throws {
    let error = try #require(try failure(from, to: to, Region(x: 0, y: 0, width: 8, height: 8)))
    #expect(error.kind == .unsupported && error.what == "frame 17")
    for part in ["'camera' of \(from.rawValue)", "'screen' of \(to.rawValue)"] {
      #expect(error.why.contains(part), "\(error)")
    }
    #expect(error.remedy?.contains("same bits a sample") == true)
  }

  @Test(arguments: [
    Region(x: 0, y: 0, width: 1 << 30, height: 4), Region(x: 0, y: 0, width: 4, height: .max),
    Region(x: .min, y: 0, width: 4, height: 4), Region(x: 0, y: .max, width: 4, height: 4), Region.noClip,
  ])
  func boundsBeyondReach(_ bounds: Region) throws {
    let error = try #require(try failure(.rgba8Unorm, to: .rgba8Unorm, bounds))
    #expect(error.kind == .limit)
    #expect(error.why.contains("a picture of 4×4 in bounds of \(bounds)"), "\(error)")
  }

  /// 2047 = 23 · 89 and 2²¹ have no common divisor; their product has 32 bits.
  @Test func scalesBeyondReach() throws {
    let wide = Region(x: 0, y: 0, width: 1 << 21, height: 4)
    #expect(try failure(.rgba8Unorm, Size(2047, 4), to: .rgba8Unorm, wide)?.kind == .limit)
    #expect(try failure(.rgba8Unorm, Size(1024, 4), to: .rgba8Unorm, wide) == nil)
    #expect(try failure(.rgba8Unorm, Size(1023, 4), to: .rgba8Unorm, wide) == nil)
  }

  @Test func renderingToItself() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = try Batch()
      let texture = try batch.texture(.rgba8Unorm, Size(4, 4), label: "screen")
      try ImageRenderer().render(
        texture.makeTextureView(), to: texture, commandBuffer: batch.buffer, bounds: Region(size: texture.size))
    }
    expectStop(result, saying: "render reads and paints 'screen'; render into another texture")
  }

  @Test func negativeBounds() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let batch = try Batch()
      try ImageRenderer().render(
        batch.texture(.rgba8Unorm), to: batch.texture(.rgba8Unorm), commandBuffer: batch.buffer,
        bounds: Region(x: 0, y: 0, width: -4, height: 4))
    }
    expectStop(result, saying: "render was given bounds of -4×4; neither number may be negative")
  }
}
