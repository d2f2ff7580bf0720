import Testing

@Suite struct PackageDescriptionTests {
  @Test func targetsDependOnWhatTheTableAllows() throws {
    let targets = PackageText(try Checkout.file("Package.swift").text).targets.filter { $0.kind != "testTarget" }
    #expect(targets.count >= 13)
    for target in targets where target.name != "TestSupport" {
      let allowed = try #require(ModuleTable.allowed[target.name], "target \(target.name) has no row in ModuleTable")
      for dependency in target.dependencies {
        #expect(allowed.contains(dependency), "\(target.name) depends on \(dependency), which it may not know")
      }
    }
  }

  @Test func everyImportIsADependency() throws {
    let targets = PackageText(try Checkout.file("Package.swift").text).targets
    let dependencies = Dictionary(targets.map { ($0.name, Set($0.dependencies)) }, uniquingKeysWith: { $0.union($1) })
    for (module, file) in try ImportTests.sources() {
      let known = try #require(dependencies[module], "\(module) is not a target")
      for imported in file.text.importedModules where ModuleTable.allowed[imported] != nil {
        #expect(known.contains(imported), "\(file) imports \(imported), on which \(module) does not depend")
      }
    }
  }

  @Test func programsAndTestsAreNoOnesDependency() throws {
    let targets = PackageText(try Checkout.file("Package.swift").text).targets
    let tests = Set(targets.filter { $0.kind == "testTarget" }.map(\.name))
    for target in targets {
      #expect(tests.isDisjoint(with: target.dependencies), "\(target.name)")
      // Tests of the tool run it; nothing links it.
      #expect(target.kind == "testTarget" || !target.dependencies.contains("safelight"), "\(target.name)")
      #expect(
        target.kind == "testTarget" || target.name == "TestSupport" || !target.dependencies.contains("TestSupport"))
    }
  }

  @Test func everyTestFolderIsATarget() throws {
    let targets = Set(PackageText(try Checkout.file("Package.swift").text).targets.map(\.name))
    let folders = Set(
      try Checkout.files("Tests", endingIn: [".swift"]).map { String($0.path.split(separator: "/")[1]) })
    #expect(folders.isSubset(of: targets), "\(folders.subtracting(targets)) would never run")
  }

  @Test func targetsAreRead() {
    let text = """
      targets: [ // .target(name: "Commented")
        .systemLibrary(name: "C", providers: [.apt(["c-dev"])]),
        .target(name: "A", resources: [.embedInCode("X")]),
        .executableTarget(
          name: "b", dependencies: ["A", .product(name: "Logging", package: "swift-log"), .target(name: "C")],
          path: "Sources/B"),
      ]
      """
    let targets = PackageText(text).targets
    #expect(targets.map(\.kind) == ["systemLibrary", "target", "executableTarget"])
    #expect(targets.map(\.name) == ["C", "A", "b"])
    #expect(targets.map(\.dependencies) == [[], [], ["A", "Logging", "C"]])
  }
}

/// Package.swift read as text: the description that SwiftPM prints would need a second SwiftPM inside the tests.
struct PackageText {
  struct Target {
    let kind: String
    let name: String
    let dependencies: [String]
  }

  let targets: [Target]

  init(_ text: String) {
    let text = text.withoutComments
    let start = text.firstMatch(of: /targets: \[\s*\n/)?.range.lowerBound ?? text.startIndex
    let call = /\.(systemLibrary|target|executableTarget|testTarget|macro|plugin)\(\s*name: "(\w+)"/
    targets = text[start...].matches(of: call).compactMap { match in
      // A dependency may be written `.target(name:)` too; those stand inside a second list.
      let depth = text[start..<match.range.lowerBound].reduce(0) { $1 == "[" ? $0 + 1 : $1 == "]" ? $0 - 1 : $0 }
      guard depth == 1 else { return nil }
      let arguments = Self.balanced(text[match.range.lowerBound...].drop { $0 != "(" }, "(", ")")
      var dependencies: [String] = []
      if let list = arguments.firstRange(of: "dependencies: [") {
        let names = String(Self.balanced(arguments[arguments.index(before: list.upperBound)...], "[", "]"))
        dependencies = names.replacing(/package: "[^"]*"/, with: "").matches(of: /"([^"]+)"/).map {
          String($0.output.1)
        }
      }
      return Target(kind: String(match.output.1), name: String(match.output.2), dependencies: dependencies)
    }
  }

  /// The text from the bracket it begins with to the one that closes it.
  private static func balanced(_ text: Substring, _ open: Character, _ close: Character) -> Substring {
    var depth = 0
    for index in text.indices {
      if text[index] == open { depth += 1 }
      if text[index] == close { depth -= 1 }
      if depth == 0 { return text[...index] }
    }
    return text
  }
}
