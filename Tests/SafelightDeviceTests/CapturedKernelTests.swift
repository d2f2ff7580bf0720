import Foundation
import Safelight
import TestSupport
import Testing

/// Twins of kernels that run for a capture, whose sizes nobody has promised.
@Suite struct CapturedKernelTests {
  private func capture(_ chain: String) async throws -> Capture {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let image = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
    _ = try await FrameProcessor(device: device, chain: try FilterChain(parsing: chain, device: device)).process(image)
    // Before it a filter may have counted a reference.
    return try #require(collector.captures.last)
  }

  private func replay(_ capture: Capture) throws {
    _ = try CaptureReplay(capture, device: Device.open(.cpu), twins: .kernels).run()
  }

  private func expectRefusal(_ capture: Capture, _ what: String) {
    let error = #expect(throws: SafelightError.self, "\(what)") { try replay(capture) }
    // What the text declares is checked against the bindings before the twin is asked.
    #expect(error?.kind == .input || error?.kind == .usage, "\(what): \(String(describing: error))")
  }

  /// Where the first dispatch of a function stands.
  private func place(of function: String, in capture: Capture) throws -> Int {
    let name = try #require(capture.manifest.functions.first { $0.function.hasPrefix(function) }?.name)
    return try #require(capture.manifest.commands.firstIndex { $0.dispatch?.function == name })
  }

  @Test func macrosMustDescribeAVariant() async throws {
    let capture = try await capture("equalize=channels=each,saturation=2,passthrough")
    #expect(throws: Never.self) { try replay(capture) }
    #expect(capture.manifest.functions.count { $0.stage != .vertex } == 5)
    for (function, macro, value) in [
      ("histogram", "ENTRIES", "512"), ("histogram", "PLANES", "9"), ("histogram", "COUNTS_LUMA", "2"),
      ("histogram", "COUNTS_LUMA", "1"),
      ("histogram", "BINS_ARE_VALUES", ""), ("histogram", "IS_FLOAT", "1"), ("histogram", "HAS_THRESHOLD", "2"),
      ("histogram", "SAMPLE_BITS", "16"), ("equalization_transform", "PLANES", "4"),
      ("equalization_transform", "ENTRIES", "65536"), ("equalization_transform", "SAMPLE_BITS", "17"),
      ("equalization_transform", "RULE", "4"), ("equalization_transform", "RULE", ""),
      ("equalization_apply", "ENTRIES", "1024"), ("equalization_apply", "PLANES", "1"),
    ] {
      var changed = capture
      let place = try #require(changed.manifest.functions.firstIndex { $0.function.hasPrefix(function) })
      changed.manifest.functions[place].constants[macro] = value
      expectRefusal(changed, "\(function) \(macro)=\(value)")
    }
  }

  @Test func macrosOfToneMustDescribeAVariant() async throws {
    let cube = "DOMAIN_MIN -1 0 0%0ALUT_3D_SIZE 2" + String(repeating: "%0A1 0 0.5", count: 8)
    let capture = try await capture("levels=gamma=2,stretch,threshold,lut='data:,\(cube)'")
    #expect(throws: Never.self) { try replay(capture) }
    for (function, macro, value) in [
      ("lookup", "LOOKED_UP", "2"), ("lookup", "LOOKED_UP", "5"), ("lookup", "LOOKED_UP", ""),
      ("stretch_transform", "ENTRIES", "512"), ("stretch_transform", "PLANES", "2"),
      ("stretch_transform", "SAMPLE_BITS", "16"), ("stretch_transform", "IS_LINKED", "2"),
      ("threshold", "HAS_COLORS", "0"), ("threshold", "HAS_COLORS", ""),
      ("threshold", "VARIANT", "5"), ("threshold", "VARIANT", ""), ("color_cube", "HAS_DOMAIN", "2"),
    ] {
      var changed = capture
      let place = try #require(changed.manifest.functions.firstIndex { $0.function.hasPrefix(function) })
      changed.manifest.functions[place].constants[macro] = value
      expectRefusal(changed, "\(function) \(macro)=\(value)")
    }
  }

  /// The words of the block are the turn, the extent, the target, the scale and the offset.
  @Test(arguments: [
    "resize=width=9:height=20", "resize=width=9:mode=area", "resize=width=9:mode=nearest",
    "over=image='\(Fixtures.path("made/rgba8-every-alpha.png"))'",
  ])
  func aRenderingMustStayInItsTextures(_ chain: String) async throws {
    let capture = try await capture(chain)
    #expect(throws: Never.self) { try replay(capture) }
    let place = try place(of: "image_rendering", in: capture)
    let name = try #require(capture.manifest.commands[place].dispatch?.bindings.bytes[3]?.blob)
    let bound = try #require(capture.blobs[name]).bytes
    for (word, value) in [
      (0, 2), (4, -1), (4, 300), (5, 300), (8, 30), (10, 0), (10, 400), (11, -1), (12, 0), (12, 70000), (13, 0),
      (15, 1 << 23), (16, -1), (16, 1000), (17, 1 << 30),
    ] as [(Int, Int32)] {
      var changed = capture
      let bytes = unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) }
      changed.blobs[name]?.bytes = bound[..<(4 * word)] + bytes + bound[(4 * word + 4)...]
      expectRefusal(changed, "\(chain): word \(word) is \(value)")
    }
    for (macro, value) in [("FILTER", "4"), ("BLENDS", "2"), ("SOURCE_IS_GRAY", "1"), ("SAMPLE_BITS", "16")] {
      var changed = capture
      let function = try #require(changed.manifest.functions.firstIndex { $0.function.hasPrefix("image_rendering") })
      changed.manifest.functions[function].constants[macro] = value
      expectRefusal(changed, "\(chain): \(macro)=\(value)")
    }
  }

  @Test func bindingsMustFitTheKernel() async throws {
    let cube = "LUT_3D_SIZE 2" + String(repeating: "%0A1 0 0.5", count: 8)
    let capture = try await capture("equalize,saturation=2,vibrance=-0.5,hue=30,stretch,threshold,lut='data:,\(cube)'")
    func change(_ function: String, _ index: Int, _ words: String) throws {
      var changed = capture
      let name = try #require(changed.manifest.functions.first { $0.function.hasPrefix(function) }?.name)
      let pipeline = changed.manifest.renderPipelines.first { $0.fragmentFunction == name }?.name ?? "none"
      let place = try #require(
        changed.manifest.commands.firstIndex { $0.dispatch?.function == name || $0.draw?.pipeline == pipeline })
      let length = 4 * words.split(separator: " ").count
      func edit(_ bindings: inout CapturedCommand.Bindings) {
        bindings.bytes[index]?.words = words
        bindings.bytes[index]?.length = length
      }
      if var dispatch = changed.manifest.commands[place].dispatch {
        edit(&dispatch.bindings)
        changed.manifest.commands[place].dispatch = dispatch
      } else if var draw = changed.manifest.commands[place].draw {
        edit(&draw.bindings)
        changed.manifest.commands[place].draw = draw
      }
      expectRefusal(changed, "\(function) \(words)")
    }
    try change("histogram", 2, "0 0 18 11 0 64 0 0 0 0 0 0")
    try change("histogram", 2, "0 0 17 11 1 64 0 0 0 0 0 0")
    try change("histogram", 2, "4294967295 0 17 11 0 64 0 0 0 0 0 0")
    try change("histogram", 2, "0 0")
    try change("equalization_transform", 2, "1 0 0 0")
    try change("stretch_transform", 2, "1 655 655 0")
    try change("stretch_transform", 2, "0 65536 0 0")
    try change("stretch_transform", 2, "0 40000 40000 0")
    for kernel in ["saturation", "vibrance"] { try change(kernel, 2, "19595 38470 7471") }
    try change("threshold", 2, "127 255 0 0 19595 38470 7471")
    try change("color_matrix", 2, "65536 0 0 0 0 65536 0 0 0 0 65536")
    try change("color_cube", 4, "13 0 0 0")
    try change("color_cube", 4, "1 0 0 0")
    try change("color_cube", 4, "130 0 0 0")
  }

  /// The twin of a point kernel does what its GLSL does, whatever it is told.
  @Test(arguments: ["saturation=2", "vibrance=-0.5", "threshold", "hue=30"])
  func anyWordsAreSurvived(_ chain: String) async throws {
    let capture = try await capture(chain)
    let draw = try #require(capture.manifest.commands.firstIndex { $0.draw?.bindings.bytes[2] != nil })
    let bound = capture.manifest.commands[draw].draw?.bindings.bytes[2]?.words
    let count = try #require(bound).split(separator: " ").count
    for first in ["0", "1", "4096", "2147483647", "2147483648", "4294967295"] {
      for last in ["0", "3", "65537", "2147483647", "2147483648", "4294967295"] {
        var changed = capture
        let words = (0..<count).map { $0 % 4 == 3 || $0 == 2 ? last : first }
        changed.manifest.commands[draw].draw?.bindings.bytes[2]?.words = words.joined(separator: " ")
        #expect(throws: Never.self, "\(words)") { try replay(changed) }
      }
    }
  }

  /// A function that declares nothing, and is bound to nothing, in a dispatch and in a draw.
  @Test func twinsRefuseWhatIsNotBound() async throws {
    let capture = try await capture("stretch,passthrough")
    let dispatched = try #require(capture.manifest.commands.firstIndex { $0.dispatch != nil })
    let drawn = try #require(capture.manifest.commands.firstIndex { $0.draw != nil })
    for place in [dispatched, drawn] {
      for twin in TwinLibrary.kernels.names {
        var changed = capture
        let command = changed.manifest.commands[place]
        let name =
          command.dispatch?.function
          ?? changed.manifest.renderPipelines.first { $0.name == command.draw?.pipeline }?.fragmentFunction
        let function = try #require(changed.manifest.functions.firstIndex { $0.name == name })
        changed.manifest.functions[function].function = twin
        changed.manifest.functions[function].arguments = []
        changed.manifest.functions[function].text = "nothing"
        changed.texts["nothing"] = ""
        func clear(_ bindings: inout CapturedCommand.Bindings) {
          (bindings.textures, bindings.buffers, bindings.bytes) = ([:], [:], [:])
        }
        if var dispatch = changed.manifest.commands[place].dispatch {
          clear(&dispatch.bindings)
          changed.manifest.commands[place].dispatch = dispatch
        } else if var draw = changed.manifest.commands[place].draw {
          clear(&draw.bindings)
          changed.manifest.commands[place].draw = draw
        }
        expectRefusal(changed, "\(twin) in command \(place)")
      }
    }
  }

  /// A texture that a twin stores into, bound a second time where the function declares none.
  @Test func storedTexturesAreBoundOnce() async throws {
    var capture = try await capture("stretch")
    let place = try #require(capture.manifest.commands.firstIndex { $0.dispatch?.bindings.textures[1] != nil })
    let table = capture.manifest.commands[place].dispatch?.bindings.textures[1]
    capture.manifest.commands[place].dispatch?.bindings.textures[2] = table
    expectRefusal(capture, "a table bound twice")
  }

  @Test func scalesOfTilesAreNumbers() async throws {
    let capture = try await capture("clahe")
    #expect(throws: Never.self) { try replay(capture) }
    let name = try #require(capture.manifest.functions.first { $0.function == "clahe_transform" }?.name)
    let place = try #require(capture.manifest.commands.firstIndex { $0.dispatch?.function == name })
    for scale in [Float.nan, -1, 0, .infinity, 256, .leastNonzeroMagnitude] {
      var changed = capture
      let words = "4294967295 \(scale.bitPattern) 0 0"
      changed.manifest.commands[place].dispatch?.bindings.bytes[2]?.words = words
      changed.manifest.commands[place].dispatch?.bindings.bytes[2]?.length = 16
      expectRefusal(changed, "a scale of \(scale)")
    }
  }

  /// Coefficients whose sums 32 bits do not hold, weights that are none, and macros that say another format.
  @Test func conversionsMustFitTheirShaders() async throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let queue = device.makeCommandQueue()
    let color = ColorDescription(matrix: .bt709, range: .limited)
    let layout = PixelLayout.yCbCr444Planar8
    let picture = try device.makeTexture(Size(8, 4), .rgba8Unorm)
    let planes = try layout.planeFormats.map { try device.makeTexture(Size(8, 4), $0) }
    let buffer = queue.makeCommandBuffer(label: "there and back")
    try ImageRGBToYCbCr(device: device, layout: layout, color: color)
      .encode(to: buffer, source: picture, planes: planes)
    try ImageYCbCrToRGB(device: device, layout: layout, color: color)
      .encode(to: buffer, planes: planes, destination: picture)
    buffer.commit()
    try buffer.waitUntilCompleted()
    let capture = try #require(collector.captures.first)
    #expect(throws: Never.self) { try replay(capture) }
    for (function, index, words) in [
      ("rgb_to_ycbcr", 1, "2147483647 0 0 16 0 0 0 0 1 1 255 0 0 4 0 0 0 4 0 0"),
      ("rgb_to_ycbcr", 1, "0 0 0 16 0 0 0 0 1 1 255 0 4 4 0 0 0 4 0 0"),
      ("ycbcr_to_rgb", 3, "610000 2147483648 0 0 0 0 0 0 0 0 0 0 16 128 0 255 4 4 0 0"),
      ("ycbcr_to_rgb", 3, "610000 0 0 0 0 0 0 0 0 0 0 0 2147483648 128 0 255 4 4 0 0"),
      ("ycbcr_to_rgb", 3, "610000 0 0 0 0 0 0 0 0 0 0 0 16 128 0 256 4 4 0 0"),
    ] {
      var changed = capture
      let name = try #require(capture.manifest.functions.first { $0.function == function }?.name)
      let pipeline = capture.manifest.renderPipelines.first { $0.fragmentFunction == name }?.name
      let place = try #require(capture.manifest.commands.firstIndex { $0.draw?.pipeline == pipeline })
      changed.manifest.commands[place].draw?.bindings.bytes[index]?.blob = nil
      changed.manifest.commands[place].draw?.bindings.bytes[index]?.words = words
      changed.manifest.commands[place].draw?.bindings.bytes[index]?.length = 80
      expectRefusal(changed, "\(function) \(words)")
    }
    for (function, macro, value) in [
      ("rgb_to_ycbcr", "SOURCE_IS_GRAY", "1"), ("rgb_to_ycbcr", "TARGET_IS_NORMALIZED", "0"),
      ("ycbcr_to_rgb", "TARGET_IS_NORMALIZED", "0"), ("ycbcr_to_rgb", "HAS_ALPHA", "1"),
    ] {
      var changed = capture
      let place = try #require(capture.manifest.functions.firstIndex { $0.function == function })
      changed.manifest.functions[place].constants[macro] = value
      expectRefusal(changed, "\(function) \(macro)=\(value)")
    }
  }

  /// A threshold counts only where the function has one, as in its text.
  @Test func aThresholdThatTheFunctionHasNotIsIgnored() async throws {
    var capture = try await capture("equalize")
    let place = try place(of: "histogram", in: capture)
    let words = capture.manifest.commands[place].dispatch?.bindings.bytes[2]?.words
    #expect(words?.hasSuffix(" 0 0 0 0") == true)
    capture.manifest.commands[place].dispatch?.bindings.bytes[2]?.words = "\(words?.dropLast(7) ?? "")99 99 99 99"
    let outputs = try CaptureReplay(capture, device: Device.open(.cpu), twins: .kernels).run()
    #expect(!outputs.isEmpty)
    for output in outputs { #expect(output.difference == nil, "\(output.name)") }
  }

  /// Edges are looked for between finite limits, in a texture of 256 columns, by a thread an entry.
  @Test func edgesNeedFiniteLimits() throws {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let info = HistogramInfo(minPixelValue: SIMD4(repeating: -2), maxPixelValue: SIMD4(repeating: 2))
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let source = try device.makeTexture(Size(17, 11), .rgba32Float)
    let samples: [Float] = (0..<17 * 11 * 4).map { Float($0 % 9) / 9 }
    let bytes: [UInt8] = samples.withUnsafeBytes { Array($0) }
    let blit = buffer.makeBlitCommandEncoder()
    blit.write(bytes, to: source)
    blit.endEncoding()
    ImageNormalizedHistogram(device: device, info: info).encode(
      to: buffer, source: source, minmaxTexture: try device.makeTexture(Size(2, 1), .rgba32Float),
      histogram: try device.makeBuffer(length: info.histogramSize(forSourceFormat: .rgba32Float)))
    buffer.commit()
    try buffer.waitUntilCompleted()
    let capture = try #require(collector.captures.first)
    #expect(throws: Never.self) { try replay(capture) }
    let place = try place(of: "histogram_edges", in: capture)
    let words = try #require(capture.manifest.commands[place].dispatch?.bindings.bytes[3]?.words)
    for (number, key) in [(4, 0xFF80_0000), (4, 0xFFC0_0000), (0, 0x007F_FFFF), (0, 0), (2, 1)] {
      var changed = capture
      var keys = words.split(separator: " ").map(String.init)
      keys[number] = "\(key)"
      changed.manifest.commands[place].dispatch?.bindings.bytes[3]?.words = keys.joined(separator: " ")
      expectRefusal(changed, "limit \(number) \(key)")
    }
    var narrow = capture
    narrow.manifest.commands[place].dispatch?.threads.width = 64
    expectRefusal(narrow, "64 threads")
  }

  /// The twins do all of a table, and must not where the device would do a part.
  @Test func gridsMustBeWhole() async throws {
    for (chain, function) in [
      ("equalize=smooth=3", "temporal_sum"), ("match='\(Self.reference)'", "specification_transform"),
    ] {
      var capture = try await capture(chain)
      #expect(throws: Never.self) { try replay(capture) }
      let place = try place(of: function, in: capture)
      capture.manifest.commands[place].dispatch?.threads.width = 64
      expectRefusal(capture, "\(function) of 64 threads")
    }
  }

  private static let reference = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../../fixtures/haze/haze.png").standardizedFileURL.path

  /// The functions of films, whose buffers are checked too.
  @Test func filmsReplay() async throws {
    let capture = try await capture("equalize=smooth=3")
    #expect(throws: Never.self) { try replay(capture) }
    for (function, macro, value) in [
      ("temporal_distance", "ENTRIES", "65536"), ("temporal_distance", "ENTRIES", "257"),
      ("temporal_sum", "ENTRIES", "65536"), ("temporal_sum", "LENGTH", "0"), ("temporal_sum", "LENGTH", "241"),
    ] {
      var changed = capture
      let place = try #require(changed.manifest.functions.firstIndex { $0.function == function })
      changed.manifest.functions[place].constants[macro] = value
      expectRefusal(changed, "\(function) \(macro)=\(value)")
    }
  }
}
