import FoundationEssentials
import Testing

/// What the documentation says about tests and about other pages is so.
@Suite struct DocumentationTests {
  private static let catalogue = "Sources/Safelight/Safelight.docc"

  /// Each part of Metal that is reached names the tests that show it; each that is not says why.
  @Test func everyPartOfMetalHasATestOrAReason() throws {
    let tests = try Self.tests()
    #expect(tests.count > 500)
    var (reached, others) = (0, 0)
    for row in Self.rows(try Checkout.file("\(Self.catalogue)/WhatGLESCannotDo.md").text) {
      if row.count == 6 {
        reached += 1
        let named = row[5].matches(of: /`(\w+Tests\/\w+)`/).map { String($0.output.1) }
        #expect(!named.isEmpty, "\(row[0]) names no test")
        for name in named { #expect(tests.contains(name), "\(row[0]) names \(name), which is no test") }
      } else {
        others += 1
        #expect(row.count == 3 && row[1...].contains { !$0.isEmpty }, "\(row[0]) gives no reason")
      }
    }
    #expect(reached >= 70)
    #expect(others >= 15)
  }

  /// `<doc:Page>` names a page, and the front page lists every page.
  @Test func pagesLinkToPages() throws {
    let files = try Checkout.files(Self.catalogue, endingIn: [".md"])
    let pages = Set(files.map { Self.name(of: $0.path) })
    var links = 0
    for file in files {
      for match in file.text.matches(of: /<doc:([^>]+)>/) {
        links += 1
        #expect(pages.contains(String(match.output.1)), "\(file) links to \(match.output.1)")
      }
    }
    #expect(links >= pages.count - 1)
    let front = try Checkout.file("\(Self.catalogue)/Safelight.md").text
    for page in pages where page != "Safelight" {
      #expect(front.contains("<doc:\(page)>"), "Safelight.md does not list \(page)")
    }
  }

  /// ``Type/member`` names a public declaration.
  @Test func pagesNameDeclarationsThatExist() throws {
    let declared = Self.declarations(in: try Checkout.files("Sources", endingIn: [".swift"]).map(\.text).joined())
    var links = 0
    for file in try Checkout.files(Self.catalogue, endingIn: [".md"]) {
      for match in file.text.matches(of: /[^`]``(\w+)(?:\/(\w+))?[^`]*``[^`]/) where match.output.1 != "Safelight" {
        links += 1
        let type = match.output.1
        #expect(declared.types.contains(type), "\(file) links to \(type)")
        guard let member = match.output.2 else { continue }
        #expect(declared.members.contains(member), "\(file) links to \(type)/\(member)")
      }
    }
    #expect(links >= 5)
  }

  @Test func declarationsAreFound() {
    let declared = Self.declarations(
      in:
        "public final class A {\n  public static func f() {}\n  case c(Int)\n  public init()\n  var hidden = 0\n}\nstruct B {}"
    )
    #expect(declared.types == ["A"])
    #expect(declared.members == ["f", "c", "init"])
  }

  /// The names of public types, and those of public members and of cases.
  private static func declarations(in text: String) -> (types: Set<Substring>, members: Set<Substring>) {
    let words = text.words
    var (types, members): (Set<Substring>, Set<Substring>) = ([], [])
    for (index, word) in words.enumerated().dropLast() {
      if word == "case" { members.insert(words[index + 1]) }
      guard word == "public" else { continue }
      let declaration = words[(index + 1)...].drop { ["final", "static", "indirect"].contains($0) }.prefix(2)
      switch declaration.first {
      case "class", "struct", "enum", "protocol", "actor": types.formUnion(declaration.dropFirst())
      case "var", "let", "func": members.formUnion(declaration.dropFirst())
      case "init": members.insert("init")
      default: break
      }
    }
    return (types, members)
  }

  /// fixtures/README.md lists every folder, and every script that freezes what is in golden/; other texts point there.
  @Test func fixturesAreListedInOnePlace() throws {
    let rows = Self.rows(try Checkout.file("fixtures/README.md").text)
    let first = Set(rows.compactMap(\.first).map { $0.replacing("`", with: "") })
    for folder in try Self.names("fixtures").filter({ !["README.md", "golden"].contains($0) }) {
      #expect(first.contains("\(folder)/"), "fixtures/README.md does not list \(folder)/")
    }
    for folder in try Self.names("fixtures/golden") {
      #expect(first.contains("golden/\(folder)/"), "fixtures/README.md does not list golden/\(folder)/")
    }
    let scripts = try Self.names("scripts").filter { $0.hasPrefix("freeze-") }.map { "scripts/\($0)" }
    let oracles = try Self.names("scripts/oracles").filter { $0.hasPrefix("freeze_") }.map {
      "scripts/oracle \($0.dropLast(3).replacing("_", with: "-"))"
    }
    #expect(first.filter { $0.hasPrefix("scripts/") } == Set(scripts + oracles))
    for text in ["CONTRIBUTING.md", "scripts/make-fixtures"] {
      #expect(!(try Checkout.file(text).text.contains(/scripts\/(?:oracle )?freeze-/)), "\(text) has a list of its own")
    }
  }

  /// Who depends on Safelight is told of every package that `scripts/requirements` installs, and of products that there
  /// are.
  @Test func clientsAreToldWhatToInstallAndToName() throws {
    let script = try Checkout.file("scripts/requirements").lines
    let page = try Checkout.file("\(Self.catalogue)/InYourPackage.md").text
    let readme = try Checkout.file("README.md").text
    for (phase, texts) in [("# to build", [page, readme]), ("# to run", [page])] {
      let line = try #require(script.first { $0.contains(phase) })
      let packages = line.split(separator: "#")[0].matches(of: /\b(?:lib[\w-]+|pkg-config)/).map { String($0.output) }
      #expect(!packages.isEmpty)
      for package in packages { #expect(texts.allSatisfy { $0.contains(package) }, "\(package) is not told of") }
    }
    let products = try Checkout.file("Package.swift").text.matches(of: /\.(?:executable|library)\(name: "(\w+)"/)
    #expect(products.count >= 5)
    for product in products { #expect(page.contains("| `\(product.output.1)` |"), "\(product.output.1)") }
  }

  private static func names(_ folder: String) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/\(folder)").filter { !$0.hasPrefix(".") }
  }

  @Test func rowsAndTestsAreRead() {
    let rows = Self.rows("| a | b |\n|---|---|\n| `x` | y, z |\n| u | |\n\ntext | no row")
    #expect(rows == [["`x`", "y, z"], ["u", ""]])
    let text = """
      @Suite struct ATests {
        @Test func one() {}
        @Test(arguments: [1])
        func two(_ a: Int) {}
        private func helper() {}
      }
      extension BTests { @Test func three() {} }
      """
    #expect(Self.tests(in: text) == ["ATests/one", "ATests/two", "BTests/three"])
  }

  /// The cells of all tables, without their heads.
  private static func rows(_ text: String) -> [[String]] {
    var rows: [[String]] = []
    var isBody = false
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      guard line.hasPrefix("|") else {
        isBody = false
        continue
      }
      if line.hasPrefix("|---") {
        isBody = true
      } else if isBody {
        let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
        rows.append(
          cells.map { $0.trimmingPrefix { $0 == " " } }.map { String($0.reversed().drop { $0 == " " }.reversed()) })
      }
    }
    return rows
  }

  private static func tests() throws -> Set<String> {
    try Checkout.files("Tests", endingIn: [".swift"]).reduce(into: []) { $0.formUnion(tests(in: $1.text)) }
  }

  /// `Suite/function` of every test in a text.
  private static func tests(in text: String) -> Set<String> {
    var suite = ""
    var isTest = false
    var tests: Set<String> = []
    for match in text.withoutComments.matches(of: /(?:struct|class|extension) (\w+Tests)\b|(@Test)\b|\bfunc (\w+)/) {
      if let name = match.output.1 {
        suite = String(name)
      } else if match.output.2 != nil {
        isTest = true
      } else if let function = match.output.3 {
        if isTest { tests.insert("\(suite)/\(function)") }
        isTest = false
      }
    }
    return tests
  }

  private static func name(of path: String) -> String {
    String(path.split(separator: "/").last?.dropLast(3) ?? "")
  }
}
