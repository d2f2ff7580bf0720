import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

@Suite struct ImageHistogramDeviceTests {
  @Test(arguments: TestDevice.all, Picture.formats)
  func everyFormCountsEverySizeAndInput(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    var results: [(picture: Picture, form: HistogramForm, counts: Readback)] = []
    for picture in Picture.all(format, on: batch.device) {
      let source = try batch.source(picture.image)
      for form in HistogramForm.allCases {
        results.append((picture, form, try batch.counts(of: source, HistogramInfo()) { $0.form = form }))
      }
    }
    try batch.run()
    // The automatic form comes first and is one of the others.
    let functions = batch.buffer.recording.functions
    #expect(functions[1..<4] == ["histogram_private", "histogram_shared", "histogram_global"])
    #expect(functions[1..<4].contains(functions[0]))
    for (picture, form, counts) in results {
      let expected = try #require(Self.expected[picture.description])
      expectEqual(try counts.words(), expected, "\(picture), \(form)")
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  /// llvmpipe leaves loops after 65535 rounds; a lane of the private form must need fewer.
  @Test(arguments: TestDevice.gles)
  func moreRoundsThanADriverLoops(_ test: TestDevice) throws {
    let batch = try Batch(test)
    var results: [(counts: Readback, expected: [Int], size: Size)] = []
    for (size, channels) in [(Size(2048, 2048), Channels.rgba), (Size(8, 2048), .gray), (Size(2048, 2047), .gray)] {
      let format = PixelFormat(channels: channels, depth: .bits8)
      let bytes = [UInt8](repeating: 77, count: size.area * format.bytesPerPixel)
      let source = try batch.source(Image(size: size, channels: channels, depth: .bits8, bytes: bytes))
      let counts = try batch.counts(of: source, HistogramInfo()) { $0.form = .private }
      let expected = (0..<256 * (channels == .gray ? 1 : 3)).map { $0 % 256 == 77 ? size.area : 0 }
      results.append((counts, expected, size))
    }
    try batch.run()
    for (counts, expected, size) in results { expectEqual(try counts.words(), expected, "\(size)") }
  }

  /// Worked out once for all devices.
  private static let expected = Dictionary(
    uniqueKeysWithValues: Picture.formats.flatMap { Picture.all($0) }.map { ($0.description, expectedCounts($0)) })

  @Test(arguments: TestDevice.all, Picture.formats)
  func everyNumberOfEntries(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), format)
    let source = try batch.source(picture.image)
    let results = try HistogramInfo.entryCounts.map { entries in
      let info = HistogramInfo(entries: entries)
      return (info, try batch.counts(of: source, info) { $0.form = .shared })
    }
    try batch.run()
    // Counts that do not fit into threadgroup memory are gathered in the buffer.
    let names = batch.buffer.recording.functions
    #expect(names.first == "histogram_shared" && names.last == "histogram_global")
    for (info, counts) in results {
      expectEqual(try counts.words(), expectedCounts(picture, info), "\(info.entries) entries")
    }
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func valuesOutsideTheRangeCountInTheOuterEntries(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(130, 5), format)
    let info = HistogramInfo(
      entries: 512, histogramForAlpha: true, minPixelValue: SIMD4(0.25, 0, 0.5, 0.2),
      maxPixelValue: SIMD4(0.75, 1, 1, 0.2001))
    let source = try batch.source(picture.image)
    let results = try HistogramForm.allCases.map { form in try batch.counts(of: source, info) { $0.form = form } }
    try batch.run()
    // The ends times 255 and 65535, rounded; a range below one step is one step.
    let is8Bit = format.maximum == 255
    let expected = expectedCounts(
      picture, info, low: is8Bit ? [64, 0, 128, 51] : [16384, 0, 32768, 13107],
      high: is8Bit ? [191, 255, 255, 52] : [49151, 65535, 65535, 13114])
    for counts in results { expectEqual(try counts.words(), expected, "range") }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func alphaIsCountedOnRequest(_ test: TestDevice, _ format: PixelFormat) throws {
    try check(test, HistogramInfo(histogramForAlpha: true), format)
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func lumaHasOnePlane(_ test: TestDevice, _ format: PixelFormat) throws {
    try check(test, HistogramInfo(histogramForAlpha: true, channels: .luma), format)
    try check(test, .complete(.bits16, channels: .luma), format, forms: [.automatic])
  }

  @Test(arguments: TestDevice.all, Picture.formats)
  func clipRectangleIsCutToThePicture(_ test: TestDevice, _ format: PixelFormat) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(130, 67), format)
    let source = try batch.source(picture.image)
    let clips = [
      Region(x: 0, y: 0, width: 130, height: 67), Region(x: 3, y: 5, width: 70, height: 1),
      Region(x: 129, y: 66, width: 1, height: 1), Region(x: 100, y: 60, width: 500, height: 500),
      Region(x: -10, y: -20, width: 15, height: 87), Region(x: 130, y: 0, width: 9, height: 9),
      Region(x: 5, y: -9, width: 9, height: 9), Region(x: 7, y: 7, width: 0, height: 3), .noClip,
    ]
    let results = try clips.map { clip in
      try HistogramForm.allCases.map { form in
        try batch.counts(of: source, HistogramInfo()) { kernel in
          kernel.form = form
          kernel.clipRectSource = clip
        }
      }
    }
    try batch.run()
    for (clip, forms) in zip(clips, results) {
      let expected = expectedCounts(picture, clip: clip)
      for (form, counts) in zip(HistogramForm.allCases, forms) {
        expectEqual(try counts.words(), expected, "\(clip), \(form)")
      }
    }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, HistogramForm.allCases)
  func countsAreAddedWithoutZeroing(_ test: TestDevice, _ form: HistogramForm) throws {
    let batch = try Batch(test)
    let pictures = [Picture(.noise, Size(17, 31), .rgba8Unorm), Picture(.ramp, Size(130, 5), .rgba8Unorm)]
    let bins = try batch.device.makeBuffer(length: 3072)
    var kernel = ImageHistogram(device: batch.device)
    kernel.form = form
    for picture in pictures {
      kernel.encode(to: batch.buffer, source: try batch.source(picture.image), histogram: bins)
      kernel.zeroHistogram = false
    }
    let both = batch.blit { $0.read(bins, range: 0..<3072) }
    kernel.zeroHistogram = true
    kernel.encode(to: batch.buffer, source: try batch.source(pictures[1].image), histogram: bins)
    let last = batch.blit { $0.read(bins, range: 0..<3072) }
    try batch.run()
    let expected = pictures.map { expectedCounts($0) }
    expectEqual(try both.words(), zip(expected[0], expected[1]).map(+), "both")
    expectEqual(try last.words(), expected[1], "counts from zero again")
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test(arguments: TestDevice.all, HistogramForm.allCases)
  func wordsAroundTheHistogramStay(_ test: TestDevice, _ form: HistogramForm) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), .rgba16Uint)
    let bins = try batch.device.makeBuffer(length: 32 + 3072 + 32)
    batch.blit { $0.fill(bins, range: 0..<bins.length, value: 0xA5) }
    var kernel = ImageHistogram(device: batch.device)
    kernel.form = form
    kernel.encode(to: batch.buffer, source: try batch.source(picture.image), histogram: bins, offset: 32)
    let readback = batch.blit { $0.read(bins, range: 0..<bins.length) }
    try batch.run()
    let guardWords = [Int](repeating: 0xA5A5_A5A5, count: 8)
    expectEqual(try readback.words(), guardWords + expectedCounts(picture) + guardWords, "offset 32")
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }

  @Test func offsetsAreMultiplesOf32() async {
    await #expect(processExitsWith: .failure) {
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .r8Unorm)
      let bins = try device.makeBuffer(length: 2048)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      ImageHistogram(device: device).encode(to: buffer, source: source, histogram: bins, offset: 16)
    }
  }

  /// The known mistake of a tutorial: the histogram's buffer made as long as its description, which has 48 bytes.
  @Test func aBufferAsLongAsTheDescriptionIsRefused() async {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let device = try Device.open(.cpu)
      let source = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      let bins = try device.makeBuffer(length: 48, label: "histogram info")
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      ImageHistogram(device: device).encode(to: buffer, source: source, histogram: bins)
    }
    let said = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(said.contains("buffer 'histogram info' has 48 bytes, but 3072 are needed"))
  }

  private func check(
    _ test: TestDevice, _ info: HistogramInfo, _ format: PixelFormat, forms: [HistogramForm] = HistogramForm.allCases
  ) throws {
    let batch = try Batch(test)
    let picture = Picture(.noise, Size(65, 63), format)
    let source = try batch.source(picture.image)
    let results = try forms.map { form in try batch.counts(of: source, info) { $0.form = form } }
    try batch.run()
    let expected = expectedCounts(picture, info)
    for counts in results { expectEqual(try counts.words(), expected, "\(info)") }
    #expect(try batch.readbacksUnlikeTwins() == 0)
  }
}

extension Batch {
  /// Records the histogram of `source` into a buffer of its own.
  func counts(
    of source: Texture, _ info: HistogramInfo, _ configure: (inout ImageHistogram) -> Void = { _ in }
  ) throws -> Readback {
    var kernel = ImageHistogram(device: device, info: info)
    configure(&kernel)
    let bins = try device.makeBuffer(length: info.histogramSize(forSourceFormat: source.pixelFormat))
    kernel.encode(to: buffer, source: source, histogram: bins)
    return blit { $0.read(bins, range: 0..<bins.length) }
  }
}
