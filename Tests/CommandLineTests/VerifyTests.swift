import Foundation
import SafelightFrames
import SafelightImage
import Testing

/// `--verify-with cpu` passes on what is right, and catches a shader that is broken on purpose.
@Suite struct VerifyTests {
  private let folder = TemporaryFolder()

  @Test func theFixturesPass() throws {
    for channels in ["each", "luma"] {
      let outcome = try Tool.run(
        "equalize", Tool.fixture("made"), Tool.fixture("haze"), "-o", folder.path(channels), "--channels", channels,
        "--device", "software", "--verify-with", "cpu", "--report", folder.path("\(channels).json")
      ).ends(0)
      #expect(outcome.errors.contains(#/\d+ frames verified: equal on .+ and the CPU twins/#), "\(outcome.errors)")
      let report = try folder.text("\(channels).json")
      #expect(report.contains(#""verifiedWith":"cpu""#))
    }
  }

  @Test(arguments: [
    ("Equalization/equalization_apply.glsl", "pixel.g = equalized(pixel.g, 1u)", "pixel.g = equalized(pixel.g, 0u)"),
    ("Equalization/equalization_rules.glsl", "part.x + 1u : part.x;", "part.x : part.x;"),
    ("Histogram/histogram_private.comp", "y < bottom", "y < bottom - 1"),
    ("Common/point.frag", "+ 0.25", "- 0.75"),
  ])
  func aBrokenShaderIsCaught(_ file: String, _ right: String, _ wrong: String) throws {
    let shaders = folder.path("shaders")
    try FileManager.default.copyItem(atPath: Tool.package.appending(path: "Shaders").path, toPath: shaders)
    let text = try String(contentsOfFile: "\(shaders)/\(file)", encoding: .utf8)
    #expect(text.contains(right), "the defect no longer fits the shader")
    try text.replacingOccurrences(of: right, with: wrong).write(
      toFile: "\(shaders)/\(file)", atomically: true, encoding: .utf8)
    let arguments = [
      "equalize", Tool.fixture("dark-room/frame0001.png"), "-o", folder.path("out"), "--device", "software",
      "--verify-with", "cpu", "--channels", "each",
    ]
    try Tool.run(arguments, environment: ["SAFELIGHT_SHADERS": shaders])
      .ends(1).says("differ in", "where they differ: \(folder.path("out/frame0001.difference.png"))")
    #expect(try folder.names("out") == ["frame0001.difference.png"])
    let difference = try folder.image("out/frame0001.difference.png")
    #expect(difference.size == (try PNGFile(reading: Tool.fixture("dark-room/frame0001.png")).image.size))
  }

  @Test func theTwinsAreNotComparedWithThemselves() throws {
    let arguments = ["equalize", Tool.fixture("haze"), "-o", folder.path("out"), "--verify-with", "cpu"]
    for (more, environment, origin) in [
      (["--device", "cpu"], [:], "--device"), ([], ["SAFELIGHT_DEVICE": "cpu"], "SAFELIGHT_DEVICE"),
    ] {
      try Tool.run(arguments + more, environment: environment).ends(64).says("by \(origin), and twins")
    }
    #expect(try folder.names() == [])
  }
}
