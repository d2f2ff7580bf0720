import Testing

@Suite struct SourceTests {
  @Test func filesAreShort() throws {
    for folder in ["Plugins", "Sources", "Shaders", "Tests"] {
      for file in try Checkout.files(folder, endingIn: [".swift", ".c", ".h", ".glsl", ".comp", ".frag", ".vert"]) {
        #expect(file.lines.count <= 401, "\(file) has \(file.lines.count - 1) lines; split it")
      }
    }
  }

  /// A mistake of a caller's goes through `trap`, which prints its text in optimized builds too.
  @Test func nothingStopsTheProcessWithoutAReason() throws {
    for file in try Checkout.files("Sources", endingIn: [".swift"]) + Checkout.files("Shaders", endingIn: [".swift"]) {
      let allowed = file.path == "Sources/SafelightImage/SafelightError.swift" ? ["fatalError("] : []
      #expect(Self.forbidden(in: file.text) == allowed, "in \(file)")
    }
  }

  @Test(arguments: [
    ("let x = try! f()", ["try!"]), ("fatalError(\"x\")", ["fatalError("]), ("x as! Y", ["as!"]),
    ("precondition(a)", ["precondition("]), ("assert(a)", ["assert("]),
    ("preconditionFailure()", ["preconditionFailure("]), ("assertionFailure()", ["assertionFailure("]),
    ("try? f() // try!", []), ("checkPrecondition(a)", []), ("alias!", []), ("throw fatalErrorCode", []),
  ])
  func theSearchFindsWhatItLooksFor(_ text: String, _ found: [String]) { #expect(Self.forbidden(in: text) == found) }

  /// Tests begin all at once and then wait for a free CPU: a time limit counts that wait, and a busy machine would
  /// fail.
  @Test func noTestHasATimeLimit() throws {
    for file in try Checkout.files("Tests", endingIn: [".swift"]) {
      let hasLimit = file.text.withoutComments.contains(/\.timeLimit\s*\(/)
      #expect(!hasLimit, "in \(file)")
    }
  }

  /// The runtime of Swift before 6.4 looks at the task of an `async let` when its parent may have freed it
  /// (github.com/swiftlang/swift/pull/89883): a crash, once in thousands of runs. The tasks of a group are counted.
  @Test func noTaskIsMadeByAsyncLet() throws {
    for file in try Checkout.files("Sources", endingIn: [".swift"]) {
      let makesTask = file.text.withoutComments.contains(/\basync\s+let\b/)
      #expect(!makesTask, "in \(file): use a task group")
    }
  }

  /// Whoever uses the library has no command line: messages name a `SafelightError.Setting`, and the program its
  /// options. Commands that are to be typed whole are for everybody.
  @Test func messagesOfTheLibraryNameNoOptions() throws {
    for file in try Checkout.files("Sources", endingIn: [".swift"]) where !file.path.hasPrefix("Sources/CommandLine") {
      #expect(Self.options(in: file.text) == [], "in \(file)")
    }
    #expect(Self.options(in: #"remedy: "use --device cpu""#) == ["--device"])
    #expect(Self.options(in: #"remedy: "docker --gpus all; safelight golden approve … --reason TEXT"  // --no"#) == [])
  }

  /// A setting that the program does not know would be a remedy without its option.
  @Test func everySettingOfTheLibraryHasItsOption() throws {
    let program = try Checkout.file("Sources/CommandLine/Console/ExitCodes.swift").text
    var settings: [String] = []
    for file in try Checkout.files("Sources", endingIn: [".swift"]) {
      let extensions = file.text.split(separator: "extension SafelightError.Setting {").dropFirst()
      settings += extensions.flatMap { $0.matches(of: /static let (\w+) = Self\("(\w+)"\)/) }.map { match in
        #expect(match.1 == match.2, "in \(file)")
        return String(match.1)
      }
    }
    #expect(settings.count > 10)
    for setting in settings { #expect(program.contains("    .\(setting): \"--"), "\(setting)") }
  }

  private static func options(in text: String) -> [String] {
    let commands: Set<Substring> = ["--gpus", "--group-add", "--reason", "--tolerance", "--variant"]
    return text.withoutComments.replacing("docker --device", with: "").split(separator: "\n").flatMap { line in
      line.matches(of: /"[^"]*"/).flatMap { $0.output.matches(of: /--[a-z][a-z-]+/).map(\.output) }
    }.filter { !commands.contains($0) }.map(String.init)
  }

  @Test func everyUncheckedPromiseIsExplained() throws {
    var promises = 0
    for file in try Checkout.files("Sources", endingIn: [".swift"]) + Checkout.files("Shaders", endingIn: [".swift"]) {
      promises += Self.promises(in: file.text).count
      #expect(Self.unexplained(in: file.text) == [], "in \(file): say in a doc comment, by its name, why it holds")
    }
    #expect(promises > 0)
  }

  @Test func aPromiseNeedsItsOwnExplanationNearby() {
    let explained = "/// `@unchecked Sendable`: never written.\nfinal class A: @unchecked Sendable {}"
    #expect(Self.unexplained(in: explained) == [])
    #expect(Self.unexplained(in: "/// A class.\nfinal class A: @unchecked Sendable {}") == [2])
    #expect(Self.unexplained(in: "// `@unchecked Sendable`\nfinal class A: @unchecked Sendable {}") == [2])
    #expect(Self.unexplained(in: "/// `@unchecked Sendable`\nnonisolated(unsafe) var a = 0") == [2])
    #expect(Self.unexplained(in: "/// `nonisolated(unsafe)`: a lock.\nnonisolated(unsafe) var a = 0") == [])
    let far = "/// `@unchecked Sendable`\n" + String(repeating: "\n", count: 10) + "class A: @unchecked Sendable {}"
    #expect(Self.unexplained(in: far) == [12])
  }

  private static func forbidden(in text: String) -> [String] {
    text.withoutComments.matches(
      of: /\btry!|\bas!|\b(?:fatalError|precondition|preconditionFailure|assert|assertionFailure)\(/
    ).map { String($0.output) }
  }

  private static func promises(in text: String) -> [(line: Int, word: Substring)] {
    let lines = text.withoutComments.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.enumerated().flatMap { line in
      line.element.matches(of: /@unchecked\s+Sendable|nonisolated\(unsafe\)/).map { (line.offset, $0.output) }
    }
  }

  /// The numbers of lines that make a promise to the compiler which no doc comment within ten lines names.
  private static func unexplained(in text: String) -> [Int] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return promises(in: text).filter { promise in
      !lines[max(0, promise.line - 10)..<promise.line].contains { line in
        line.drop(while: \.isWhitespace).hasPrefix("///") && line.contains(promise.word)
      }
    }.map { $0.line + 1 }
  }
}
