import ArgumentParser
import FoundationEssentials
import Safelight

/// An option that takes one value and has two. The parser would keep the last and lose the others without a word.
struct RepeatedOption {
  private let name: String
  private let values: [String]

  /// Throws a ``SafelightError`` of kind `usage` where `arguments`, which `command` has accepted, have one.
  ///
  /// Options that are declared as lists may be repeated.
  static func refuse(_ arguments: [String], of command: any ParsableCommand.Type) throws {
    let names = arguments.filter { $0.hasPrefix("-") && $0.count > 1 }.map(name)
    // The declarations are worth reading only where something may be wrong.
    let hasTwoNames = names.contains { short in short.count == 2 && names.contains { $0.hasPrefix("-" + short) } }
    guard hasTwoNames || Set(names).count < names.count else { return }
    let options = try Declaration(of: command).singleValued
    var values: [String: [String]] = [:]
    var rest = arguments.prefix { $0 != "--" }
    while let word = rest.popFirst() {
      guard let option = options[name(word)] else { continue }
      let value = word.contains("=") ? String(word.drop { $0 != "=" }.dropFirst()) : rest.popFirst() ?? ""
      values[option, default: []].append(value)
      if let all = values[option], all.count > 1 { throw RepeatedOption(name: option, values: all).error }
    }
  }

  /// A word without the value that may be joined to it.
  private static func name(_ word: String) -> String { String(word.prefix { $0 != "=" }) }

  private var error: SafelightError {
    let remedy =
      switch name {
      case "--filter": "write the chain as one: --filter '\(values.joined(separator: ","))'"
      case "--frames": "write them as one: --frames \(values.joined(separator: ","))"
      default: "leave one of them out"
      }
    return SafelightError(
      .usage, name, why: "it is there twice, as \(values.joined(separator: " and as ")), and takes one value",
      remedy: remedy)
  }
}

/// What a command says of its arguments, as far as it matters here.
private struct Declaration: Decodable {
  private struct Command: Decodable { let arguments: [Argument]? }
  private struct Argument: Decodable {
    let kind: String
    let isRepeating: Bool
    let names: [Name]?
    let preferredName: Name?
  }
  private struct Name: Decodable {
    let kind: String
    let name: String
    var text: String { (kind == "long" ? "--" : "-") + name }
  }

  private let command: Command

  init(of command: any ParsableCommand.Type) throws {
    self = try JSONDecoder().decode(Declaration.self, from: Data(command._dumpHelp().utf8))
  }

  /// Options that take one value: how each may be called, and its name.
  var singleValued: [String: String] {
    var options: [String: String] = [:]
    for argument in command.arguments ?? [] where argument.kind == "option" && !argument.isRepeating {
      for name in argument.names ?? [] { options[name.text] = argument.preferredName?.text ?? name.text }
    }
    return options
  }
}
