/// One picture of a sequence: where it is, and which one it is.
public struct Frame: Hashable, Sendable {
  /// The place in the whole list, from 0.
  public let index: Int
  /// The number that an output pattern writes: the frame's own where the input was one pattern, else ``index`` + 1.
  public let number: Int
  /// The file.
  public let path: String

  /// Makes a frame.
  public init(index: Int, number: Int, path: String) {
    self.index = index
    self.number = number
    self.path = path
  }

  /// The file's name without its folder.
  public var name: String { PathParts(path).name }
}
