internal import SafelightFrames
import SafelightImage

/// All that is done to frames, as a hash: equal recipes make equal files of equal frames.
public struct FrameRecipe: Hashable, Sendable, CustomStringConvertible {
  /// How many frames before its own a file depends on.
  let history: Int
  /// SHA-256.
  let hash: [UInt8]

  /// To be raised whenever a filter or the encoder writes other bytes than before.
  private static let version = 5

  /// What `chain` does, and the files that a run with `options` makes of it.
  public init(_ chain: FilterChain, _ options: FramePipeline.Options) {
    history = chain.history
    let form =
      "safelight \(Self.version), PNG \(options.compression.rawValue), \(options.pngCodec.folding(options.compression))\n"
    hash = SHA256.hash(Array(form.utf8) + chain.hash)
  }

  /// The hash as text, with its name.
  public var description: String { "sha256:" + hash.hexadecimal }

  /// The seal of a file made of `frame`, and of those before it on which it depends; their files have the hashes `inputs`, the earliest first.
  func seal(_ frame: Frame, _ inputs: [[UInt8]]) -> PNGSeal {
    PNGSeal(recipe: hash, inputs: SHA256.hash(inputs.flatMap { $0 }), origin: frame.name)
  }

  /// The seal of a file made of a film's `frame`: it tells which one it was of which film, and not what was in it.
  func seal(filmed frame: Frame) -> PNGSeal {
    PNGSeal(recipe: hash, inputs: Self.filmed(frame), origin: frame.name)
  }

  /// The hash that stands for a film's frame. A film is known by its name and its beginning, where it is a file; while it grows, that stays.
  static func filmed(_ frame: Frame) -> [UInt8] {
    let beginning = isFile(frame.path) ? try? readBeginning(frame.path, count: 1 << 16) : nil
    return SHA256.hash(Array("\(frame.name), frame \(frame.number)\n".utf8) + (beginning ?? []))
  }

  /// The hash of `calls`, in which what is in a file that they name counts, and not where it is.
  ///
  /// - Throws: ``SafelightError`` where such a file cannot be read.
  static func hash(of calls: [FilterCall]) throws -> [UInt8] {
    var text = ""
    for call in calls {
      let filter = try FilterCatalogue.entry(call).description
      text += call.name + "\n"
      for argument in call.arguments { text += "\(argument.name)=\(try value(of: argument, in: filter))\n" }
    }
    return SHA256.hash(Array(text.utf8))
  }

  private static func value(of argument: FilterCall.Argument, in filter: FilterDescription) throws -> String {
    guard case .file = filter.parameter(argument.name)?.kind, case .text(let path) = argument.value, !path.isEmpty
    else {
      return argument.value.description
    }
    return SHA256.hash(try InlineFile.read(path, limit: 1 << 32)).hexadecimal
  }
}
