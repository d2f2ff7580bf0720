import Dispatch
import Logging
import SafelightGPU
import SafelightImage
import Synchronization
import TestSupport
import Testing

@Suite struct CompileErrorDeviceTests {
  private static let broken = ShaderFunction(
    "soften", "#include \"Common/compute.glsl\"\nvoid main() {\n  int a = nonsense;\n}", arguments: [])

  private func expectExplained(_ error: SafelightError?, stage: String) {
    #expect(error?.kind == .driver)
    #expect(error?.what.contains("\(stage) function 'soften' does not compile") == true)
    // The driver names the unknown identifier, and the lines around it are quoted with their numbers.
    let why = error?.why ?? ""
    let quoted = why.split(separator: "\n").filter { $0.contains(" | ") }
    #expect(why.split(separator: "\n").contains { $0.contains("nonsense") && !$0.contains(" | ") }, "\(why)")
    #expect(quoted.contains { $0.hasSuffix(" |   int a = nonsense;") }, "\(why)")
    #expect(quoted.count == 3)
  }

  @Test(arguments: TestDevice.gles)
  func aComputeFunctionIsRefusedWithLogAndLines(_ test: TestDevice) throws {
    let device = try test.open()
    expectExplained(
      #expect(throws: SafelightError.self) { try device.makeComputePipelineState(Self.broken) }, stage: "compute")
    let thrown = #expect(throws: SafelightError.self) {
      try device.run { try $0.dispatch(ComputePipelineState(Self.broken), Size(1, 1)) }
    }
    expectExplained(thrown, stage: "compute")
    #expect(thrown?.what.hasPrefix("'test' › 'compute' (") == true)
    try expectWorking(device)
  }

  @Test(arguments: TestDevice.gles)
  func aFragmentFunctionIsRefusedWithLogAndLines(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      "soften", "out vec4 color;\nvoid main() {\n  int a = nonsense;\n  color = vec4(0.0);\n}", arguments: [])
    expectExplained(
      #expect(throws: SafelightError.self) { try device.makeRenderPipelineState(fullScreen: function) },
      stage: "fragment")
    try expectWorking(device)
  }

  /// The CPU, which has no compiler, refuses what shows without one; a compiler refuses it anyway.
  @Test(
    arguments: TestDevice.all,
    [
      ("void main() {\n  int a = 1;\n", "source:1: its { is never closed"),
      ("void main() {\n  int a = (1;\n}", "source:3: a } stands where a ( is still open"),
      ("void main() {}\n}", "source:2: a } closes nothing"),
      ("void main() {\n  int a = (1];\n}", "source:2: a ] stands where a ( is still open"),
      ("void main() {\n  int a = 1\n}", "source:3: a ; is missing behind '1'"),
      ("void mian() {}", "the text has no function main"), ("int main = 1;", "the text has no function main"),
      ("#inlcude \"x\"\nvoid main() {}", "source:1: there is no directive #inlcude"),
      ("#if 1\nvoid main() {}", "source:1: its #if has no #endif"),
      ("void main() {}\n#endif", "source:2: #endif has no #if"),
      ("#else\nvoid main() {}", "source:1: #else has no #if"),
      ("#version 310 es\nvoid main() {}", "source:1: #version stands behind the first line"),
      ("void main() {}\n#error not yet", "source:2: #error not yet"),
    ])
  func whatShowsWithoutACompilerIsRefused(_ test: TestDevice, _ mistake: (text: String, why: String)) throws {
    let device = try test.open()
    let function = ShaderFunction("mistaken", mistake.text, arguments: [], twin: ShaderTwin { _ in })
    let error = #expect(throws: SafelightError.self) { try device.makeComputePipelineState(function) }
    if device.info.isCPU {
      #expect(error?.kind == .usage && error?.what == "function 'mistaken' does not compile")
      #expect(error?.why.contains(mistake.why) == true, "\(error?.why ?? "")")
      expectError(.usage, why: .containing(mistake.why)) { try device.makeRenderPipelineState(fullScreen: function) }
    }
  }

  /// Nothing of it is a mistake.
  @Test(arguments: TestDevice.all)
  func whatOnlyLooksWrongCompiles(_ test: TestDevice) throws {
    let text = """
      #define SET(x, y) x = y;
      #define BLOCK {
      layout(local_size_x = 1) in;
      struct Pair { int a; int b; };  // }
      /* ( */ layout(std430, binding = 0) buffer Words { uint words[]; };
      #if 0
      #nonsense
      } ((
      #error never
      #elif 1
      # pragma optimize(on)
      #
      #endif
      void main() BLOCK
        int a[2] = int[2](1, 2); int b;
        for (int i = 0; i < 2; ++i) { if (a[i] == 1) { SET(b, 3) } }
        switch (b) { case 3: { words[0] = uint(b); } break; default: break; }
      }
      """
    let function = ShaderFunction("fine", text, arguments: [.storageBuffer(0)], twin: ShaderTwin { _ in })
    _ = try test.open().makeComputePipelineState(function)
  }

  /// Stages that compile but do not link.
  @Test(arguments: TestDevice.gles)
  func functionsThatDoNotLinkAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    let function = ShaderFunction(
      "soften", "in vec3 textureCoordinate;\nout vec4 color;\nvoid main() { color = vec4(textureCoordinate, 1.0); }",
      arguments: [])
    expectError(.driver, what: "program 'soften' does not link", why: .containing("textureCoordinate")) {
      try device.makeRenderPipelineState(fullScreen: function)
    }
    try expectWorking(device)
  }

  private func expectWorking(_ device: Device) throws {
    let buffer = try device.makeBuffer(length: 8)
    try device.dispatch(ComputeFunctions.scale, Size(2, 1)) {
      $0.setBuffer(buffer, index: 0)
      $0.setBytes(SIMD4<UInt32>(0, 9, 0, 0), index: 3)
    }
    #expect(try device.contents(of: buffer).words(UInt32.self) == [9, 9])
  }
}

/// Messages of KHR_debug reach the log of their device.
@Suite struct DebugMessagesDeviceTests {
  private final class Lines: Sendable {
    let texts = Mutex<[String]>([])
  }

  private struct Recorder: LogHandler {
    let lines: Lines
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.texts.withLock { $0.append("\(event.level): \(event.message)") } }
  }

  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func aCompilersComplaintIsLogged(_ test: TestDevice) throws {
    let lines = Lines()
    let device = try test.open(limits: nil, logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    let wrong = ShaderFunction("wrong", "#include \"Common/compute.glsl\"\nvoid main() { nonsense; }", arguments: [])
    #expect(throws: SafelightError.self) { try device.makeComputePipelineState(wrong) }
    device.close()
    // ANGLE reports compiler errors only in the shader's log.
    if device.info.driver.contains("ANGLE") { return }
    let texts = lines.texts.withLock { $0 }
    #expect(texts.contains { $0.hasPrefix("error: ") && $0.contains("nonsense") }, "\(texts)")
  }

  /// Signposts travel through the driver (`glDebugMessageInsert`): of the buffer and of every kind of encoder.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func signpostsReachTheDriver(_ test: TestDevice) throws {
    let lines = Lines()
    let device = try test.open(limits: nil, logger: Logger(label: "test") { _ in Recorder(lines: lines) })
    let texture = try device.makeTexture(Size(1, 1), .rgba8Unorm)
    let buffer = device.makeCommandQueue().makeCommandBuffer()
    buffer.insertDebugSignpost("of the buffer")
    func mark(_ encoder: CommandEncoder) {
      encoder.pushDebugGroup("group of \(encoder.label)")
      encoder.insertDebugSignpost("signpost of \(encoder.label)")
      encoder.popDebugGroup()
      encoder.endEncoding()
    }
    mark(buffer.makeBlitCommandEncoder(label: "blit"))
    mark(buffer.makeComputeCommandEncoder(label: "compute"))
    mark(buffer.makeRenderCommandEncoder(RenderPassDescriptor(texture: texture), label: "render"))
    try buffer.finish()
    device.close()
    let texts = lines.texts.withLock { $0 }
    for text in ["of the buffer", "signpost of blit", "signpost of compute", "signpost of render"] {
      #expect(texts.contains { $0.hasSuffix(text) }, "\(texts)")
    }
    for name in ["blit", "compute", "render"] {
      // Opened and closed: the driver reports both.
      #expect(texts.filter { $0.hasSuffix("group of \(name)") }.count == 2, "\(texts)")
    }
  }
}

@Suite struct AsynchronousCompilationDeviceTests {
  @Test(arguments: TestDevice.onEveryPlatform)
  func aPipelineComesAndRuns(_ test: TestDevice) async throws {
    let device = try test.openAnother()
    let pipeline = try await device.makeComputePipelineState(
      ComputeFunctions.scale, threadsPerThreadgroup: Size(4, 1))
    if !device.info.isCPU { #expect(device.statistics.programs == 1) }
    let buffer = try device.makeBuffer(length: 16)
    try device.run {
      $0.dispatch(pipeline, Size(4, 1), group: Size(4, 1)) {
        $0.setBuffer(buffer, index: 0)
        $0.setBytes(SIMD4<UInt32>(1, 9, 0, 0), index: 3)
      }
    }
    #expect(try device.contents(of: buffer).words(UInt32.self) == [9, 9, 9, 9])
    // The dispatch used the compiled program.
    if !device.info.isCPU { #expect(device.statistics.programs == 1) }
  }

  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func aRefusalIsThrown(_ test: TestDevice) async throws {
    let device = try test.open()
    let function = ShaderFunction("soften", "layout(local_size_x = 1) in;\nvoid main() { nonsense; }")
    let error = await #expect(throws: SafelightError.self) { try await device.makeComputePipelineState(function) }
    #expect(error?.what == "compute function 'soften' does not compile")
    #expect(error?.why.contains("at source:2") == true)
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func manyComeAtOnceEachOnce(_ test: TestDevice) async throws {
    let device = try test.openAnother()
    let functions = (0..<12).map { number in
      ShaderFunction(
        "f\(number)",
        """
        #include "Common/compute.glsl"
        layout(std430, binding = 0) buffer Words { uint words[]; };
        void main() { words[gl_GlobalInvocationID.x] = \(number)u; }
        """, twin: ShaderTwin { $0.buffer(0).withWords { $0[0] = UInt32(number) } })
    }
    let made = try await withThrowingTaskGroup(of: ComputePipelineState.self) { group in
      for function in functions {
        group.addTask { try await device.makeComputePipelineState(function, threadsPerThreadgroup: Size(1, 1)) }
      }
      return try await group.reduce(into: [String: ComputePipelineState]()) { $0[$1.function.name] = $1 }
    }
    #expect(made.count == 12)
    for number in 0..<12 {
      let pipeline = try #require(made["f\(number)"])
      let buffer = try device.makeBuffer(length: 4)
      try device.run { $0.dispatch(pipeline, Size(1, 1), group: Size(1, 1)) { $0.setBuffer(buffer, index: 0) } }
      #expect(try device.contents(of: buffer).words(UInt32.self) == [UInt32(number)])
    }
  }

  @Test(arguments: TestDevice.onEveryPlatform)
  func theHandlerIsCalledOnceAlsoByAClosedDevice(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let outcomes = Mutex<[Result<ComputePipelineState, SafelightError>]>([])
    let done = DispatchSemaphore(value: 0)
    let compile = {
      device.makeComputePipelineState(ComputeFunctions.scale) { outcome in
        outcomes.withLock { $0.append(outcome) }
        done.signal()
      }
    }
    compile()
    done.wait()
    #expect(throws: Never.self) { try outcomes.withLock { $0 }[0].get() }
    device.close()
    compile()
    done.wait()
    expectError(why: .containing("closed")) { try outcomes.withLock { $0 }[1].get() }
    #expect(outcomes.withLock { $0.count } == 2)
  }

  /// A device that is closed while pipelines compile completes each request.
  @Test(arguments: TestDevice.onEveryPlatform)
  func closingAnswersForEveryPipeline(_ test: TestDevice) throws {
    let device = try test.openAnother()
    let answers = Mutex(0)
    let done = DispatchSemaphore(value: 0)
    for number in 0..<8 {
      let function = ShaderFunction(
        "f", "layout(local_size_x = 1) in;\nvoid main() { int a = \(number); }", twin: ShaderTwin { _ in })
      device.makeComputePipelineState(function) { _ in
        answers.withLock { $0 += 1 }
        done.signal()
      }
    }
    device.close()
    for _ in 0..<8 { done.wait() }
    #expect(answers.withLock { $0 } == 8)
  }

  /// Devices with the minimum limits of OpenGL ES 3.1 compile on their own thread.
  @Test(arguments: TestDevice.onEveryPlatform)
  func theMinimumHasNoThreadsOfTheDrivers(_ test: TestDevice) throws {
    #expect(try !test.open(limits: .minimum).capabilities.compilesInParallel)
  }
}
