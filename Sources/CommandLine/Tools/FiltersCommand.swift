import ArgumentParser
import Safelight

struct FiltersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "filters",
    abstract: "List every filter with its parameters, defaults and ranges.",
    discussion: "With a name: that filter's formula and parameters, and the words that every filter takes.")

  @Argument(help: "A filter.", completion: .list(FilterCatalogue.descriptions.map(\.name))) var name: String?
  @Option(help: "text or json.") var format: ListingFormat = .text

  func run() throws {
    let all = FilterCatalogue.descriptions
    let chosen = try name.map { [try FilterSyntax.filter(named: $0, in: all)] } ?? all
    switch format {
    case .json:
      try deliver(json(["filters": chosen.map(Self.row), "words": FilterWords.parameters.map(Self.row)]))
    case .text:
      let words = name == nil ? FilterWords.discussion.indented : FilterWords.discussion
      try deliver((chosen.map { text($0, whole: name != nil) } + [words + "\n"]).joined(separator: "\n"))
    }
  }

  private func text(_ filter: FilterDescription, whole: Bool) -> String {
    var lines = ["\(filter.name): \(filter.summary)"]
    for parameter in filter.parameters {
      let value = parameter.isRequired ? "PATH" : parameter.defaultValue.description
      lines.append("  \(parameter.name)=\(value)  \(parameter.summary); \(parameter.allowedValues)")
      if case .choice(let choices, _) = parameter.kind, whole {
        lines += choices.map { "      \($0.value): \($0.summary)" }
      }
    }
    if whole && !filter.discussion.isEmpty { lines += ["", filter.discussion] }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func row(_ filter: FilterDescription) -> JSONObject {
    [
      "name": filter.name, "summary": filter.summary, "discussion": filter.discussion,
      "parameters": filter.parameters.map(row),
    ]
  }

  private static func row(_ parameter: KernelParameter) -> JSONObject {
    // Without a default a call must name a value.
    [
      "name": parameter.name, "summary": parameter.summary, "values": parameter.allowedValues,
      "default": parameter.isRequired ? nil : parameter.defaultValue.description,
    ]
  }
}

extension String {
  /// The text as it stands below the lines that name filters.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "  \($0)" }.joined(separator: "\n")
  }
}
