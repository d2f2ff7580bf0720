/// A call of a kernel by an app, not by a filter: the passes that the kernel records, and the text by which a capture
/// finds their twins.
protocol PassCall: Hashable, Sendable {
  /// The call in captures: a name and the parameters, floats by their bits.
  var text: String { get }

  /// Reads a text; nil for all that no kernel records.
  init?(_ text: String)

  /// Returns the checked passes for `picture`; nil if the kernel takes no such pictures.
  func plan(for picture: PassPicture) -> PassPlan?
}
