import SafelightFrames
import SafelightImage
import Testing

@Suite struct TimedFramesTests {
  private func time(_ thirtieths: Int64) -> MediaTime { MediaTime(value: thirtieths, timescale: 30) }

  @Test func theLastFrameThatHasBegunIsShown() async throws {
    let source = ScriptedSource()
    for (index, time) in [(0, 2), (1, 4), (2, 5), (3, 9)] as [(Int, Int64)] { source.give(index, at: time) }
    source.end()
    var frames = TimedFrames(source)
    for (now, index) in [(1, nil), (2, 0), (3, 0), (5, 2), (4, 2), (8, 2), (9, 3), (100, 3)] as [(Int64, Int?)] {
      #expect(try await frames.frame(at: time(now))?.index == index, "at \(now)")
    }
  }

  @Test func oneFrameIsReadAhead() async throws {
    let source = ScriptedSource()
    for index in 0..<5 { source.give(index) }
    var frames = TimedFrames(source)
    #expect(source.asked.value == 0)
    _ = try await frames.frame(at: time(1))
    #expect(source.asked.value == 3)
    _ = try await frames.frame(at: time(1))
    #expect(source.asked.value == 3)
  }

  @Test func failuresComeThrough() async throws {
    let source = ScriptedSource()
    source.give(0)
    source.fail("the cable is out")
    var frames = TimedFrames(source)
    await #expect(throws: SafelightError.self) { try await frames.frame(at: time(0)) }
  }
}
