import Safelight
import TestSupport
import Testing

/// The test of the tests: conformance must find every planted mistake.
@Suite struct ConformanceDeviceTests {
  /// Runs on one device: this tests conformance itself, and `safelight conform` tests each device.
  @Test(arguments: TestDevice.gles.prefix(1), try KernelDefect.all + KernelDefect.general)
  func isFound(_ test: TestDevice, _ defect: KernelDefect) throws {
    let conformance = try Conformance(device: test.open())
    let kernel = try defect.kernel
    // Of the formats of a quick run; a mistake must show without the gray one.
    let formats = kernel.formats.filter { Conformance.quickFormats.contains($0) && $0.samplesPerPixel == 4 }
    // The wrong one first: what a sound one painted would hide a pixel left out.
    let found = formats.first { format in
      let wrong = conformance.rows(kernel, format, Size(17, 31)) { buffer, recording in
        try buffer.record(recording, replacing: defect.find, by: defect.replacement)
      }
      #expect(wrong.allSatisfy { $0.error == nil }, "\(wrong.first?.error ?? "")")
      return wrong.contains { !$0.conforms }
    }
    let format = try #require(found)
    #expect(conformance.rows(kernel, format, Size(17, 31)).allSatisfy { $0.conforms })
  }

  /// Only a kernel without a function has none.
  @Test func everyKernelHasAMistakeToFind() throws {
    let planted = try Set((KernelDefect.all + KernelDefect.general).map { try $0.kernel.name })
    let kernels = try Set(ConformanceKernel.all.map(\.name))
    let withFunction = try Set(ConformanceKernel.all.filter { try $0.hasFunction }.map(\.name))
    #expect(kernels.subtracting(planted) == kernels.subtracting(withFunction))
  }

  /// A pipeline that a kernel does not have would run the other one again and prove nothing.
  @Test func eachFormIsAnother() throws {
    let device = try Device.open(.cpu)
    let queue = device.makeCommandQueue()
    var kernels: [String: [String: String]] = [:]
    for kernel in try ConformanceKernel.all {
      guard let pipeline = [", render", ", compute"].first(where: kernel.settings.hasSuffix),
        let format = kernel.formats.first(where: \.isStorable)
      else { continue }
      let buffer = queue.makeCommandBuffer(label: kernel.settings)
      let bytes = [UInt8](repeating: 0, count: 64 * 64 * format.bytesPerPixel)
      let scene = try ConformanceScene(in: buffer, bytes, "black", Size(64, 64), format, poison: 0)
      try kernel.make(device)(scene)
      let places = buffer.recording.commands.map { "\($0.label) \($0.callSite)" }.joined(separator: "\n")
      let call = String(kernel.settings.dropLast(pipeline.count))
      let other = kernels[call, default: [:]].updateValue(kernel.settings, forKey: places)
      #expect(other == nil, "\(kernel.settings) records what \(other ?? "") does")
    }
    #expect(kernels.count > 20)
  }

  @Test(arguments: TestDevice.gles)
  func memoryThatIsNotTheKernelsIsWatched(_ test: TestDevice) throws {
    let conformance = try Conformance(device: test.open())
    func rows(_ write: @escaping @Sendable (any KernelScene) throws -> Void) -> [ConformanceRow] {
      conformance.rows(
        ConformanceKernel(name: "none", settings: "none", formats: [.rgba8Unorm], isTiled: false) { _ in write },
        .rgba8Unorm, Size(9, 8))
    }
    // Nothing is written, nothing is asked for, the source changes, a word behind the output changes.
    let unwritten = rows { _ = try $0.outputLikeSource() }
    #expect(unwritten.allSatisfy { !$0.repeats && $0.differing == 0 && !$0.conforms })
    let empty = rows { _ in }
    #expect(empty.allSatisfy { $0.samples == 0 && !$0.conforms })
    for (length, changesSource) in [(4, true), (8, false)] {
      let unguarded = rows { scene in
        let output = try scene.output(byteCount: 4)
        scene.fill(output.buffer, output.offset..<output.offset + length)
        if changesSource { scene.blacken(scene.source) }
      }
      #expect(unguarded.allSatisfy { !$0.guards && $0.repeats && $0.differing == 0 })
    }
  }

  /// The place of a mistake in the rows of `kernel` for noise of 17×31.
  private func places(
    _ test: TestDevice, _ settings: String, _ find: String, _ replacement: String
  ) throws -> (first: ConformanceDifference?, pattern: String?, fault: String?) {
    let kernel = try #require(try ConformanceKernel.kernels(settings).first { !$0.settings.hasSuffix("compute") })
    let rows = try Conformance(device: test.open()).rows(kernel, .rgba8Unorm, Size(17, 31)) { buffer, recording in
      try buffer.record(recording, replacing: find, by: replacement)
    }
    let row = try #require(rows.first { $0.input == .synthetic(.noise) })
    return (row.firstDifference, row.pattern, row.fault)
  }

  @Test(arguments: TestDevice.gles.prefix(1)) func aDifferenceSaysWhereItIs(_ test: TestDevice) throws {
    let image = SyntheticImage.noise.image(Size(17, 31), channels: .rgba, depth: .bits8)
    func inverted(_ x: Int, _ y: Int, _ sample: Int) -> Double { Double(255 - image[x: x, y: y, sample: sample]) }
    let body = "pointKernel(SAFELIGHT_PIXEL)"
    for (condition, x, y, pattern) in [
      ("int(gl_FragCoord.x) == 16", 16, 0, "all in the last column"),
      ("int(gl_FragCoord.y) == 30", 0, 30, "all in the last row"),
      ("int(gl_FragCoord.x) == 16 || int(gl_FragCoord.y) == 30", 16, 0, "all in the last column or row"),
      ("int(gl_FragCoord.x) == 0 || int(gl_FragCoord.y) == 30", 0, 0, "all at the edges"),
      ("int(gl_FragCoord.x) == 5", 5, 0, nil),
    ] as [(String, Int, Int, String?)] {
      let found = try places(test, "invert", body, "(\(condition) ? uvec4(0u) : \(body))")
      #expect(found.pattern == pattern, "\(condition)")
      let first = try #require(found.first)
      #expect(first.place == .pixel(x: x, y: y, channel: "red") && first.actual == 0)
      #expect(first.expected == inverted(x, y, 0))
      #expect(found.fault?.contains("first at x \(x), y \(y), red: 0 instead of \(Int(first.expected))") == true)
    }
    let moved = try places(test, "histogram", "+ binOf(samples[plane], plane)]", "+ 7u]")
    #expect(moved.first?.place == .word(0))
    #expect(moved.pattern == nil && moved.fault?.contains("first in word 0: 0 instead of ") == true)
  }

  /// A kernel that says that it does not take a picture is not one that makes something else of it.
  @Test(arguments: TestDevice.gles.prefix(1)) func aRefusalIsNoDifference(_ test: TestDevice) throws {
    let conformance = try Conformance(device: test.open())
    func rows(_ kind: SafelightError.Kind) -> [ConformanceRow] {
      let kernel = ConformanceKernel(name: "none", settings: "none", formats: [.r8Unorm], isTiled: false) { _ in
        { _ in throw SafelightError(kind, "filter 'none'", why: "the picture is gray", remedy: "use another") }
      }
      return conformance.rows(kernel, .r8Unorm, Size(9, 8))
    }
    for kind in [SafelightError.Kind.unsupported, .limit] {
      #expect(rows(kind).allSatisfy { $0.refusal == "the picture is gray" && $0.error == nil && $0.fault == nil })
      #expect(rows(kind).allSatisfy { !$0.conforms })
    }
    #expect(rows(.driver).allSatisfy { $0.refusal == nil && $0.error != nil && $0.fault == $0.error })
  }

  /// A kernel that the twins accept and the device refuses, here for its limit on threads, is an error of the device.
  @Test(arguments: TestDevice.gles.prefix(1)) func aRefusalOfTheDeviceIsAFault(_ test: TestDevice) throws {
    let kernel = ConformanceKernel(name: "none", settings: "none", formats: [.r8Unorm], isTiled: false) { device in
      { scene in
        guard device.info.isCPU else {
          throw SafelightError(.limit, "'none'", why: "256 threads are too many", remedy: "use fewer")
        }
      }
    }
    let rows = try Conformance(device: test.open()).rows(kernel, .r8Unorm, Size(9, 8))
    #expect(!rows.isEmpty && rows.allSatisfy { $0.refusal == nil && $0.fault?.contains("256 threads") == true })
  }

  @Test func formatsThatACallRefusesAreNamed() throws {
    let kernel = try #require(try ConformanceKernel.kernels("white-balance").first)
    #expect(Set(kernel.refusals.map(\.format)) == [.r8Unorm, .r16Uint, .r16Unorm])
    #expect(kernel.refusals.allSatisfy { $0.why.hasPrefix("it turns grays into colors") })
    #expect(!kernel.formats.contains(.r8Unorm))
  }

  /// A card without examples stands for its defaults.
  @Test func aCardWithoutExamplesIsComparedToo() throws {
    struct Plain: ImageKernel {
      static let card = KernelCard<Self>("plain", "nothing", discussion: "", examples: [])
      func makeStage(on device: Device, pipeline: PipelineKind) throws -> any ImageStage { CopyStage() }
    }
    let kernels = try FilterCatalogue.Entry(Plain.self).conformanceKernels
    #expect(kernels.map(\.settings) == ["plain, render", "plain, compute"])
    expectError(.usage, why: .containing("parameter 'file' is missing")) { try ConformanceKernel.kernels("shader") }
  }

  @Test(arguments: TestDevice.gles)
  func formatsThatCannotBeBroughtBackAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let conformance = try Conformance(device: device)
    for format in [PixelFormat.r8Unorm, .rgba8Unorm, .r16Uint, .rg16Uint, .rgba16Uint] {
      #expect(conformance.refusal(of: format) == nil)
    }
    // Only refused pictures are not compared.
    for format in PixelFormat.colors where format.sampleKind == .float {
      let refusal = conformance.refusal(of: format)
      if test.name.hasSuffix("-minimum") {
        #expect(refusal?.why.contains("cannot be read back") == true, "\(format)")
      } else if !test.name.hasPrefix("node=") {
        // llvmpipe has them; of other drivers nothing is known here.
        #expect(refusal == nil, "\(format)")
      }
    }
  }

  /// A kernel whose filter refuses everything would never be compared.
  @Test func aQuickRunLeavesNoCallOut() throws {
    for kernel in try ConformanceKernel.all {
      #expect(kernel.isDefined(Conformance.quickSize(of: kernel)), "\(kernel.settings)")
      #expect(kernel.formats.contains { Conformance.quickFormats.contains($0) }, "\(kernel.settings)")
    }
  }

  @Test func theCPUIsNotComparedWithItself() { expectError(.usage) { try Conformance(device: .open(.cpu)) } }
}

extension KernelDefect {
  /// The kernel of its settings, in the pipeline that they name; else as a render pass.
  var kernel: ConformanceKernel {
    get throws {
      let all = try ConformanceKernel.all
      if let known = all.first(where: { $0.settings == settings }) { return known }
      if let example = all.first(where: { $0.settings == settings + ", render" }) { return example }
      return try #require(try ConformanceKernel.kernels(settings).first)
    }
  }
}

extension KernelScene {
  fileprivate func blacken(_ texture: TiledTexture) {
    let bytes = [UInt8](repeating: 0, count: texture.size.area * texture.pixelFormat.bytesPerPixel)
    buffer.blit { encoder in for tile in texture.tiles { encoder.write(bytes, to: tile.texture) } }
  }

  fileprivate func fill(_ memory: Buffer, _ range: Range<Int>) {
    buffer.blit { $0.fill(memory, range: range, value: 7) }
  }
}
