/// Exchanges red, green and blue. What `order` means is on its ``card``.
public struct ImageChannelSwap: ColorMatrixKernel {
  /// Where the new red, green and blue come from: their letters.
  public enum Order: String, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case rgb, rbg, grb, gbr, brg, bgr
  }

  /// Where they come from.
  public var order = Order.bgr

  /// Makes the kernel that exchanges red and blue.
  public init() {}

  /// What there is to know of it.
  public static let card = KernelCard<Self>(
    "channel-swap", "exchanges red, green and blue",
    discussion: """
      order=bgr makes red of blue, green of green and blue of red. Samples stay as they are, and so does alpha; a gray
      picture stays as it is.
      """,
    [.choice("order", "where the new red, green and blue come from", \.order)],
    examples: ["channel-swap", "channel-swap=gbr"], defects: .ofMatrix("channel-swap", rounds: false))

  /// A unit a row.
  public var vectors: ColorVectors {
    let units = order.rawValue.map { letter in
      SIMD3(letter == "r" ? 1.0 : 0, letter == "g" ? 1 : 0, letter == "b" ? 1 : 0)
    }
    return ColorVectors(red: units[0], green: units[1], blue: units[2])
  }
}

extension ImageChannelSwap.Order: ParameterWord {
  /// By their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = allCases.map { order in
    (order, order.rawValue, order.rawValue.map { "\($0)" }.joined(separator: ", "))
  }
}
