/// Which pixels of a picture a pixel of a result depends on.
public enum StageReach: Hashable, Sendable {
  /// The one at its place, wherever that is: a picture can be taken through the stage in parts.
  case pixel
  /// Those of the same place and up to so many columns and rows beside it: parts need a border of so many.
  case neighbors(Int)
  /// Perhaps any.
  case picture
}
