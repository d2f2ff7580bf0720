import Foundation
import Safelight
import SafelightImage
import Testing

/// Files of many bytes that say nothing cost no more than these bytes.
@Suite struct HostileTableTests {
  @Test func linesAreNotGathered() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data(repeating: UInt8(ascii: "\n"), count: 1 << 22), ": it has no LUT_1D_SIZE and no LUT_3D_SIZE")
    }
  }

  @Test func aLineHasAnEnd() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data("LUT_1D_SIZE 2\n".utf8) + Data(repeating: UInt8(ascii: " "), count: 4097),
        ", line 2: the line is longer than 4096 bytes")
      try expectRefusal(
        of: Data(String(repeating: "0 ", count: 1 << 21).utf8), ", line 1: the line is longer than 4096 bytes")
    }
  }

  @Test func entriesBeyondTheSizeAreNotRead() async {
    await #expect(processExitsWith: .success) {
      try expectRefusal(
        of: Data("LUT_3D_SIZE 2\n".utf8) + Data(String(repeating: "0 0 0\n", count: 1 << 19).utf8) + Data("end".utf8),
        ", line 10: LUT_3D_SIZE 2 needs 8 entries; this is one more")
    }
  }

  /// Lines of 4096 bytes are read.
  @Test func longLinesAreLines() throws {
    let filler = String(repeating: "x", count: 4095)
    let table = try read(Data("#\(filler)\nLUT_1D_SIZE 2\n0 0 0\n\n1 1 1".utf8))
    guard case .channels(let curves) = table else {
      Issue.record("a table of one dimension is none")
      return
    }
    #expect(curves.samples == [0, 0, 0, 1, 1, 1])
  }
}

/// Expects that a file of `data` is refused with `fault`, in less memory than a list of its lines or words would take: 8 times the file.
///
/// For a process of its own, whose peak is known: it ends the process where it is not so.
private func expectRefusal(of data: Data, _ fault: String) throws {
  let before = try peakMemory()
  do {
    _ = try read(data)
    preconditionFailure("not refused")
  } catch let error as SafelightError {
    precondition("\(error.what): \(error.why)".hasSuffix(fault), "\(error)")
  }
  let grown = try peakMemory() - before
  precondition(grown < 8 * data.count + 8 << 20, "\(grown) bytes for a file of \(data.count)")
}

/// The most bytes that this process held at any time.
private func peakMemory() throws -> Int {
  let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
  let kibibytes = try #require(status.firstMatch(of: /VmHWM:\s+(\d+) kB/)?.output.1)
  return try #require(Int(kibibytes)) * 1024
}

/// What a file of `data` holds.
private func read(_ data: Data) throws -> CubeFile.Table {
  let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).cube")
  try data.write(to: file)
  defer { try? FileManager.default.removeItem(at: file) }
  return try CubeFile.read(file.path)
}
