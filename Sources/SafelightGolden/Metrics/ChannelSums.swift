/// What is summed over a channel; sums of integers, the same in any order.
struct ChannelSums: Hashable, Sendable {
  /// Of actual less expected.
  var signed = 0
  /// Of the absolute differences.
  var absolute = 0
  /// Of the squared differences.
  var squared = 0
  /// The greatest absolute difference.
  var maximum = 0
}
