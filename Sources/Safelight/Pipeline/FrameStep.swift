public import SafelightFrames
public import SafelightImage

/// Where a frame goes.
public enum FrameTarget: Sendable {
  /// A PNG file.
  case file(String)
  /// A stream, in which it is a PNG file.
  case stream(FilmPlace)
  /// A film, whose next frame it is.
  case film(any FilmWriter)

  /// The file, or the film as messages call it.
  public var name: String {
    switch self {
    case .file(let path): path
    case .stream(let place): place.name
    case .film(let film): film.name
    }
  }
}

/// What a run does with a frame.
public struct FrameStep: Sendable {
  /// What is done.
  public enum Action: Sendable {
    /// It is taken through the filters and written.
    case make(FrameTarget)
    /// It is there already.
    case skip(FrameTarget)
    /// It is taken through the filters and its result thrown away: only the results of later ones depend on it.
    case remember
  }

  /// Which frame.
  public let frame: Frame
  /// Its picture, where a film brought it; nil: the picture is in the frame's file.
  public let picture: VideoFrame?
  /// What is done.
  public let action: Action
  /// How many frames go to the target before it, where that is a film.
  public let place: Int

  /// Makes a step.
  public init(_ action: Action, _ frame: Frame, picture: VideoFrame? = nil, place: Int = 0) {
    self.action = action
    self.frame = frame
    self.picture = picture
    self.place = place
  }

  /// Where it goes, unless it is only remembered.
  var target: FrameTarget? {
    switch action {
    case .make(let target), .skip(let target): target
    case .remember: nil
    }
  }
}
