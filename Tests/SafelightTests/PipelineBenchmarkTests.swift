import Safelight
import SafelightImage
import Testing

@Suite struct PipelineBenchmarkTests {
  /// 10 ms each, but for those named.
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
