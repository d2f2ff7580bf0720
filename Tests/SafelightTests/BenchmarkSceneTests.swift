import Safelight
import SafelightGPU
import SafelightImage
import Testing

@Suite struct BenchmarkSceneTests {
  /// No call draws over what the one before has drawn, or that one need not be done.
  @Test func callsInOneBufferWriteByTurns() throws {
    let device = try Device.open(.cpu)
    defer { device.close() }
    let image = Image(size: Size(3, 2), channels: .gray, depth: .bits8, bytes: [1, 2, 3, 4, 5, 6])
    let scene = try BenchmarkScene(device: device, image: image)
    var textures: [ObjectIdentifier] = []
    var memories: [ObjectIdentifier] = []
    for _ in 0..<2 {
      _ = try scene.seconds(count: 4) { scene in
        textures.append(ObjectIdentifier(try #require(scene.outputLikeSource().tiles.first).texture))
        memories.append(ObjectIdentifier(try scene.output(byteCount: 16).buffer))
      }
    }
    for outputs in [textures, memories] {
      #expect(outputs.count == 8 && Set(outputs).count == 2)
      #expect(
        zip(outputs, outputs.dropFirst()).enumerated().allSatisfy { $0.offset == 3 || $0.element.0 != $0.element.1 })
    }
  }
}
