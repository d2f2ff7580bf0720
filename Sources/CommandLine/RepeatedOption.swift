import ArgumentParser
import Safelight

/// Refuses options that are given twice: the parser would keep the last value and drop the others without a word.
enum RepeatedOption {
  /// Checks `arguments`, which `command` has accepted.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` if an option is repeated that is not a list.
  static func refuse(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let words = Array(arguments.prefix { $0 != "--" })
    var values: [String: [String]] = [:]
    for (index, word) in words.enumerated() where word.hasPrefix("-") && word.count > 1 && Double(word) == nil {
      // The options for ffmpeg are one word that begins with a dash.
      if index > 0, words[index - 1] == "--encoder" { continue }
      let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
      let value = parts.count > 1 ? parts[1] : index + 1 < words.count ? words[index + 1] : ""
      values[parts[0] == "-o" ? "--output" : parts[0], default: []].append(value)
    }
    let isReportList = command == CompareCommand.self || command == GoldenVerifyCommand.self
    for (name, values) in values.sorted(by: { $0.key < $1.key })
    where values.count > 1 && !(isReportList && name == "--report") {
      let remedy =
        switch name {
        case "--filter": "write the chain as one: --filter '\(values.joined(separator: ","))'"
        case "--frames": "write them as one: --frames \(values.joined(separator: ","))"
        default: "leave one of them out"
        }
      throw SafelightError(.usage, name, why: "it is given twice", remedy: remedy)
    }
  }
}
