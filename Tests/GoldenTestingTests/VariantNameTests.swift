import GoldenTesting
import SafelightGPU
import Testing

@Suite struct VariantNameTests {
  @Test(arguments: [
    ("llvmpipe (LLVM 15.0.6, 256 bits)", true, ["llvmpipe", "llvm", "15.0.6", "256", "bits", "software"]),
    ("NVIDIA H200/PCIe/SSE2", false, ["nvidia", "h200", "pcie", "sse2", "hardware"]),
    ("Mesa Intel(R) UHD Graphics 620", false, ["mesa", "intel", "r", "uhd", "graphics", "620", "hardware"]),
    ("", false, ["hardware"]),
  ])
  func theRenderersWordsThenItsKind(_ renderer: String, _ isSoftware: Bool, _ names: [String]) {
    #expect(DeviceInfo.variantNames(renderer: renderer, isSoftware: isSoftware) == names)
  }

  @Test func theTwinsHaveNone() throws {
    #expect(try Device.open(.cpu).info.variantNames == [])
  }
}
