import SafelightFrames
import SafelightImage
import Testing

@Suite struct EvenSourceTests {
  /// Times in thirtieths, a frame each: one that comes another frame late or early is not even.
  @Test func framesAreHeldToTheirPlaces() async throws {
    for (times, uneven) in [([5, 6, 7, 8], nil), ([0, 1, 3], 2), ([0, 1, 1], 2), ([0, 1, 2, 2, 4], 3)] {
      let script = ScriptedSource()
      for (index, time) in times.enumerated() { script.give(index, at: Int64(time)) }
      script.end()
      let even = try EvenSource(script, name: "script")
      var came = 0
      do throws(SafelightError) {
        for try await _ in even { came += 1 }
        #expect(uneven == nil, "\(times)")
      } catch {
        #expect(error.kind == .unsupported && error.why.contains("frame \(came + 1) is shown"), "\(error)")
        #expect(came == uneven, "\(times)")
      }
    }
  }
}
