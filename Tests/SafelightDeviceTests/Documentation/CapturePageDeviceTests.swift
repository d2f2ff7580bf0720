import Foundation
import Safelight
import TestSupport
import Testing

private let source = """
  #pragma kernel brighten
  #include "Common/compute.glsl"
  layout(std430, binding = 0) buffer Words { uint words[]; };
  void main() {
    if (isOutsideGrid()) return;
    words[gl_GlobalInvocationID.x] += 7u;
  }
  """

private func brighten(on device: Device) throws -> ShaderFunction {
  try device.makeLibrary(source: source).makeFunction(name: "brighten").withTwin { arguments in
    arguments.buffer(0).withWords { words in
      for index in 0..<arguments.grid.width { words[index] += 7 }
    }
  }
}

private func drawFrame(on queue: CommandQueue) throws {
  let words = try queue.device.makeBuffer(length: 16, label: "words")
  let buffer = queue.makeCommandBuffer(label: "frame")
  let encoder = buffer.makeComputeCommandEncoder()
  encoder.setComputePipelineState(try queue.device.makeComputePipelineState(brighten(on: queue.device)))
  encoder.setBuffer(words, index: 0)
  encoder.dispatchThreads(Size(4, 1), threadsPerThreadgroup: Size(4, 1))
  encoder.endEncoding()
  buffer.commit()
  try buffer.waitUntilCompleted()
}

/// The code of the page "Capture and replay", in its order.
@Suite struct CapturePageDeviceTests {
  private let scratch = TemporaryFolder()

  @Test func thePageShowsWhatRunsHere() throws {
    try DocumentedCode("Sources/Safelight/Safelight.docc/Capture.md").expect(
      2, blocksIn: #filePath,
      naming: ["CaptureFolder(path)": "CaptureFolder(\"captures\")", "read(first)": "read(\"captures/0001-frame\")"])
  }

  @Test(arguments: TestDevice.all)
  func aFrameIsCapturedAndReplayed(_ test: TestDevice) throws {
    let path = scratch.path
    let device = try test.openAnother()
    defer { device.close() }
    let queue = device.makeCommandQueue()

    let folder = CaptureFolder(path)
    try device.captureManager.startCapture(CaptureDescriptor(captureObject: .commandQueue(queue), destination: folder))
    try drawFrame(on: queue)
    device.captureManager.stopCapture()

    let first = "\(path)/0001-frame"
    let myFunction = try brighten(on: device)

    var twins = TwinLibrary.kernels
    twins.add(myFunction)
    let outputs = try CaptureReplay(try CaptureFolder.read(first), device: device, twins: twins).run()

    #expect(outputs.map(\.name) == ["buffer-1-words"])
    #expect(outputs.first?.actual == [7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0, 7, 0, 0, 0])
    #expect(outputs.allSatisfy { $0.difference == nil })
  }
}
