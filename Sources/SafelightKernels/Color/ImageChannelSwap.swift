/// A kernel that exchanges red, green and blue. The meaning of `order` is on its ``card``.
public struct ImageChannelSwap: ColorMatrixKernel {
  /// The letters of the old channels that become the new red, green and blue.
  public enum Order: String, Sendable, CaseIterable {
    // swift-format-ignore: AllPublicDeclarationsHaveDocumentation
    case rgb, rbg, grb, gbr, brg, bgr
  }

  /// The old channels that become the new red, green and blue.
  public var order = Order.bgr

  /// Makes the kernel that exchanges red and blue.
  public init() {}

  /// The kernel's card.
  public static let card = KernelCard<Self>(
    "channel-swap", "exchanges red, green and blue",
    discussion: """
      order=bgr makes red of blue, green of green and blue of red. Samples stay as they are, and so does alpha; a gray
      picture stays as it is.
      """,
    [.choice("order", "where the new red, green and blue come from", \.order)],
    examples: ["channel-swap", "channel-swap=gbr"])

  /// A unit in each row.
  public var vectors: ColorVectors {
    let units = order.rawValue.map { letter in
      SIMD3(letter == "r" ? 1.0 : 0, letter == "g" ? 1 : 0, letter == "b" ? 1 : 0)
    }
    return ColorVectors(red: units[0], green: units[1], blue: units[2])
  }
}

extension ImageChannelSwap.Order: ParameterWord {
  /// The values by their raw values.
  public static let words: [(value: Self, word: String, summary: String)] = allCases.map { order in
    (order, order.rawValue, order.rawValue.map { "\($0)" }.joined(separator: ", "))
  }
}
