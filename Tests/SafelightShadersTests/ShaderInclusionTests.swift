import FoundationEssentials
import SafelightShaders
import Testing

@Suite struct ShaderInclusionTests {
  /// Writes `files` into a new folder and assembles `main.comp` of it.
  private func assemble(
    _ files: [String: String], _ body: (Result<AssembledShader, ShaderIncludeError>, String) throws -> Void
  ) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/safelight-includes-\(UUID().uuidString)"
    defer { try? FileManager.default.removeItem(atPath: folder) }
    for (name, text) in files {
      let file = "\(folder)/\(name)"
      try FileManager.default.createDirectory(atPath: ShaderFile.folder(of: file), withIntermediateDirectories: true)
      try text.write(toFile: file, atomically: false, encoding: .utf8)
    }
    let assembly = ShaderAssembly([try #require(ShaderText(reading: "\(folder)/main.comp"))])
    let result: Result<AssembledShader, ShaderIncludeError>
    do throws(ShaderIncludeError) { result = .success(try assembly.assembled()) } catch { result = .failure(error) }
    try body(result, folder)
  }

  private func origin(_ shader: AssembledShader, of text: String) -> AssembledShader.Origin? {
    let line = shader.text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0 == text }
    return line.flatMap { shader.origin(ofLine: $0 + 1) }
  }

  /// Such a line is moved to the head, where its condition would be lost.
  @Test(arguments: ["#ifdef A\n#include \"a.glsl\"\n#endif", "#if 1\n#if 1\n#endif\n #\tinclude \"a.glsl\"\n#endif"])
  func anExtensionUnderAConditionIsRefused(_ text: String) throws {
    try assemble(["main.comp": text, "a.glsl": "int a;\n#extension GL_X : enable"]) { result, folder in
      let error = #expect(throws: ShaderIncludeError.self) { try result.get() }
      #expect(error?.place.hasPrefix("\(folder)/a.glsl:2") == true)
      #expect(error?.why == "an #extension line stands under a condition")
      #expect(error?.remedy.contains("outside of every #if") == true)
    }
    try assemble(["main.comp": "#if 1\n#endif\n#extension GL_X : enable"]) { result, _ in
      let text = try result.get().text
      #expect(text.contains("\n#extension GL_X : enable\n"))
    }
  }

  @Test func filesAreFoundBesideTheIncludingOneEachOnce() throws {
    let files = [
      "main.comp":
        "#include \"parts/a.glsl\"\n#include \"parts/../parts/b.glsl\"\n#include \"Common/compute.glsl\"\nint m;",
      "parts/a.glsl": "#include \"b.glsl\"\nint a;", "parts/b.glsl": "int b;",
    ]
    try assemble(files) { result, _ in
      let lines = try result.get().text.split(separator: "\n").map(String.init)
      let order = ["int b;", "int a;", "bool isOutsideGrid() {", "int m;"]
      #expect(lines.filter(order.contains) == order)
    }
  }

  @Test func aFileBesideComesBeforeThePackagesOwn() throws {
    let files = ["main.comp": "#include \"Common/compute.glsl\"", "Common/compute.glsl": "int mine;"]
    try assemble(files) { result, _ in
      let text = try result.get().text
      #expect(text.contains("int mine;"))
      #expect(!text.contains("isOutsideGrid"))
    }
  }

  @Test func everyLineKnowsItsFileAndTheWayThere() throws {
    let files = [
      "main.comp": "// one\n  #  include \"a.glsl\"\nint m;",
      "a.glsl": "int before;\n#include \"b.glsl\"\nint after;", "b.glsl": "int b;",
    ]
    try assemble(files) { result, folder in
      let shader = try result.get()
      let b = try #require(origin(shader, of: "int b;"))
      #expect(b.place == "\(folder)/b.glsl:1")
      #expect(b.includedFrom == ["\(folder)/a.glsl:2", "\(folder)/main.comp:2"])
      #expect(b.description == "\(b.place), included from \(folder)/a.glsl:2, included from \(folder)/main.comp:2")
      #expect(b.excerpt == ["1 | int b;"])
      let after = try #require(origin(shader, of: "int after;"))
      #expect(after.place == "\(folder)/a.glsl:3")
      #expect(after.excerpt == ["2 | #include \"b.glsl\"", "3 | int after;"])
      #expect(origin(shader, of: "int m;")?.place == "\(folder)/main.comp:3")
      #expect(origin(shader, of: "precision highp int;")?.place.hasPrefix("Common/prelude.glsl:") == true)
      #expect(shader.origin(ofLine: 1) == nil)
      #expect(shader.origin(ofLine: 0) == nil)
      #expect(shader.origin(ofLine: 10_000) == nil)
    }
  }

  @Test(arguments: [
    (
      ["main.comp": "\n#include \"a.glsl\"", "a.glsl": "\n\n#include \"no.glsl\""], ["a.glsl:3", "main.comp:2"],
      "'no.glsl' is neither in FOLDER nor"
    ),
    (["main.comp": "#include \"main.comp\""], ["main.comp:1", "main.comp:1"], "includes itself"),
    (
      ["main.comp": "#include \"a.glsl\"", "a.glsl": "#include \"b.glsl\"", "b.glsl": "int b;\n#include \"./a.glsl\""],
      ["b.glsl:2", "a.glsl:1", "main.comp:1"], "includes itself"
    ),
    (["main.comp": "#include \"a\"", "a/b.glsl": ""], ["main.comp:1"], "cannot be read"),
  ])
  func aFaultIsNamedWithLineAndChain(_ files: [String: String], _ places: [String], _ why: String) throws {
    try assemble(files) { result, folder in
      let error = try #require(throws: ShaderIncludeError.self) { try result.get() }
      #expect(error.place == places.map { "\(folder)/\($0)" }.joined(separator: ", included from "))
      #expect(error.why.contains(why.replacing("FOLDER", with: folder)))
    }
  }

  @Test(arguments: [
    ("#include <a.glsl>", 1, "quotes"), ("#include", 1, "quotes"), ("#include \"\"", 1, "quotes"),
    ("#include \"a.glsl", 1, "quotes"), ("#include a \"b\"", 1, "quotes"),
    ("int a;\n#include \"Common/no_such_file.glsl\"", 2, "is not among"),
  ])
  func anIncludeWithoutATextIsAnError(_ text: String, _ line: Int, _ why: String) {
    let error = #expect(throws: ShaderIncludeError.self) { try ShaderAssembly(texts: [text]).text() }
    #expect(error?.place == "source:\(line)" && error?.why.contains(why) == true)
  }

  /// GLSL ES 3.10 §3.5: extensions stand before everything that is no directive.
  @Test func extensionsMoveToTheHeadAndKeepTheirPlace() throws {
    let assembly = ShaderAssembly(
      texts: ["int a;\n#extension GL_X : enable\n#line 700\nint b;"], constants: [.init("A", 1)])
    let shader = try assembly.assembled()
    #expect(shader.text.hasPrefix("#version 310 es\n#extension GL_X : enable\n#define A 1\n"))
    #expect(shader.text.split(separator: "#extension", omittingEmptySubsequences: false).count == 2)
    #expect(!shader.text.contains("#line"))
    #expect(shader.origin(ofLine: 2)?.place == "source:2")
    #expect(origin(shader, of: "int b;")?.place == "source:4")
  }

  @Test func textsAreTakenWhenTheAssemblyIsMade() throws {
    let path = FileManager.default.temporaryDirectory.path + "/safelight-text-\(UUID().uuidString).comp"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try "int before;".write(toFile: path, atomically: false, encoding: .utf8)
    let assembly = ShaderAssembly([try #require(ShaderText(reading: path))])
    try "int after;".write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try assembly.text().contains("int before;"))
    #expect(ShaderText(reading: path + ".no") == nil)
  }
}
