import SafelightCommandLine
import Solarize

/// `safelight` with a filter more.
@main enum OwnTool {
  static func main() async { await SafelightTool.main(adding: [ImageSolarize.self]) }
}
