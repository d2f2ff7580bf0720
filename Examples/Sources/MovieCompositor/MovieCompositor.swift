import ArgumentParser
import Running
import Safelight

/// Draws two movies and a still into one view, in one command buffer a picture.
@main struct MovieCompositor: AsyncParsableCommand {
  @OptionGroup var arguments: RunArguments

  @Option(help: "The second movie, turned upright and drawn over the first.")
  var second = "fixtures/films/orientation-6.mov"

  @Option(help: "The still, a PNG file of 8 bits.")
  var still = "fixtures/moon/moon.png"

  @Flag(help: "Draw the first movie as it is, without its filter.")
  var clean = false

  func run() async throws {
    let device = try arguments.openDevice()
    let options = FFmpegOptions(layout: .bgra8)
    let first = try await arguments.openSource("fixtures/dark-room", options: options)
    let other = try await arguments.openSource(named: second, options: options)
    let size = first.format.uprightSize
    // Higher than the movie, which is centred.
    let view = try FrameView(
      device: device, size: Size(size.width, size.height + size.height / 3), sink: PNGFrameSink(arguments.out))
    view.framebufferOnly = false
    let compositor = try Compositor(
      device: device, still: PNGFile(reading: still).image, filters: !clean, frameSize: first.format.size)
    view.delegate = compositor

    let capture = arguments.makeCapture(first)
    var movie = TimedFrames(other)
    for try await frame in capture.frames {
      try compositor.update(frame, try await movie.frame(at: frame.presentationTime))
      view.draw()
      if arguments.everyFrame { try await view.presented() }
    }
    try await view.presented()
    arguments.report("MovieCompositor", capture.ledger, view)
  }
}
