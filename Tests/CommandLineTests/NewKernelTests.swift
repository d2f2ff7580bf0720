import Foundation
import TestSupport
import Testing

/// Packages that `new-kernel` writes; `scripts/check-examples` builds and runs them.
@Suite struct NewKernelTests {
  private let folder = TemporaryFolder()

  /// The page shows what is written, which is built and run elsewhere.
  @Test func thePageShowsWhatIsWritten() throws {
    let kernels = [("soften", "two-pass"), ("bright", "statistics"), ("mix", "two-pictures")]
    var (swift, shaders) = ("", "")
    for (name, shape) in kernels {
      try folder.shell("safelight new-kernel \(name) --shape \(shape)").says("swift run -c release \(name) conform")
      let type = "Image\(name.prefix(1).uppercased())\(name.dropFirst())"
      swift += try folder.text("\(name)/Sources/\(name)/\(type).swift")
      shaders += try folder.text("\(name)/Sources/\(name)/\(name).glsl")
    }
    let page = "Sources/Safelight/Safelight.docc/KernelOfYourOwn.md"
    for (language, code, count) in [("swift", swift, 6), ("glsl", shaders, 2)] {
      let documented = try DocumentedCode(page, in: language)
      #expect(DocumentedCode.missing(documented.blocks, in: DocumentedCode.lines(code)) == [])
      #expect(documented.blocks.count == count)
    }
  }

  /// A package has one Swift file, one shader, and the path of this package.
  @Test func aPackageIsWrittenWhole() throws {
    try folder.shell("mkdir sub && safelight new-kernel sub/soft-glow --shape window")
      .says("shader=sub/soft-glow/Sources/soft-glow/soft_glow.glsl:amount=0.5")
    #expect(
      try folder.allNames("sub/soft-glow").filter { $0.contains(".") } == [
        "Package.swift", "Sources/soft-glow/ImageSoftGlow.swift", "Sources/soft-glow/soft_glow.glsl",
      ])
    let manifest = try folder.text("sub/soft-glow/Package.swift")
    #expect(manifest.contains(".embedInCode(\"soft_glow.glsl\")"))
    let path = try #require(manifest.firstMatch(of: #/name: "safelight", path: "(.*)"/#)?.output.1)
    // That of the package in which this program was built.
    let template = "\(path)/Sources/CommandLine/Tools/Templates/window.glsl"
    #expect(FileManager.default.fileExists(atPath: template), "\(template)")
  }

  /// A kernel that cannot be written is refused before any file is written.
  @Test func refusals() throws {
    try folder.shell("safelight new-kernel blur", code: 64).says("there is a filter or a package of that name")
    try folder.shell("safelight new-kernel Glow", code: 64).says("small letters, digits and hyphens")
    try folder.shell("safelight new-kernel glow.glsl --shape statistics", code: 64).says(
      "write a package: new-kernel glow")
    try folder.shell("safelight new-kernel glow --shape circle", code: 64)
    try folder.shell("touch taken && safelight new-kernel taken", code: 73).says("it exists already")
    #expect(try folder.visibleNames() == ["taken"])
  }
}
