internal import SafelightCommandLine

/// The tool with the filters of this package.
@main enum Program {
  static func main() { SafelightTool.main() }
}
