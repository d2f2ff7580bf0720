import SafelightCommandLine
import Solarize

/// `safelight` with a filter more.
@main enum OwnTool {
  static func main() { SafelightTool.main(adding: [ImageSolarize.self]) }
}
