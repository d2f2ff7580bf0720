/// One picture of a sequence: where it is, and which one it is.
public struct Frame: Hashable, Sendable {
  /// The place in the whole list, from 0.
  public let index: Int
  /// The number that an output pattern writes: the frame's own where the input was one pattern, else ``index`` + 1.
  public let number: Int
  /// The file.
  public let path: String
  /// The file's name with the subfolders between it and the folder that was named, which a folder of outputs keeps.
  public let place: String

  /// Makes a frame; `place` is the file's name unless it is given.
  public init(index: Int, number: Int, path: String, place: String? = nil) {
    self.index = index
    self.number = number
    self.path = path
    self.place = place ?? PathParts(path).name
  }

  /// The file's name without its folder.
  public var name: String { PathParts(path).name }
}
