public import SafelightImage

/// The settings of frames that are read and written.
extension SafelightError.Setting {
  /// The number of frames per second.
  public static let frameRate = Self("frameRate")
  /// The largest number of pixels that is accepted in a picture.
  public static let pixelLimit = Self("pixelLimit")
  /// The layout and size of headerless samples.
  public static let rawPixels = Self("rawPixels")
  /// The search of subfolders.
  public static let recursion = Self("recursion")
  /// The pixel format of a film that is written.
  public static let filmPixels = Self("filmPixels")
  /// The color matrix of a film that is written.
  public static let filmMatrix = Self("filmMatrix")
  /// The sample range of a film that is written.
  public static let filmRange = Self("filmRange")
  /// The choice to continue reading a film after damage.
  public static let filmDamage = Self("filmDamage")
}
