import Foundation
import Testing

extension TemporaryFolder {
  /// Lines for the shell, in the folder; `safelight` is the tool. They run as for a person, also on a build server.
  /// Where 0 is expected, it is of each of them.
  @discardableResult func shell(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = [
      "-c",
      "set -o pipefail\(code == 0 ? " -e" : ""); unset CI; cd '\(path)'; PATH='\(Tool.executable.deletingLastPathComponent().path)':$PATH; \(line)",
    ]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let outcome = try Tool.end(process, output, errors)
    #expect(outcome.code == code, "\(line): \(outcome.errors)")
    return outcome
  }

  func bytes(_ name: String) throws -> Data { try Data(contentsOf: URL(filePath: path(name))) }
}
