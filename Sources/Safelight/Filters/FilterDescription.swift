internal import SafelightImage

/// What a catalogue says of one filter: its name, its meaning and its settings.
public struct FilterDescription: Hashable, Sendable {
  /// The name a chain calls it by, such as `equalize`.
  public let name: String
  /// One line for a listing, without a final full stop.
  public let summary: String
  /// The formula and what else a user should know; several lines.
  public let discussion: String
  /// The settings, in the order of the canonical text. A value without a key sets the first.
  public let parameters: [KernelParameter]

  /// Makes a description, whose parameters must have different names.
  public init(name: String, summary: String, discussion: String = "", parameters: [KernelParameter] = []) {
    trap(
      unless: Set(parameters.map(\.name)).count == parameters.count,
      "filter '\(name)' has two parameters of the same name")
    self.name = name
    self.summary = summary
    self.discussion = discussion
    self.parameters = parameters
  }

  /// What is on the card of a kernel.
  init<Kernel: ImageKernel>(_ card: KernelCard<Kernel>) {
    self.init(
      name: card.name, summary: card.summary, discussion: card.discussion,
      parameters: card.parameters.map(\.parameter))
  }

  /// The parameter called `name`, if there is one.
  public func parameter(_ name: String) -> KernelParameter? {
    parameters.first { $0.name == name }
  }
}
