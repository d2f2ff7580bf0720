import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// `--verify-with cpu` passes on what is right, and catches a shader that is broken on purpose.
@Suite struct VerifyTests {
  private let folder = TemporaryFolder()

  @Test func theFixturesPass() throws {
    for channels in ["each", "luma"] {
      let outcome = try folder.shell(
        """
        safelight equalize \(Tool.word("made")) \(Tool.word("haze")) -o \(channels) --channels \(channels) \
          --device software --verify-with cpu --report \(channels).json
        """)
      #expect(outcome.errors.contains(#/\d+ frames verified: equal on .+ and the CPU twins/#), "\(outcome.errors)")
      #expect(try folder.text("\(channels).json").contains(#""verifiedWith":"cpu""#))
    }
  }

  @Test(arguments: [
    ("Tone/lookup.glsl", "pixel.g = outputs(pixel.g).g", "pixel.g = outputs(pixel.g).r"),
    ("Equalization/equalization_rules.glsl", "part.x + 1u : part.x;", "part.x : part.x;"),
    ("Common/numbers.comp", "safelight_y < safelight_bottom", "safelight_y < safelight_bottom - 1"),
    ("Common/pass.frag", "+ 0.25", "- 0.75"),
  ])
  func aBrokenShaderIsCaught(_ file: String, _ right: String, _ wrong: String) throws {
    let arguments = [
      "equalize", Tool.fixture("dark-room/frame0001.png"), "-o", folder.path("out"), "--device", "software",
      "--verify-with", "cpu", "--channels", "each",
    ]
    try Tool.run(arguments, environment: ["SAFELIGHT_SHADERS": folder.shaders(file, with: wrong, for: right)])
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
