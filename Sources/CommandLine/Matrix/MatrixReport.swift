import ArgumentParser
import Safelight

struct MatrixReport: Encodable {
  struct Row: Encodable {
    let stack: String
    @OrNull var driver: String? = nil
    @OrNull var version: String? = nil
    /// The command's exit code, 128 and the number of the signal that ended it; nil if it was not run or was killed.
    @OrNull var exit: Int32? = nil
    /// The last line of the command's output.
    @OrNull var result: String? = nil
    @OrNull var seconds: Double? = nil
    /// Why the stack did not start, or the command did not end by itself.
    @OrNull var why: String? = nil

    /// The exit code that this row asks for: the command's, or that of a missing device.
    var code: ExitCode {
      guard let exit else { return .noDevice }
      return exit > 128 ? .internal : ExitCode(exit)
    }
  }

  let command: [String]
  var rows: [Row] = []

  /// The worst code of all rows; nil if the command succeeded on every stack.
  var exitCode: ExitCode? { rows.map(\.code).filter { $0 != .success }.max { severity($0) < severity($1) } }

  /// The order of codes: a crash is worst, other codes count by their number, so that a missing device is worse than a
  /// difference.
  private func severity(_ code: ExitCode) -> Int32 { code == .internal ? 256 : code.rawValue }

  /// The table, two lines a stack: numbers and driver, and below the driver the result.
  var text: String {
    let head = ["stack", "exit", "seconds", "driver"]
    let table = rows.map { row in
      [
        row.stack, row.exit.map { "\($0)" } ?? "-", row.seconds.map { "\(($0 * 10).rounded() / 10)" } ?? "-",
        [row.driver, row.version].compactMap { $0 }.joined(separator: ", "),
      ]
    }
    let widths = (0..<3).map { column in ([head] + table).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      // Numbers stand under each other's last digit.
      let numbers = [1, 2].map { String(repeating: " ", count: widths[$0] - cells[$0].count) + cells[$0] }
      return [cells[0] + String(repeating: " ", count: widths[0] - cells[0].count), numbers[0], numbers[1], cells[3]]
        .joined(separator: "  ")
    }
    let indent = String(repeating: " ", count: widths.reduce(0, +) + 6)
    let lines = zip(rows, table).flatMap { row, cells in
      let said = [row.why, row.result].compactMap { $0 }.joined(separator: "; its last line: ")
      return cells[3].isEmpty ? [line([cells[0], cells[1], cells[2], said])] : [line(cells), indent + said]
    }
    return ([line(head)] + lines).joined(separator: "\n") + "\n"
  }
}
