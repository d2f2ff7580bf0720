import Foundation
import TestSupport
import Testing

extension TemporaryFolder {
  /// Lines for the shell, in the folder; `safelight` is the tool. They run as for a person, also on a build server.
  /// Where 0 is expected, it is of each of them.
  @discardableResult func shell(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    let tools = Tool.executable.deletingLastPathComponent().path
    let options = "set -o pipefail\(code == 0 ? " -e" : "")"
    let (process, output, errors) = try Tool.start(
      ["-c", "\(options); unset CI; cd '\(path)'; PATH='\(tools)':$PATH; \(line)"], of: URL(filePath: "/bin/bash"))
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == code, "\(line): \(outcome.errors)")
    return outcome
  }

  /// `safelight` with the words of `line`, on the CPU.
  @discardableResult func safelight(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try shell("safelight \(line) --device cpu", code: code)
  }
}
