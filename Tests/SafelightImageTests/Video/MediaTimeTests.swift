import SafelightImage
import Testing

@Suite struct MediaTimeTests {
  @Test func equalTimesAreEqualOnEveryClock() {
    let ticks = MediaTime(value: 512, timescale: 15360)
    let thirtieth = MediaTime(value: 1, timescale: 30)
    #expect(ticks == thirtieth)
    #expect(ticks.hashValue == thirtieth.hashValue)
    #expect(MediaTime(value: 0, timescale: 25) == .zero)
    #expect(Set([ticks, thirtieth, MediaTime(value: -1, timescale: 30)]).count == 2)
  }

  /// 2⁶³ − 1 ticks on the fastest clock: cross products have 94 bits.
  @Test func comparingNeverOverflows() {
    let last = MediaTime(value: .max, timescale: .max)
    let first = MediaTime(value: .min, timescale: 1)
    #expect(first < last)
    #expect(MediaTime(value: .max, timescale: .max - 1) > last)
    #expect(MediaTime(value: .max - 1, timescale: .max) < last)
  }

  /// In `Double` the two are the same.
  @Test func comparingIsExact() {
    let one = MediaTime(value: 9_007_199_254_740_993, timescale: 30)
    let other = MediaTime(value: 9_007_199_254_740_992, timescale: 30)
    #expect(one.seconds == other.seconds)
    #expect(other < one)
    #expect(one != other)
  }

  @Test func rescalingIsExactOrNothing() {
    let time = MediaTime(value: 1001, timescale: 30000)
    #expect(time.rescaled(to: 60000)?.value == 2002)
    #expect(time.rescaled(to: 60000)?.timescale == 60000)
    #expect(time.rescaled(to: 90000) == time)
    #expect(time.rescaled(to: 1000) == nil)
    #expect(MediaTime(value: .max, timescale: 1).rescaled(to: 2) == nil)
    #expect(MediaTime(value: -4, timescale: 4).rescaled(to: 1)?.value == -1)
  }

  @Test func multipliesOrRefuses() {
    #expect(MediaTime(value: 1001, timescale: 30000).multiplied(by: 3)?.value == 3003)
    #expect(MediaTime(value: .max / 2, timescale: 1).multiplied(by: 3) == nil)
  }

  @Test func fractionsAreReduced() {
    let time = MediaTime(seconds: 2002 * 7, over: 60000 * 7)
    #expect(time?.value == 1001)
    #expect(time?.timescale == 30000)
    #expect(MediaTime(seconds: 1, over: 1 << 40) == nil)
    #expect(MediaTime(seconds: 1, over: 0) == nil)
    #expect(MediaTime(seconds: 1 << 40, over: 1 << 41)?.timescale == 2)
    #expect(MediaTime(seconds: -3, over: 6)?.value == -1)
  }

  @Test func isShownAsAFraction() {
    #expect("\(MediaTime(value: 1001, timescale: 30000))" == "1001/30000 s")
    #expect(MediaTime(value: 3, timescale: 2).seconds == 1.5)
  }
}
