import Glibc
import SafelightImage

/// Whether a film is at fault that ffmpeg could not read to its end, or the machine.
package enum FilmDamage {
  /// What ffmpeg says where the machine is at fault. What it says of damaged data is as manifold as its demuxers and decoders.
  private static let faultsOfTheMachine = [
    "Input/output error", "Cannot allocate memory", "No space left", "Permission denied", "Resource temporarily",
    "Too many open files", "Broken pipe",
  ]

  /// True where no line blames the machine, and all of the file at `path` can be read: what a disk gives only in part looks damaged too.
  package static func isIn(_ path: String, by lines: [String]) async -> Bool {
    guard !lines.contains(where: { line in faultsOfTheMachine.contains { line.contains($0) } }) else { return false }
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
