import Foundation
import Safelight
import TestSupport
import Testing

/// Twins of kernels that run for a capture, whose sizes nobody has promised.
@Suite struct CapturedKernelTests {
  /// The last command buffer that `body` commits on the CPU; it replays as it is.
  func capture(_ body: (Device) async throws -> Void) async throws -> Capture {
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

  @discardableResult func replay(_ capture: Capture) throws -> [CaptureReplay.Output] {
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

  /// Changes one word of a command's uniforms at a time, and leaves out the last of them.
  func expectRefusal(ofUniforms capture: Capture, _ place: Int) {
    let words = capture.words(boundAt: 2, of: place)
    #expect(words.count >= 4)
    let others = words.indices.map { words.replacing($0, with: words[$0] ^ 1) } + [words.dropLast(4)]
    for (number, other) in others.enumerated() {
      expectRefusal(of: capture, "command \(place), change \(number)") {
        $0.manifest.commands[place].bindings?.setWords(other.map(\.description).joined(separator: " "), 2)
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

  /// A rendering has the uniforms, the region and the textures of the call that its origin names.
  @Test(arguments: ImageRenderer.Filter.allCases)
  func aRenderingMustStayInItsTextures(_ filter: ImageRenderer.Filter) async throws {
    let capture = try await capture { device in
      let source = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
      try device.run { buffer in
        try ImageRenderer().render(
          buffer.texture(source), to: device.makeTexture(Size(12, 23), .rgba8Unorm), commandBuffer: buffer,
          bounds: Region(x: 1, y: 2, width: 9, height: 30), orientation: .right, filter: filter, blend: .sourceOver)
      }
    }
    let place = try capture.place(of: "render")
    expectRefusal(ofUniforms: capture, place)
    let places = " 0 0 12 23 0 0 17 11 1 2 12 23"
    for region in ["0 2 9 21", "1 1 9 21", "1 2 10 21", "1 2 9 22", "1 2 9 20", "1 2 0 21", "1 2 4294967295 21"] {
      expectRefusal(of: capture, "\(filter) in \(region)") {
        $0.manifest.commands[place].bindings?.setWords(region + places, 3)
      }
    }
    let origin = try #require(capture.manifest.commands[place].origin)
    for change in [
      ("render 6", "render 8"), ("render 6", "render 9"), ("sourceOver 1 2", "sourceOver 1 3"),
      ("sourceOver 1 2", "sourceOver 9999999999 2"), ("sourceOver 1 2 9 30", "sourceOver -9 -30 9 30"),
      ("9 30 to", "9 9999999 to"), ("to rgba8Unorm", "to r8Unorm"), ("12 23 of", "0 0 of"), ("12 23 of", "12 24 of"),
      ("sourceOver", "copy"), ("17 11 pass", "999999 999999 pass"),
    ] {
      #expect(origin.contains(change.0))
      var changed = capture
      changed.manifest.commands[place].origin = origin.replacing(change.0, with: change.1)
      #expect(throws: SafelightError.self, "\(filter): \(change.1)") { try replay(changed) }
    }
  }

  /// Uniforms of passes are those of the kernel, and no others lead out of a twin's memory.
  @Test(arguments: [
    "saturation=2", "vibrance=-0.5", "hue=30", "stretch", "threshold", "lut='data:,\(cube)'", "clahe",
    "equalize=rule=ffmpeg", "equalize=smooth=3",
  ])
  func aPassNeedsItsUniforms(_ chain: String) async throws {
    let capture = try await capture(chain)
    let places = capture.manifest.commands.indices.filter { capture.manifest.commands[$0].bindings?.bytes[2] != nil }
    #expect(!places.isEmpty)
    for place in places {
      expectRefusal(ofUniforms: capture, place)
    }
  }

  /// Numbers have as many words as a pass reads and makes.
  @Test func aPassNeedsItsNumbers() async throws {
    let capture = try await capture("stretch")
    for function in ["histogram", "stretch_transform"] {
      let place = try capture.place(of: function)
      let index = function == "histogram" ? 1 : 0
      expectRefusal(of: capture, "\(function) from a later word on") {
        $0.manifest.commands[place].bindings?.buffers[index]?.offset += 4
      }
    }
  }

  /// A function that declares nothing, and is bound to nothing, in a dispatch and in a draw.
  @Test func twinsRefuseWhatIsNotBound() async throws {
    let capture = try await capture("stretch,passthrough")
    let dispatched = try #require(capture.manifest.commands.firstIndex { $0.dispatch != nil })
    let drawn = try #require(capture.manifest.commands.firstIndex { $0.draw != nil })
    for place in [dispatched, drawn] {
      expectRefusal(of: capture, "command \(place)") {
        $0.manifest.commands[place].bindings?.textures = [:]
        $0.manifest.commands[place].bindings?.buffers = [:]
        $0.manifest.commands[place].bindings?.bytes = [:]
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

  /// Conversions have the uniforms and the formats of the call that their origin names.
  @Test func conversionsMustFitTheirCalls() async throws {
    let color = ColorDescription(matrix: .bt709, range: .limited)
    let layout = PixelLayout.yCbCr420BiPlanar8
    let capture = try await capture { device in
      let picture = try device.makeTexture(Size(9, 5), .rgba8Unorm)
      let planes = try layout.planeFormats.enumerated().map {
        try device.makeTexture(layout.planeSize($0, of: Size(9, 5)), $1)
      }
      try device.run { buffer in
        try ImageRGBToYCbCr(device: device, layout: layout, color: color)
          .encode(to: buffer, source: picture, planes: planes)
        try ImageYCbCrToRGB(device: device, layout: layout, color: color)
          .encode(to: buffer, planes: planes, destination: picture)
      }
    }
    for (function, changes) in [
      (
        "rgb_to_ycbcr",
        [
          "limited": "full", "bt709": "identity", "unspecified normalized": "other normalized", " normalized": "",
        ]
      ),
      (
        "ycbcr_to_rgb",
        ["420Bi": "422Bi", "Planar8": "Planar10", "bt709": "unspecified", "opaque": "r8Unorm", "rgba8Unorm": "r16Uint"]
      ),
    ] {
      let place = try capture.place(of: function)
      expectRefusal(ofUniforms: capture, place)
      let origin = try #require(capture.manifest.commands[place].origin)
      for change in changes {
        #expect(origin.contains(change.key))
        var changed = capture
        changed.manifest.commands[place].origin = origin.replacing(change.key, with: change.value)
        #expect(throws: SafelightError.self, "\(function): \(change)") { try replay(changed) }
      }
    }
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
    "crop=width=5 of rgb unspecified rgba8Unorm 17 11 pass 0",
    "equalize=smooth=3 of rgb unspecified rgba8Unorm 17 11 pass 4",
    "median=diameter=5:region=131072x131072-131072+0 of rgb unspecified rgba8Unorm 17 11 pass 0",
    "median=diameter=5:mask=a:opacity=0.5 of rgb unspecified rgba8Unorm 17 11 pass 1",
    "gamma=gamma=1@1 2@16777216 of rgb unspecified rgba8Unorm 17 11 at 99999999 pass 0",
  ])
  func aPassNeedsItsOrigin(_ origin: String?) async throws {
    var capture = try await capture("median=5")
    let pass = try #require(capture.manifest.commands.firstIndex { $0.origin != nil })
    #expect(capture.manifest.commands[pass].origin == "median=diameter=5 of rgb unspecified rgba8Unorm 17 11 pass 0")
    capture.manifest.commands[pass].origin = origin
    #expect(throws: SafelightError.self) { try replay(capture) }
  }

  /// Kernels work out their passes of whatever picture an origin names, before anything is compared with it.
  @Test(arguments: [
    "clahe=columns=1:rows=1", "stretch", "equalize=smooth=2", "mean", "resize=width=9", "blur=1:region=9x7+3-2",
    "stretch=region=9x7-2+3:opacity=0.4",
  ])
  func aPassOfAnotherPictureIsRefused(_ chain: String) async throws {
    let capture = try await capture("\(chain),invert")
    for size in ["999999 999999", "999999 1", "1 999999", "1 1"] {
      var changed = capture
      for place in changed.manifest.commands.indices {
        let origin = changed.manifest.commands[place].origin
        changed.manifest.commands[place].origin = origin?.replacing("17 11 pass", with: "\(size) pass")
      }
      #expect(throws: SafelightError.self, "\(chain) of \(size)") { try replay(changed) }
    }
  }

  /// The region whose pixels a pass counts lies in the picture.
  @Test func aPassNeedsItsRegion() async throws {
    let image = SyntheticImage.noise.image(Size(2100, 3), channels: .gray, depth: .bits8)
    let collector = CaptureCollector()
    let options = DeviceOptions(limits: .minimum, capture: collector)
    let device = try Device.open(.cpu, options: options)
    _ = try await FrameProcessor("stretch", on: device).process(image)
    let capture = try #require(collector.captures.last)
    #expect(throws: Never.self) { try replay(capture) }
    let place = try capture.place(of: "histogram")
    for region in ["0 0 4294967281 3", "0 0 0 3", "4294967295 0 52 3", "0 0 3000 3"] {
      let held = region + " 0 0 256 1 0 0 2100 3"
      expectRefusal(of: capture, region) { $0.manifest.commands[place].bindings?.setWords(held, 3) }
    }
  }

  /// A draw makes all of its texture, whose contents before it may have discarded: a twin must not leave pixels out.
  @Test func aDrawMakesAllPixels() async throws {
    let image = SyntheticImage.noise.image(Size(2100, 3), channels: .gray, depth: .bits8)
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(limits: .minimum, capture: collector))
    _ = try await FrameProcessor("median=3", on: device).process(image)
    let capture = try #require(collector.captures.last)
    let place = try capture.place(of: "median")
    #expect(capture.manifest.commands[place].draw != nil)
    let words = capture.words(boundAt: 3, of: place)
    let fewer = words.replacing(2, with: words[2] - 1).map(\.description).joined(separator: " ")
    expectRefusal(of: capture, fewer) { $0.manifest.commands[place].bindings?.setWords(fewer, 3) }
  }

  /// A table is made whole, whatever part of it a capture says that its texture holds.
  @Test func aTableIsMadeWhole() async throws {
    let capture = try await capture("stretch")
    let place = try capture.place(of: "stretch_transform")
    let function = try capture.number(of: "stretch_transform")
    let table = try #require(capture.manifest.commands[place].bindings?.textures[1])
    let texture = try #require(capture.manifest.textures.firstIndex { $0.name == table })
    let size = capture.manifest.textures[texture].descriptor.size
    let text = capture.manifest.functions[function].text
    func changed(_ held: Size, _ regions: String) -> Capture {
      var changed = capture
      changed.texts[text] = changed.texts[text]?.replacing("SAFELIGHT_REGIONS 0", with: "SAFELIGHT_REGIONS 3")
      var regionsArgument = changed.manifest.functions[function].arguments[0]
      (regionsArgument.kind, regionsArgument.index) = (.bytes, 3)
      changed.manifest.functions[function].arguments.append(regionsArgument)
      changed.manifest.textures[texture].descriptor.size = held
      changed.manifest.commands[place].bindings?.bytes[3] = CaptureManifest.Bytes(length: 48, words: regions)
      return changed
    }
    let (whole, words) = ("\(size.width) \(size.height)", " 0 0 1537 1")
    #expect(throws: SafelightError.self) { try replay(changed(Size(1, 1), "0 0 1 1 0 0 \(whole)\(words)")) }
    #expect(throws: SafelightError.self) { try replay(changed(size, "0 0 1 1 0 0 \(whole)\(words)")) }
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

  /// The kernels of histograms that an app calls have twins in captures too.
  @Test func histogramsOfAppsReplay() async throws {
    let floats = HistogramInfo(minPixelValue: SIMD4(repeating: -2), maxPixelValue: SIMD4(repeating: 2))
    let capture = try await capture { device in
      let samples = (0..<17 * 11 * 4).map { Float($0 % 9) / 9 }
      let luma = HistogramInfo(channels: .luma)
      let counts = try (0..<4).map { _ in try device.makeBuffer(length: 4096) }
      let equalization = ImageHistogramEqualization(device: device, info: luma)
      let specification = ImageHistogramSpecification(device: device, info: luma)
      var histogram = ImageHistogram(device: device, info: luma)
      histogram.clipRectSource = Region(x: 1, y: 2, width: 9, height: 5)
      histogram.minPixelThresholdValue.x = 0.1
      try device.run { buffer in
        let source = try buffer.texture(Size(17, 11), .rgba32Float, samples.withUnsafeBytes { Array($0) })
        let picture = try buffer.texture(SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8))
        let made = try device.makeTexture(Size(17, 11), .rgba8Unorm)
        ImageNormalizedHistogram(device: device, info: floats).encode(
          to: buffer, source: source, minmaxTexture: try device.makeTexture(Size(2, 1), .rgba32Float),
          histogram: counts[0])
        ImageHistogram(device: device, info: floats).encode(to: buffer, source: source, histogram: counts[1])
        histogram.encode(to: buffer, source: picture, histogram: counts[2])
        equalization.encodeTransform(to: buffer, source: picture, histogram: counts[2])
        equalization.encode(to: buffer, source: picture, destination: made)
        specification.encodeTransform(
          to: buffer, source: picture, sourceHistogram: counts[2], desiredHistogram: counts[2])
        specification.encode(to: buffer, source: made, destination: picture)
      }
    }
    let origins = capture.manifest.commands.compactMap(\.origin)
    #expect(origins.count > 8)
    for (place, command) in capture.manifest.commands.enumerated() where command.origin != nil {
      for origin in [
        "histogram 512 each",
        command.origin?.replacing(" 0 0 0 0 ", with: " 0 0 0 7fc00000 ").replacing("c0000000", with: "7fc00000"),
      ] {
        var changed = capture
        changed.manifest.commands[place].origin = origin
        #expect(throws: SafelightError.self, "\(origin ?? "")") { try replay(changed) }
      }
    }
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

extension [UInt32] {
  fileprivate func replacing(_ place: Int, with word: UInt32) -> ArraySlice<UInt32> {
    self[..<place] + [word] + self[(place + 1)...]
  }
}

extension Capture {
  /// The words of the bytes that are bound at `index` in a command.
  fileprivate func words(boundAt index: Int, of command: Int) -> [UInt32] {
    let bound = manifest.commands[command].bindings?.bytes[index]
    if let bytes = bound?.blob.flatMap({ blobs[$0]?.bytes }) {
      return stride(from: 0, to: bytes.count, by: 4).map { first in
        bytes[first..<first + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
      }
    }
    return bound?.words?.split(separator: " ").compactMap { UInt32($0) } ?? []
  }

  /// The number of the function of that name, else of the first whose name begins so.
  fileprivate func number(of function: String) throws -> Int {
    let functions = manifest.functions.map(\.function)
    return try #require(functions.firstIndex(of: function) ?? functions.firstIndex { $0.hasPrefix(function) })
  }

  /// The place of the first dispatch or draw of a function.
  func place(of function: String) throws -> Int {
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
