internal import SafelightImage

/// A number of frames as hours, minutes, seconds and frames (SMPTE ST 12-1), with and without dropped numbers.
///
/// At 29.97 and 59.94 frames a second the count of 30 or 60 falls behind the clock. With a semicolon before the frames,
/// the first two or four numbers of each minute are left out, except in minutes 0, 10, 20, 30, 40 and 50.
package struct Timecode: Hashable, Sendable {
  /// The numbers of frames that a second has: 30 at 29.97.
  let framesPerSecond: Int
  /// The numbers that are left out at the beginning of a minute; 0 for all are counted.
  let dropped: Int
  /// The frames from 00:00:00:00 on.
  let count: Int

  /// Reads a timecode at a rate in frames a second; nil if it is none. One with a semicolon needs a rate of 29.97 or
  /// 59.94, and a number that is not left out.
  package init?(_ text: String, rate: Double) {
    let parts = text.wholeMatch(of: #/([0-9]{2}):([0-9]{2}):([0-9]{2})([:;])([0-9]{2,3})/#)?.output
    guard let parts, let hours = Int(parts.1), let minutes = Int(parts.2), let seconds = Int(parts.3),
      let frames = Int(parts.5)
    else { return nil }
    framesPerSecond = Int(rate.rounded())
    let isDropping = parts.4 == ";"
    dropped = isDropping ? framesPerSecond / 15 : 0
    guard hours < 24, minutes < 60, seconds < 60, frames < framesPerSecond, !isDropping || Self.drops(at: rate) else {
      return nil
    }
    if seconds == 0, minutes % 10 > 0, frames < dropped { return nil }
    let minute = 60 * hours + minutes
    count = (60 * minute + seconds) * framesPerSecond + frames - dropped * (minute - minute / 10)
  }

  private init(_ framesPerSecond: Int, _ dropped: Int, _ count: Int) {
    (self.framesPerSecond, self.dropped, self.count) = (framesPerSecond, dropped, count)
  }

  /// Returns whether numbers may be left out at a rate.
  static func drops(at rate: Double) -> Bool { [30.0, 60].contains { abs(rate - $0 / 1.001) < 0.005 } }

  /// Returns the timecode so many frames later; a day begins anew.
  package func advanced(by frames: Int) -> Timecode { Timecode(framesPerSecond, dropped, count + frames) }
}

extension Timecode: CustomStringConvertible {
  /// The text, `01:00:00:00` or `01:00:00;00`.
  package var description: String {
    let minute = 60 * framesPerSecond
    let tenMinutes = 10 * minute - 9 * dropped
    let day = 144 * tenMinutes
    var number = (count % day + day) % day
    let (tens, rest) = number.quotientAndRemainder(dividingBy: tenMinutes)
    // The first of ten minutes has all numbers, and each of the others fewer.
    number += dropped * (9 * tens + max(0, rest - dropped) / (minute - dropped))
    let (seconds, frames) = number.quotientAndRemainder(dividingBy: framesPerSecond)
    let clock = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { Self.twoDigits($0) }
    return clock.joined(separator: ":") + (dropped > 0 ? ";" : ":") + Self.twoDigits(frames)
  }

  static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

/// A rate of frames as a fraction.
package struct FrameRate: Hashable, Sendable {
  /// Frames in so many seconds.
  let frames, seconds: Int

  /// Reads a rate in frames a second: 23.976, 29.97, 47.952, 59.94 and 119.88 stand for 1000/1001 of the next whole
  /// number, all others for thousandths.
  package init(_ rate: Double) {
    let whole = rate.rounded()
    if whole != rate, abs(rate - whole / 1.001) < 0.0025 {
      (frames, seconds) = (Int(whole) * 1000, 1001)
    } else {
      (frames, seconds) = (Int((rate * 1000).rounded()), 1000)
    }
  }

  /// Returns the time of a frame as hours, minutes, seconds and milliseconds, rounded down: `00:00:01.040`.
  package func time(ofFrame position: Int) -> String {
    let milliseconds = position * seconds * 1000 / frames
    let clock = [milliseconds / 3_600_000, milliseconds / 60000 % 60, milliseconds / 1000 % 60]
    let rest = milliseconds % 1000
    return clock.map { Timecode.twoDigits($0) }.joined(separator: ":") + "."
      + (rest < 100 ? "0" : "") + Timecode.twoDigits(rest)
  }
}
