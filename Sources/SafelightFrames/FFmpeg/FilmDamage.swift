import Glibc
import SafelightImage

/// Whether a film is at fault that ffmpeg could not read to its end, or the disk.
package enum FilmDamage {
  /// What ffmpeg says of damaged data, whatever its demuxers and decoders say besides.
  private static let complaints = [
    "Invalid data found when processing input", "ended prematurely", "corrupt input packet", "corrupt decoded frame",
    "error while decoding", "partial file", "Truncat", "truncat",
    // H.264 and HEVC that begin between two key frames, as a recording cut out of a stream.
    "no frame!", "decode_slice_header error", "non-existing PPS", "co located POCs unavailable", "unref short failure",
    "Could not find ref with POC",
  ]

  /// True where `lines` complain of the data, and all of the file at `path` can be read: what a disk gives only in part looks damaged too.
  package static func isIn(_ path: String, by lines: [String]) async -> Bool {
    guard lines.contains(where: { line in complaints.contains { line.contains($0) } }) else { return false }
    do throws(SafelightError) {
      return try await BlockingThread("safelight.film").run { () throws(SafelightError) in
        let input = try ByteInput(.file(path))
        var bytes: [UInt8] = []
        while try input.read(1 << 20, into: &bytes) > 0 { bytes.removeAll(keepingCapacity: true) }
        return true
      }
    } catch {
      return false
    }
  }
}
