/// What went wrong, why we think so and what to do, sorted by who can act.
///
/// One type serves the whole package, so that a message is written once, where the fault is found, and only passed on
/// above.
public struct SafelightError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Who can act.
  public enum Kind: String, Sendable {
    /// The machine: no device as asked, no driver, no permission.
    case environment
    /// The caller's data: a broken file, a size that does not fit.
    case input
    /// A file or folder that is not there, or holds nothing to do.
    case missingInput
    /// An output that cannot be created.
    case output
    /// Reading or writing failed half-way.
    case transfer
    /// More than this device or a set limit allows.
    case limit
    /// Something that this device, build or format does not offer.
    case unsupported
    /// The driver: a shader refused, a context lost.
    case driver
    /// The comparison asked for found a difference.
    case difference
    /// Two pictures that cannot be compared: another size, depth or number of channels.
    case incomparable
    /// A golden or frame that a comparison needs is missing, or one too many is there.
    case missingFrame
    /// A parameter outside its range, an unknown name.
    case usage
  }

  /// What a program may let its user say, and would help; how that is said is the program's to tell.
  public enum Setting: String, Sendable, CaseIterable {
    /// How many frames are shown a second.
    case frameRate
    /// The pixels of a picture that are accepted.
    case pixelLimit
    /// How samples without any header lie, and how many there are.
    case rawPixels
    /// What becomes of outputs that exist.
    case existingOutputs
    /// Whether folders in folders are taken.
    case recursion
    /// The pixels of a film that is written.
    case filmPixels
    /// The matrix of a film that is written.
    case filmMatrix
    /// The range of a film that is written.
    case filmRange
    /// Whether a film goes on after damage.
    case filmDamage
    /// What a missing alpha means.
    case missingAlpha
    /// Why a picture is approved.
    case reason
    /// Which device is used.
    case device
  }

  /// Who can act.
  public let kind: Kind
  /// The object and the operation: a file's name, a device, a kernel.
  public let what: String
  /// The reason, with the figures that show it.
  public let why: String
  /// What to do about it, as an imperative.
  public let remedy: String?
  /// What the remedy sets; nil where it sets nothing.
  public let setting: Setting?

  /// Makes an error; all texts without a final full stop.
  public init(_ kind: Kind, _ what: String, why: String, remedy: String? = nil, setting: Setting? = nil) {
    self.kind = kind
    self.what = what
    self.why = why
    self.remedy = remedy
    self.setting = setting
  }

  /// The same error, found while working on `subject`, whose name then leads the message.
  public func during(_ subject: String) -> SafelightError {
    SafelightError(kind, what.isEmpty ? subject : "\(subject): \(what)", why: why, remedy: remedy, setting: setting)
  }

  /// One line: what, why and the remedy.
  public var description: String {
    [what, why].filter { !$0.isEmpty }.joined(separator: ": ") + (remedy.map { "; \($0)" } ?? "")
  }
}
