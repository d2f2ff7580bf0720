import SafelightGPU
import SafelightImage
import SafelightShaders
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
      try device.run {
        $0.compute {
          $0.setComputePipelineState(ComputePipelineState(Self.broken))
          $0.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(8, 8))
        }
      }
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
