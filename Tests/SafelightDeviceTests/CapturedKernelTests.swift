import Foundation
import Safelight
import TestSupport
import Testing

/// Twins of kernels that run for a capture, whose sizes nobody has promised.
@Suite struct CapturedKernelTests {
  /// The last command buffer that `body` commits on the CPU; it replays as it is.
  private func capture(_ body: (Device) async throws -> Void) async throws -> Capture {
    let collector = CaptureCollector()
    try await body(Device.open(.cpu, options: DeviceOptions(capture: collector)))
    // Before it a filter may have counted a reference.
    let capture = try #require(collector.captures.last)
    #expect(throws: Never.self) { try replay(capture) }
    return capture
  }

  private func capture(_ chain: String) async throws -> Capture {
    try await capture { device in
      let image = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
      _ = try await FrameProcessor(chain, on: device).process(image)
    }
  }

  @discardableResult private func replay(_ capture: Capture) throws -> [CaptureReplay.Output] {
    try CaptureReplay(capture, device: Device.open(.cpu), twins: .kernels).run()
  }

  private func expectRefusal(
    of capture: Capture, _ what: String, _ edit: (inout Capture) throws -> Void
  ) rethrows {
    var changed = capture
    try edit(&changed)
    let error = #expect(throws: SafelightError.self, "\(what)") { try replay(changed) }
    // What the text declares is checked against the bindings before the twin is asked.
    #expect(error?.kind == .input || error?.kind == .usage, "\(what): \(String(describing: error))")
  }

  /// Changes one macro at a time: each text is the beginning of a function's name, then macros and other values.
  private func expectRefusal(of capture: Capture, _ changes: [String]) throws {
    for change in changes {
      let words = change.split(separator: " ").map(String.init)
      for macro in words.dropFirst() {
        let parts = macro.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
        try expectRefusal(of: capture, "\(words[0]) \(macro)") {
          $0.manifest.functions[try $0.number(of: words[0])].constants[parts[0]] = parts[1]
        }
      }
    }
  }

  private func expectRefusal(of capture: Capture, _ changes: [(function: String, index: Int, words: String)]) throws {
    for (function, index, words) in changes {
      try expectRefusal(of: capture, "\(function) \(words)") {
        $0.manifest.commands[try $0.place(of: function)].bindings?.setWords(words, index)
      }
    }
  }

  private static let cube = "LUT_3D_SIZE 2" + String(repeating: "%0A1 0 0.5", count: 8)

  /// A picture's chain, one of tone, and a film's, whose buffers are checked too.
  @Test(arguments: [
    (
      "equalize=channels=each,saturation=2,mean",
      [
        "histogram ENTRIES=512 PLANES=9 COUNTS_LUMA=2 COUNTS_LUMA=1 BINS_ARE_VALUES= IS_FLOAT=1 HAS_THRESHOLD=2",
        "histogram SAMPLE_BITS=16", "equalization_transform PLANES=4 ENTRIES=65536 SAMPLE_BITS=17 RULE=4 RULE=",
        "equalization_apply ENTRIES=1024 PLANES=1",
      ]
    ),
    (
      "lut='data:,DOMAIN_MIN -1 0 0%0A\(cube)',stretch,levels=gamma=2",
      [
        "table_lookup LOOKED_UP=2 LOOKED_UP=5 LOOKED_UP=",
        "stretch_transform ENTRIES=512 PLANES=2 SAMPLE_BITS=16 IS_LINKED=2",
      ]
    ),
    (
      "equalize=smooth=3",
      ["temporal_distance ENTRIES=65536 ENTRIES=257", "temporal_sum ENTRIES=65536 LENGTH=0 LENGTH=241"]
    ),
  ])
  func macrosMustDescribeAVariant(_ chain: String, _ changes: [String]) async throws {
    let capture = try await capture(chain)
    #expect(capture.manifest.functions.count { $0.stage != .vertex } == 5)
    try expectRefusal(of: capture, changes)
  }

  /// The words of the block are the turn, the extent, the target, the scale and the offset.
  @Test(arguments: [
    "resize=width=9:height=20", "resize=width=9:mode=area", "resize=width=9:mode=nearest",
    "over=image='\(Fixtures.path("made/rgba8-every-alpha.png"))'",
  ])
  func aRenderingMustStayInItsTextures(_ chain: String) async throws {
    let capture = try await capture(chain)
    let place = try capture.place(of: "image_rendering")
    let name = try #require(capture.manifest.commands[place].bindings?.bytes[3]?.blob)
    let bound = try #require(capture.blobs[name]).bytes
    for (word, value) in [
      (0, 2), (4, -1), (4, 300), (5, 300), (8, 30), (10, 0), (10, 400), (11, -1), (12, 0), (12, 70000), (13, 0),
      (15, 1 << 23), (16, -1), (16, 1000), (17, 1 << 30),
    ] as [(Int, Int32)] {
      let bytes = unsafe withUnsafeBytes(of: value.littleEndian) { unsafe Array($0) }
      expectRefusal(of: capture, "\(chain): word \(word) is \(value)") {
        $0.blobs[name]?.bytes = bound[..<(4 * word)] + bytes + bound[(4 * word + 4)...]
      }
    }
    try expectRefusal(of: capture, ["image_rendering FILTER=4 BLENDS=2 SOURCE_IS_GRAY=1 SAMPLE_BITS=16"])
  }

  @Test func bindingsMustFitTheKernel() async throws {
    let filters = [
      "equalize", "saturation=2", "vibrance=-0.5", "hue=30", "stretch", "threshold", "lut='data:,\(Self.cube)'",
    ]
    // A measurement between them keeps them apart.
    let chain = filters.joined(separator: ",mean,")
    try expectRefusal(
      of: try await capture(chain),
      [
        ("histogram", 2, "0 0 18 11 0 64 0 0 0 0 0 0"), ("histogram", 2, "0 0 17 11 1 64 0 0 0 0 0 0"),
        ("histogram", 2, "4294967295 0 17 11 0 64 0 0 0 0 0 0"), ("histogram", 2, "0 0"),
        ("equalization_transform", 2, "1 0 0 0"), ("stretch_transform", 2, "1 655 655 0"),
        ("stretch_transform", 2, "0 65536 0 0"), ("stretch_transform", 2, "0 40000 40000 0"),
        ("saturation", 2, "19595 38470 7471"), ("vibrance", 2, "19595 38470 7471"),
        ("threshold", 2, "127 255 0 0 19595 38470 7471"), ("color_matrix", 2, "65536 0 0 0 0 65536 0 0 0 0 65536"),
        ("color_cube", 2, "13 0 0 0"), ("color_cube", 2, "1 0 0 0"), ("color_cube", 2, "130 0 0 0"),
      ])
  }

  /// A function that declares nothing, and is bound to nothing, in a dispatch and in a draw.
  @Test func twinsRefuseWhatIsNotBound() async throws {
    let capture = try await capture("stretch,passthrough")
    let dispatched = try #require(capture.manifest.commands.firstIndex { $0.dispatch != nil })
    let drawn = try #require(capture.manifest.commands.firstIndex { $0.draw != nil })
    for place in [dispatched, drawn] {
      let command = capture.manifest.commands[place]
      let name =
        command.dispatch?.function
        ?? capture.manifest.renderPipelines.first { $0.name == command.draw?.pipeline }?.fragmentFunction
      let function = try #require(capture.manifest.functions.firstIndex { $0.name == name })
      for twin in TwinLibrary.kernels.names {
        expectRefusal(of: capture, "\(twin) in command \(place)") {
          $0.manifest.functions[function].function = twin
          $0.manifest.functions[function].arguments = []
          $0.manifest.functions[function].text = "nothing"
          $0.texts["nothing"] = ""
          $0.manifest.commands[place].bindings?.textures = [:]
          $0.manifest.commands[place].bindings?.buffers = [:]
          $0.manifest.commands[place].bindings?.bytes = [:]
        }
      }
    }
  }

  /// A texture that a twin stores into, bound a second time where the function declares none.
  @Test func storedTexturesAreBoundOnce() async throws {
    let capture = try await capture("stretch")
    let place = try #require(capture.manifest.commands.firstIndex { $0.dispatch?.bindings.textures[1] != nil })
    let table = capture.manifest.commands[place].bindings?.textures[1]
    expectRefusal(of: capture, "a table bound twice") { $0.manifest.commands[place].bindings?.textures[2] = table }
  }

  @Test func scalesOfTilesAreNumbers() async throws {
    let scales = [Float.nan, -1, 0, .infinity, 256, .leastNonzeroMagnitude]
    try expectRefusal(
      of: try await capture("clahe"), scales.map { ("clahe_transform", 2, "4294967295 \($0.bitPattern) 0 0") })
  }

  /// Coefficients whose sums 32 bits do not hold, weights that are none, and macros that say another format.
  @Test func conversionsMustFitTheirShaders() async throws {
    let color = ColorDescription(matrix: .bt709, range: .limited)
    let layout = PixelLayout.yCbCr444Planar8
    let capture = try await capture { device in
      let picture = try device.makeTexture(Size(8, 4), .rgba8Unorm)
      let planes = try layout.planeFormats.map { try device.makeTexture(Size(8, 4), $0) }
      try device.run { buffer in
        try ImageRGBToYCbCr(device: device, layout: layout, color: color)
          .encode(to: buffer, source: picture, planes: planes)
        try ImageYCbCrToRGB(device: device, layout: layout, color: color)
          .encode(to: buffer, planes: planes, destination: picture)
      }
    }
    try expectRefusal(
      of: capture,
      [
        ("rgb_to_ycbcr", 1, "2147483647 0 0 16 0 0 0 0 1 1 255 0 0 4 0 0 0 4 0 0"),
        ("rgb_to_ycbcr", 1, "0 0 0 16 0 0 0 0 1 1 255 0 4 4 0 0 0 4 0 0"),
        ("ycbcr_to_rgb", 3, "610000 2147483648 0 0 0 0 0 0 0 0 0 0 16 128 0 255 4 4 0 0"),
        ("ycbcr_to_rgb", 3, "610000 0 0 0 0 0 0 0 0 0 0 0 2147483648 128 0 255 4 4 0 0"),
        ("ycbcr_to_rgb", 3, "610000 0 0 0 0 0 0 0 0 0 0 0 16 128 0 256 4 4 0 0"),
      ])
    try expectRefusal(
      of: capture,
      ["rgb_to_ycbcr SOURCE_IS_GRAY=1 TARGET_IS_NORMALIZED=0", "ycbcr_to_rgb TARGET_IS_NORMALIZED=0 HAS_ALPHA=1"])
  }

  /// A pass has the twin of the kernel that its origin names, and none if the text of its function is another's.
  @Test(arguments: [
    nil, "", "median=diameter=7 of rgb unspecified rgba8Unorm 17 11 pass 0",
    "median=diameter=5 of rgb unspecified rgba16Uint 17 11 pass 0",
    "median=diameter=5 of rgb unspecified rgba8Unorm 0 11 pass 0",
    "median=diameter=5 of rgb unspecified rgba8Unorm 17 11 pass 1",
    "median=diameter=4 of rgb unspecified rgba8Unorm 17 11 pass 0", "invert of rgb unspecified rgba8Unorm 17 11 pass 0",
    "orient=6,invert of rgb unspecified rgba8Unorm 17 11 pass 0",
    "median=diameter=5 of rgba straight rg8Unorm 17 11 pass 0",
  ])
  func aPassNeedsItsOrigin(_ origin: String?) async throws {
    var capture = try await capture("median=5")
    let pass = try #require(capture.manifest.commands.firstIndex { $0.origin != nil })
    #expect(capture.manifest.commands[pass].origin == "median=diameter=5 of rgb unspecified rgba8Unorm 17 11 pass 0")
    capture.manifest.commands[pass].origin = origin
    #expect(throws: SafelightError.self) { try replay(capture) }
  }

  /// The tables of a pass are those of its kernel: entries that no kernel makes lead out of a twin's memory.
  @Test(arguments: ["gamma=2", "lut='data:,\(cube)'"]) func aPassNeedsItsTables(_ chain: String) async throws {
    let capture = try await capture(chain)
    let pass = try #require(capture.manifest.commands.first { $0.origin != nil })
    let table = try #require(pass.bindings?.textures[2])
    let contents = try #require(capture.manifest.inputs.first { $0.resource == table })
    let blob = try #require(contents.bytes.blob)
    expectRefusal(of: capture, "another entry") { $0.blobs[blob]?.bytes[9] ^= 1 }
  }

  /// A threshold counts only where the function has one, as in its text.
  @Test func aThresholdThatTheFunctionHasNotIsIgnored() async throws {
    var capture = try await capture("equalize")
    let place = try capture.place(of: "histogram")
    let words = capture.manifest.commands[place].bindings?.bytes[2]?.words
    #expect(words?.hasSuffix(" 0 0 0 0") == true)
    capture.manifest.commands[place].bindings?.bytes[2]?.words = "\(words?.dropLast(7) ?? "")99 99 99 99"
    let outputs = try replay(capture)
    #expect(!outputs.isEmpty)
    for output in outputs { #expect(output.difference == nil, "\(output.name)") }
  }

  /// Edges are looked for between finite limits, in a texture of 256 columns, by a thread an entry.
  @Test func edgesNeedFiniteLimits() async throws {
    let info = HistogramInfo(minPixelValue: SIMD4(repeating: -2), maxPixelValue: SIMD4(repeating: 2))
    let capture = try await capture { device in
      let samples = (0..<17 * 11 * 4).map { Float($0 % 9) / 9 }
      try device.run { buffer in
        ImageNormalizedHistogram(device: device, info: info).encode(
          to: buffer,
          source: try buffer.texture(Size(17, 11), .rgba32Float, samples.withUnsafeBytes { Array($0) }),
          minmaxTexture: try device.makeTexture(Size(2, 1), .rgba32Float),
          histogram: try device.makeBuffer(length: info.histogramSize(forSourceFormat: .rgba32Float)))
      }
    }
    let place = try capture.place(of: "histogram_edges")
    let words = try #require(capture.manifest.commands[place].bindings?.bytes[3]?.words)
    for (number, key) in [(4, 0xFF80_0000), (4, 0xFFC0_0000), (0, 0x007F_FFFF), (0, 0), (2, 1)] {
      var keys = words.split(separator: " ").map(String.init)
      keys[number] = "\(key)"
      try expectRefusal(of: capture, [("histogram_edges", 3, keys.joined(separator: " "))])
    }
    expectRefusal(of: capture, "64 threads") { $0.manifest.commands[place].dispatch?.threads.width = 64 }
  }

  /// The twins do all of a table, and must not where the device would do a part.
  @Test func gridsMustBeWhole() async throws {
    for (chain, function) in [
      ("equalize=smooth=3", "temporal_sum"),
      ("match='\(Fixtures.path("haze/haze.png"))'", "specification_transform"),
    ] {
      let capture = try await capture(chain)
      try expectRefusal(of: capture, "\(function) of 64 threads") {
        $0.manifest.commands[try $0.place(of: function)].dispatch?.threads.width = 64
      }
    }
  }
}

extension Capture {
  /// The number of the function of that name, else of the first whose name begins so.
  fileprivate func number(of function: String) throws -> Int {
    let functions = manifest.functions.map(\.function)
    return try #require(functions.firstIndex(of: function) ?? functions.firstIndex { $0.hasPrefix(function) })
  }

  /// The place of the first dispatch or draw of a function.
  fileprivate func place(of function: String) throws -> Int {
    let name = manifest.functions[try number(of: function)].name
    let pipeline = manifest.renderPipelines.first { $0.fragmentFunction == name }?.name ?? "none"
    return try #require(manifest.commands.firstIndex { $0.dispatch?.function == name || $0.draw?.pipeline == pipeline })
  }
}

extension CapturedCommand {
  /// The bindings of a dispatch or draw; nil for other commands.
  fileprivate var bindings: Bindings? {
    get { dispatch?.bindings ?? draw?.bindings }
    set {
      guard let newValue else { return }
      dispatch?.bindings = newValue
      draw?.bindings = newValue
    }
  }
}

extension CapturedCommand.Bindings {
  /// Replaces the bytes that are bound at `index`.
  fileprivate mutating func setWords(_ words: String, _ index: Int) {
    bytes[index]? = CaptureManifest.Bytes(length: 4 * words.split(separator: " ").count, words: words)
  }
}
