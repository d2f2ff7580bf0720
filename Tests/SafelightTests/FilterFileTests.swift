import Safelight
import SafelightKernels
import TestSupport
import Testing

/// Files, folders and sequences that filters read enter the recipe by their contents.
@Suite struct FilterFileTests {
  private let folder = TemporaryFolder()

  /// The parameters of all filters that name files.
  static let parameters = FilterCatalogue.descriptions.flatMap { filter in
    filter.parameters.compactMap { parameter -> String? in
      if case .file = parameter.kind, filter.name != "shader" { "\(filter.name)=\(parameter.name)" } else { nil }
    }
  }

  private func recipe(_ parameter: String, _ path: String) throws -> [UInt8] {
    try FrameRecipe.hash(
      of: FilterSyntax.parse("\(parameter)='\(path)'", catalogue: FilterCatalogue.descriptions))
  }

  @Test func allKindsOfFiltersThatReadFilesAreTried() {
    let known: Set = ["lut=file", "curves=file", "match=reference", "equalize=table", "over=image"]
    #expect(known.isSubset(of: Self.parameters))
  }

  @Test(arguments: parameters) func contentsCountAndNotThePlace(_ parameter: String) throws {
    for place in ["a", "b"] {
      for name in ["in/1.png", "in/2.png", "in/deep/3.txt"] { try folder.write(name, to: "\(place)/\(name)") }
    }
    for named in ["in/1.png", "in", "in/", "in/%d.png", "in/*.png"] {
      let before = try recipe(parameter, folder.path("a/\(named)"))
      #expect(try recipe(parameter, folder.path("b/\(named)")) == before, "\(named)")
      try folder.write("other", to: "b/in/1.png")
      #expect(try recipe(parameter, folder.path("b/\(named)")) != before, "\(named)")
      try folder.write("in/1.png", to: "b/in/1.png")
    }
    let before = try recipe(parameter, folder.path("a/in"))
    for change in ["in/deep/3.txt", "in/4.png"] {
      try folder.write("other", to: "a/\(change)")
      #expect(try recipe(parameter, folder.path("a/in")) != before, "\(change)")
      try folder.remove("a/\(change)")
      try folder.write("in/deep/3.txt", to: "a/in/deep/3.txt")
      #expect(try recipe(parameter, folder.path("a/in")) == before, "\(change)")
    }
    // A file of another name is another picture of a sequence.
    try folder.remove("a/in/2.png")
    try folder.write("in/2.png", to: "a/in/3.png")
    #expect(try recipe(parameter, folder.path("a/in/*.png")) != recipe(parameter, folder.path("b/in/*.png")))
  }

  @Test(arguments: parameters) func filesOfFoldersAreProtected(_ parameter: String) throws {
    for name in ["in/1.png", "in/deep/2.png"] { try folder.write("x", to: name) }
    for (named, files) in [
      ("in", ["in/1.png", "in/deep/2.png"]), ("in/%d.png", ["in/1.png"]), ("in/1.png", ["in/1.png"]),
      ("none.png", ["none.png"]),
    ] {
      let calls = try FilterSyntax.parse(
        "\(parameter)='\(folder.path(named))'", catalogue: FilterCatalogue.descriptions)
      #expect(calls[0].files == files.map(folder.path), "\(named)")
    }
  }

  @Test func includesOfAKernelCount() throws {
    try folder.write("#include \"part.glsl\"\nuvec4 pointKernel(uvec4 p) { return part(p); }", to: "k.glsl")
    try folder.write("uvec4 part(uvec4 p) { return p; }", to: "part.glsl")
    let before = try recipe("shader=file", folder.path("k.glsl"))
    #expect(try recipe("shader=file", folder.path("k.glsl")) == before)
    try folder.write("uvec4 part(uvec4 p) { return p.gbra; }", to: "part.glsl")
    #expect(try recipe("shader=file", folder.path("k.glsl")) != before)
  }
}
