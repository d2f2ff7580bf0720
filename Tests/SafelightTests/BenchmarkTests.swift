import Safelight
import SafelightGPU
import SafelightImage
import Testing

@Suite struct PipelineBenchmarkTests {
  /// Returns 10 ms for each stage but those named.
  private func times(_ others: [PipelineBenchmark.Stage: Double]) -> [PipelineBenchmark.Stage: [Double]] {
    Dictionary(uniqueKeysWithValues: PipelineBenchmark.Stage.allCases.map { ($0, [others[$0] ?? 10]) })
  }

  @Test func jobsShareTheCodecAndTheDeviceTakesOneFrameAtATime() {
    let summary = PipelineBenchmark.summary(times([:]), jobs: 4)
    #expect(summary.stages.map(\.stage) == PipelineBenchmark.Stage.allCases)
    #expect(summary.codecFramesPerSecond == 100)
    #expect(summary.deviceFramesPerSecond == 1000 / 30.0)
    #expect(summary.stages.filter(\.stage.isCodec).allSatisfy { $0.framesPerSecond == 400 })
    #expect(summary.stages.filter { !$0.stage.isCodec }.allSatisfy { $0.framesPerSecond == 100 })
  }

  @Test func theLimitIsTheLongestStageOfTheSlowerSide() {
    // 30 ms of the device against 4 × 10 and 60 ms of two jobs.
    #expect(PipelineBenchmark.summary(times([.encode: 30]), jobs: 2).limit == .encode)
    #expect(PipelineBenchmark.summary(times([.encode: 30]), jobs: 8).limit != .encode)
    #expect(PipelineBenchmark.summary(times([.encode: 30, .readback: 11]), jobs: 8).limit == .readback)
  }

  @Test func percentilesAreOfTheFrames() {
    let steps = (1...100).map(Double.init)
    let summary = PipelineBenchmark.summary([.decode: steps.shuffled()], jobs: 1)
    #expect(summary.stages[1].median == 51 && summary.stages[1].p95 == 96)
  }

  @Test func framesHaveGrainOfTheirOwn() {
    let frames = [1, 2].map { BenchmarkFrame.image(Size(96, 64), number: $0) }
    #expect(frames[0] == BenchmarkFrame.image(Size(96, 64), number: 1))
    #expect(frames[0] != frames[1])
    #expect(Set(frames[0].bytes).count > 100)
  }
}

@Suite struct BenchmarkSceneTests {
  /// No call draws over the output of the one before, which would then not be drawn.
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
