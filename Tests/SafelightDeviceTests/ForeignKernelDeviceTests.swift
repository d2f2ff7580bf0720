import Safelight
import TestSupport
import Testing

/// A kernel of another package, as its author may write it.
private struct ForeignKernel: PassKernel {
  var passes: [Pass] = []

  static let card = KernelCard<Self>("foreign", "is made for a test", discussion: "", examples: [])

  func passes(for picture: PassPicture) -> [Pass] { passes }
}

/// Functions that keep to their passes, and some that do not.
private enum ForeignFunction: String, PassFunction {
  case copy, sum, meanOfBlueAndAlpha, above, tooFar, tooBright, noSuchWord, wrongKind, numberOfPicture, nothing

  var name: String { rawValue }

  var body: ShaderText {
    let text =
      switch self {
      case .copy: "uvec4 pointKernel(uvec4 pixel) { return pixel; }"
      case .meanOfBlueAndAlpha: "uvec4 pointKernel(uvec4 pixel) { return uvec4((pixel.b + pixel.a) / 2u); }"
      case .above: "uvec4 pointKernel(uvec4 pixel) { return source(0, -1); }"
      case .numberOfPicture, .nothing: "uvec4 pointKernel(uvec4 pixel) { return pixel; }"
      case .wrongKind: "void begin() {} void take(uvec4 pixel) {} void give() {}"
      case .tooFar: "uvec4 pointKernel(uvec4 pixel) { return source(2, 0); }"
      case .tooBright: "uvec4 pointKernel(uvec4 pixel) { return uvec4(MAXIMUM + 1u); }"
      case .sum:
        """
        uint sum;
        void begin() { sum = 0u; }
        void take(uvec4 pixel) { sum += pixel.r; }
        void give() { addNumber(0u, sum); }
        """
      case .noSuchWord:
        // The compiler cannot know the word, so the calls stay in the program.
        """
        uint word;
        void begin() { word = 1u; }
        void take(uvec4 pixel) { word = max(word, pixel.r + 1u); }
        void give() { addNumber(word, 1u); addNumber(0u - word, 1u); }
        """
      }
    return ShaderText(name: name, contents: text)
  }

  func make(_ memory: PassMemory) {
    switch self {
    case .copy:
      let source = memory.input("source")
      memory.makePixels { source.pixel($0) }
    case .meanOfBlueAndAlpha:
      let source = memory.input("source")
      memory.makePixels { position in
        let pixel = source.pixel(position)
        return SIMD4(repeating: (pixel.z + pixel.w) / 2)
      }
    case .above:
      let source = memory.input("source")
      memory.makePixels { source.pixel($0, y: -1) }
    // Faults that must stay inside the memory that there is.
    case .wrongKind: memory.makePixels { _ in .zero }
    case .numberOfPicture:
      let source = memory.input("source")
      memory.makePixels { _ in SIMD4(repeating: source.number(36)) }
    case .nothing: break
    case .tooFar:
      let source = memory.input("source")
      memory.makePixels { source.pixel($0, x: 2) }
    case .tooBright: memory.makePixels { _ in SIMD4(repeating: memory.maximum + 1) }
    case .sum:
      let source = memory.input("source")
      var sum: UInt32 = 0
      memory.forEachPixel { sum &+= source.pixel($0).x }
      memory.addNumber(0, sum)
    case .noSuchWord:
      memory.addNumber(1, 1)
      memory.addNumber(-1, 1)
    }
  }
}

/// A sample that is the number of a picture's pixels of this red, at most the maximum.
private struct CountOfPixels: PassFunction {
  let counts: Bool

  var name: String { "count_of_pixels" }
  var constants: [ShaderAssembly.Constant] { [.init("COUNTS", counts)] }
  var body: ShaderText {
    ShaderText(
      name: name,
      contents: """
        #if COUNTS
        void begin() {}
        void take(uvec4 pixel) { addNumber(pixel.r & 255u, 1u); }
        void give() {}
        #else
        uvec4 pointKernel(uvec4 pixel) {
          uint count = min(counts(pixel.r & 255u), MAXIMUM);
          return uvec4(count, count, count, pixel.a);
        }
        #endif
        """)
  }

  func make(_ memory: PassMemory) {
    let source = memory.input("source")
    if counts {
      memory.forEachPixel { memory.addNumber(Int(source.pixel($0).x & 255), 1) }
    } else {
      let counts = memory.input("counts")
      memory.makePixels { position in
        let pixel = source.pixel(position)
        let count = min(counts.number(Int(pixel.x & 255)), memory.maximum)
        return [count, count, count, pixel.w]
      }
    }
  }
}

/// A measurement that makes a word that there is not.
private struct ForeignReduction: ReductionKernel {
  static let card = KernelCard<Self>("foreign-reduction", "is made for a test", discussion: "", examples: [])

  func passes(for picture: PassPicture) -> [Pass] {
    [Pass(ForeignFunction.noSuchWord, inputs: [.source(.pixel)], output: .numbers(0, [.sums(1)]))]
  }

  func values(of numbers: [UInt32], for image: ImageDescriptor) -> [(name: String, value: Double)] { [] }
}

/// The contract of kernels in other packages: what it carries, and how it refuses what contradicts it.
@Suite struct ForeignKernelDeviceTests {
  private static let picture = SyntheticImage.noise.image(Size(37, 19), channels: .rgba, depth: .bits8)

  private static func pass(_ function: ForeignFunction, _ footprint: Footprint = .pixel) -> Pass {
    Pass(function, inputs: [.source(footprint)])
  }

  private struct Contradiction: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let passes: [Pass]

    init(_ why: String, _ passes: [Pass]) { (testDescription, self.passes) = (why, passes) }
  }

  private static let contradictions = [
    Contradiction(
      "pass 'copy' that makes result(0) reads temporary(3) before another pass makes it",
      [
        Pass(ForeignFunction.copy, inputs: [.temporary("source", 3, .pixel)])
      ]),
    Contradiction(
      "pass 'copy' that makes result(0) reads numbers(0) before another pass makes it",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel), .numbers("sum", 0)])
      ]),
    Contradiction("pass 'copy' that makes result(0) reads nothing", [Pass(ForeignFunction.copy, inputs: [])]),
    Contradiction("two passes make result(0)", [pass(.copy), pass(.copy)]),
    Contradiction(
      "two passes make temporary(0)",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel)], output: .temporary(0, .rgba8Unorm)),
        Pass(ForeignFunction.tooBright, inputs: [.source(.pixel)], output: .temporary(0, .rgba16Uint)),
        Pass(ForeignFunction.copy, inputs: [.temporary("source", 0, .pixel)]),
      ]),
    Contradiction(
      "pass 'copy' that makes temporary(0) is of depth32Float; choose integers of one or four channels, or the "
        + "picture's own format",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel)], output: .temporary(0, .depth32Float)),
        Pass(ForeignFunction.copy, inputs: [.temporary("source", 0, .pixel)]),
      ]),
    Contradiction(
      "pass 'sum' that makes numbers(0) makes no numbers, or more than 2^20",
      [
        Pass(ForeignFunction.sum, inputs: [.source(.pixel)], output: .numbers(0, [.sums(.max), .wideSums(.max)])),
        Self.pass(.copy),
      ]),
    Contradiction(
      "pass 'copy' that makes temporary(-1) has a number that is not from 0 to 999",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel)], output: .temporary(-1, .rgba8Unorm)),
        Pass(ForeignFunction.copy, inputs: [.temporary("source", -1, .pixel)]),
      ]),
    Contradiction(
      "it reads a second picture, and its card has none",
      [Pass(ForeignFunction.copy, inputs: [.source(.pixel), .second(.pixel)])]),
    Contradiction(
      "pass 'copy' that makes result(0) has an input 'a b', which is no name in GLSL",
      [Pass(ForeignFunction.copy, inputs: [.source(.pixel, named: "a b")])]),
    Contradiction(
      "no pass reads the temporary(0) that another makes",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel)], output: .temporary(0, .rgba8Unorm))
      ]),
    Contradiction(
      "pass 'copy' that makes result(0) has two inputs of the same name",
      [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel), .source(.square(radius: 1))])
      ]),
    Contradiction(
      "pass 'copy' that makes result(0) has a footprint that is not of 0 to 2^20 columns and rows to each side",
      [
        pass(.copy, .square(radius: -1))
      ]),
    Contradiction(
      "pass 'sum' that makes numbers(0) makes no numbers, or more than 2^20",
      [
        Pass(ForeignFunction.sum, inputs: [.source(.pixel)], output: .numbers(0, []))
      ]),
    Contradiction(
      "pass 'sum' that makes numbers(1) makes numbers, and its first input is no picture",
      [
        Pass(ForeignFunction.sum, inputs: [.source(.pixel)], output: .numbers(0, [.sums(1)])),
        Pass(ForeignFunction.sum, inputs: [.numbers("sum", 0)], output: .numbers(1, [.sums(1)])),
      ]),
    Contradiction(
      "pass 'copy' that makes result(0) reads numbers beside temporaries, which lie in parts",
      [
        Pass(ForeignFunction.sum, inputs: [.source(.pixel)], output: .numbers(0, [.sums(1)])),
        Pass(ForeignFunction.copy, inputs: [.source(.square(radius: 1))], output: .temporary(0, .rgba8Unorm)),
        Pass(ForeignFunction.copy, inputs: [.temporary("source", 0, .square(radius: 1)), .numbers("sum", 0)]),
      ]),
  ]

  /// Passes that contradict each other are an error before anything runs, on both executors.
  @Test(arguments: contradictions, TestDevice.all)
  private func contradictionsAreNamed(_ contradiction: Contradiction, _ test: TestDevice) throws {
    let stage = try ForeignKernel(passes: contradiction.passes).makeStage(on: try test.open(), pipeline: .automatic)
    expectError(
      .kernel, what: "filter 'foreign'", why: .whole(contradiction.testDescription), remedy: .something
    ) { try stage.output(of: Self.picture.descriptor) }
  }

  private func result(
    of kernel: some PassKernel, _ picture: Image = Self.picture, on device: Device, pipeline: PipelineKind = .automatic
  ) async throws -> Image {
    let (source, destination) = (
      try device.makeTexture(picture.size, picture.pixelFormat),
      try device.makeTexture(picture.size, picture.pixelFormat)
    )
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    let upload = buffer.makeBlitCommandEncoder()
    upload.copy(from: picture, to: source)
    upload.endEncoding()
    kernel.encode(to: buffer, source: source, destination: destination, pipeline: pipeline)
    let blit = buffer.makeBlitCommandEncoder()
    let result = blit.read(destination)
    blit.endEncoding()
    buffer.commit()
    try await buffer.completed()
    return picture.replacing(bytes: try result.contents())
  }

  /// A twin that reads beyond the footprint is an error that names the pass, alone and in strips with others.
  @Test(arguments: [false, true]) func readingTooFarIsNamed(isSecond: Bool) async throws {
    let first = Pass(ForeignFunction.copy, inputs: [.source(.square(radius: 1))], output: .temporary(0, .rgba8Unorm))
    let last = Pass(
      ForeignFunction.tooFar,
      inputs: [isSecond ? .temporary("source", 0, .square(radius: 1)) : .source(.square(radius: 1))])
    let kernel = ForeignKernel(passes: isSecond ? [first, last] : [last])
    let device = try Device.open(.cpu)
    let error = await #expect(throws: SafelightError.self) { _ = try await result(of: kernel, on: device) }
    #expect(error?.kind == .kernel)
    #expect(error?.what.contains("pass 'tooFar' that makes result(0)") == true, "\(String(describing: error))")
    #expect(error?.why == "its twin reads 'source' 2 columns to the right and 0 rows below, beyond the footprint")
  }

  /// Samples above what the format holds become that, in both bodies.
  @Test(arguments: TestDevice.all) func samplesAreClamped(_ test: TestDevice) async throws {
    for format in [PixelFormat.rgba8Unorm, .rgba16Uint, .r8Unorm, .r16Uint] {
      let image = format.samplesPerPixel == 1 ? Channels.gray : .rgba
      let picture = SyntheticImage.noise.image(Size(37, 19), channels: image, depth: format.depth)
      for pipeline in [PipelineKind.render, .compute] {
        let kernel = ForeignKernel(passes: [Self.pass(.tooBright)])
        let made = try await result(of: kernel, picture, on: try test.open(), pipeline: pipeline)
        #expect(made.bytes.allSatisfy { $0 == 255 }, "\(format) \(pipeline)")
      }
    }
  }

  /// A body need not tell gray from colors: red, green and blue are the gray, and alpha is the maximum.
  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func graysAreColors(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let picture = SyntheticImage.noise.image(Size(37, 19), channels: .gray, depth: depth)
    let kernel = ForeignKernel(passes: [Self.pass(.meanOfBlueAndAlpha)])
    let expected = picture.samples.map { (Int($0) + picture.pixelFormat.maximum) / 2 }
    let made = try await result(of: kernel, picture, on: try test.open())
    #expect(made.samples.map { Int($0) } == expected)
  }

  /// A twin that writes or reads memory other than its own, or leaves its output unwritten, gets an error instead.
  @Test(arguments: [
    (ForeignFunction.wrongKind, "its twin makes pixels, and its output is numbers"),
    (.numberOfPicture, "its twin reads word 36 of 'source', which has 0"),
    (.nothing, "its twin makes no pixels"),
  ])
  private func otherMemoryIsNotTouched(_ fault: (function: ForeignFunction, why: String)) async throws {
    let isNumbers = fault.function == .wrongKind
    let pass = Pass(fault.function, inputs: [.source(.pixel)], output: isNumbers ? .numbers(0, [.sums(1)]) : .result)
    let kernel = ForeignKernel(passes: isNumbers ? [pass, Self.pass(.copy)] : [pass])
    let device = try Device.open(.cpu)
    let error = await #expect(throws: SafelightError.self) { _ = try await result(of: kernel, on: device) }
    #expect(error?.why == fault.why)
  }

  /// Beyond the edges of a temporary, upper one included, lie the pixels at the edges, or zeros; gray stays opaque.
  @Test(arguments: TestDevice.all, [ImageEdgeMode.clamp, .zero])
  func temporariesHaveEdges(_ test: TestDevice, _ edge: ImageEdgeMode) async throws {
    for channels in [Channels.gray, .rgba] {
      // Several strips of the twins.
      let picture = SyntheticImage.noise.image(Size(1900, 700), channels: channels, depth: .bits8)
      let kernel = ForeignKernel(passes: [
        Pass(ForeignFunction.copy, inputs: [.source(.pixel)], output: .temporary(0, picture.pixelFormat)),
        Pass(
          ForeignFunction.above, inputs: [.temporary("source", 0, .window(columns: 0, rows: 1), edge: edge)],
          output: .temporary(1, .rgba32Uint)),
        Pass(ForeignFunction.meanOfBlueAndAlpha, inputs: [.temporary("source", 1, .pixel)]),
      ])
      let (step, row) = (picture.pixelFormat.samplesPerPixel, picture.pixelFormat.samplesPerPixel * picture.size.width)
      let samples = picture.samples
      let made = try await result(of: kernel, picture, on: try test.open()).samples
      func expected(_ place: Int) -> UInt16 {
        let pixel = place / step * step
        if pixel < row && edge == .zero { return step == 1 ? 127 : 0 }
        let above = pixel < row ? pixel : pixel - row
        return step == 1 ? (samples[above] + 255) / 2 : (samples[above + 2] + samples[above + 3]) / 2
      }
      let isExpected = made.indices.allSatisfy { made[$0] == expected($0) }
      #expect(isExpected, "\(channels)")
    }
  }

  /// A word that there is not is named by the twin, and left out by OpenGL ES, where it hits no other memory.
  @Test(arguments: TestDevice.all) func wordsThatThereAreNot(_ test: TestDevice) async throws {
    let device = try test.open()
    let kernel = ForeignKernel(passes: [
      Pass(ForeignFunction.noSuchWord, inputs: [.source(.pixel)], output: .numbers(0, [.sums(1)])), Self.pass(.copy),
    ])
    if device.info.isCPU {
      let error = await #expect(throws: SafelightError.self) { _ = try await result(of: kernel, on: device) }
      #expect(error?.why == "its twin makes word 1 by the rule 'sum', and its output has no such word")
    } else {
      // The same numbers, between words of a buffer that must stay.
      let words = try device.makeBuffer(length: 16)
      let source = try device.makeTexture(Self.picture.size, Self.picture.pixelFormat)
      let buffer = device.makeCommandQueue().makeCommandBuffer()
      let fill = buffer.makeBlitCommandEncoder()
      fill.fill(words, range: 0..<16, value: 7)
      fill.endEncoding()
      ForeignReduction().encode(to: buffer, source: source, into: words, offset: 4)
      let blit = buffer.makeBlitCommandEncoder()
      let result = blit.read(words, range: 0..<16)
      blit.endEncoding()
      buffer.commit()
      try await buffer.completed()
      let made: [UInt8] = try result.contents()
      #expect(made == [7, 7, 7, 7, 0, 0, 0, 0, 7, 7, 7, 7, 7, 7, 7, 7])
    }
  }

  /// Numbers serve pictures of every kind: those of one channel are drawn, where OpenGL ES reads a table of them.
  @Test(arguments: [Channels.gray, .rgb, .rgba], SampleDepth.allCases)
  func numbersServePicturesOfEveryKind(_ channels: Channels, _ depth: SampleDepth) async throws {
    let picture = SyntheticImage.noise.image(Size(150, 190), channels: channels, depth: depth)
    let kernel = ForeignKernel(passes: [
      Pass(CountOfPixels(counts: true), inputs: [.source(.pixel)], output: .numbers(0, [.sums(256)])),
      Pass(CountOfPixels(counts: false), inputs: [.source(.pixel), .numbers("counts", 0)]),
    ])
    var counts = [Int](repeating: 0, count: 256)
    let samples = picture.samples
    let step = picture.pixelFormat.samplesPerPixel
    for pixel in stride(from: 0, to: samples.count, by: step) { counts[Int(samples[pixel] & 255)] += 1 }
    #expect(counts.allSatisfy { $0 < picture.pixelFormat.maximum })
    var expected = samples
    for pixel in stride(from: 0, to: samples.count, by: step) {
      for channel in 0..<min(step, 3) { expected[pixel + channel] = UInt16(counts[Int(samples[pixel] & 255)]) }
    }
    for test in TestDevice.all {
      let made = try await result(of: kernel, picture, on: try test.open())
      let isExpected = made.samples == expected
      #expect(isExpected, "\(test)")
    }
  }
}

extension Image {
  /// The samples as they lie in a texture.
  fileprivate var samples: [UInt16] {
    depth == .bits8
      ? bytes.map { UInt16($0) }
      : stride(from: 0, to: bytes.count, by: 2).map { UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8 }
  }
}
