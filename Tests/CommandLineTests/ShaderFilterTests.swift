import Foundation
import TestSupport
import Testing

/// Kernels of a user's own: `--filter shader=FILE` and `new-kernel`.
@Suite struct ShaderFilterTests {
  /// The folder of a developer's texts may be another one.
  @Test func aFolderWithoutTheTextsIsNamed() throws {
    let folder = TemporaryFolder()
    try folder.writeFrames(1)
    let run = "safelight process in -o out --filter saturation=2 --device software"
    try folder.shell("SAFELIGHT_SHADERS=$PWD \(run)", code: 64)
      .says("SAFELIGHT_SHADERS: \(folder.path("Common/prelude.glsl")) cannot be read")
  }

  private let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      for kind in rgb24 rgba rgb48be gray gray16be; do
        ffmpeg -v error -f lavfi -i testsrc2=size=64x48,format=$kind -frames:v 1 in-$kind.png
      done
      """)
  }

  /// Both files that it writes run as they are, and their settings matter.
  @Test(arguments: ["", "--shape window"]) func whatIsWrittenRuns(_ option: String) throws {
    try folder.shell("safelight new-kernel glow.glsl \(option)").says("wrote glow.glsl; try safelight process")
    let run = try folder.shell(
      """
      safelight process in-rgb24.png in-rgb48be.png -o less/ --filter shader=glow.glsl:amount=0
      safelight compare in-rgb24.png less/in-rgb24.png && safelight compare in-rgb48be.png less/in-rgb48be.png
      safelight process in-rgb24.png -o more.png --filter shader=glow.glsl
      """)
    #expect(!run.errors.contains("Swift twins"), "auto took a device that runs no shader")
    try folder.shell("safelight compare in-rgb24.png more.png", code: 1)
    try folder.shell("safelight new-kernel glow.glsl", code: 73)
  }

  /// The place of a pixel, its neighbors and its depth are those of the picture.
  @Test func kernelsSeeWhatFiltersSee() throws {
    try folder.write("uvec4 pointKernel(uvec4 p) { return uvec4(MAXIMUM - p.rgb, p.a); }", to: "invert.glsl")
    try folder.write("#define RADIUS 1\nuvec4 pointKernel(uvec4 p) { return neighbor(1, 1); }", to: "shift.glsl")
    try folder.write(
      "uvec4 pointKernel(uvec4 p) { return fetchPixel(source, pixelPosition() + ivec2(100000, 0)) * 1u; }",
      to: "far.glsl")
    try folder.write("uvec4 pointKernel(uvec4 p) { return uvec4(p.rgb + 100000u, p.a); }", to: "bright.glsl")
    for kind in ["rgb24", "rgba", "rgb48be", "gray", "gray16be"] {
      try folder.shell(
        """
        safelight process in-\(kind).png -o own.png --filter shader=invert.glsl --device software --existing overwrite
        safelight process in-\(kind).png -o theirs.png --filter invert --device cpu --existing overwrite
        safelight compare theirs.png own.png
        safelight process in-\(kind).png -o own.png --filter shader=shift.glsl,crop=width=63:height=47 --existing overwrite
        safelight process in-\(kind).png -o theirs.png --filter crop=x=1:y=1 --device cpu --existing overwrite
        safelight compare theirs.png own.png
        safelight process in-\(kind).png -o own.png --filter shader=far.glsl,crop=width=1 --existing overwrite
        safelight process in-\(kind).png -o theirs.png --filter crop=x=63 --device cpu --existing overwrite
        safelight compare theirs.png own.png
        safelight process in-\(kind).png -o own.png --filter shader=bright.glsl --existing overwrite
        safelight process in-\(kind).png -o theirs.png --filter levels=output-black=1 --device cpu --existing overwrite
        safelight compare theirs.png own.png
        """)
    }
  }

  @Test(arguments: [
    ("uvec4 pontKernel(uvec4 p) { return p; }", "", 65, "it has no function pointKernel"),
    ("// uvec4 pointKernel(uvec4 p) { return p; }", "", 65, "it has no function pointKernel"),
    ("uvec4 pointKernel(uvec4 p) { return p + q; }", "", 65, "`q' undeclared"),
    ("uniform float a;\nuvec4 pointKernel(uvec4 p) { return p; }", "", 65, "a is a uniform outside a block"),
    ("BLOCK { float a; };KERNEL", "", 65, "it needs a comment behind it with its range"),
    ("BLOCK {\nfloat a;  // 0 to 1, default 2\n};KERNEL", "", 65, "it needs a comment behind it with its range"),
    ("BLOCK {\nint a;  // 0 to 1.5, default 1\n};KERNEL", "", 65, "its range is not a range of int"),
    ("BLOCK {\nvec4 a;  // 0 to 1, default 1\n};KERNEL", "", 65, "a setting is a float, an int or a uint, not vec4"),
    ("BLOCK {\nint a[2];  // 0 to 1, default 1\n};KERNEL", "", 65, "not an array"),
    ("layout(binding = 2) uniform S {\nint a;  // 0 to 1, default 1\n};KERNEL", "", 65, "is left to the driver"),
    ("BLOCK {\nint file;  // 0 to 1, default 1\n};KERNEL", "", 65, "already has a parameter of that name"),
    ("layout(std140, binding = 4) uniform B { int a; };KERNEL", "", 65, "nothing is bound to its block B"),
    ("uvec4 pointKernel(uvec4 p) { return neighbor(1, 0); }", "", 65, "no macro RADIUS says how far"),
    ("const int RADIUS = 3;\nuvec4 pointKernel(uvec4 p) { return neighbor(1, 0); }", "", 65, "no macro RADIUS says"),
    ("#define RADIUS (64 + 1)\nuvec4 pointKernel(uvec4 p) { return neighbor(1, 0); }", "", 65, "its RADIUS is 65; the"),
    ("#define RADIUS 200\nuvec4 pointKernel(uvec4 p) { return neighbor(1, 0); }", "", 65, "or read with fetchPixel("),
    (
      "uvec4 pointKernel(uvec4 p) { return uvec4(255.0 * texelFetch(source, pixelPosition(), 0)); }", "", 65,
      "texelFetch gives fractions where samples have 8 bits, and integers where they have 16; call fetchPixel("
    ),
    ("uvec4 pointKernel(uvec4 p) { return uvec4(texture(source, vec2(0.5))); }", "", 65, "texture gives fractions"),
    ("BLOCK {\nfloat a;  // 0 to 1, default 0.5: how\n};KERNEL", ":a=2", 64, "a must be a number from 0 to 1"),
    ("BLOCK {\nfloat a;  // 0 to 1, default 0.5: how\n};KERNEL", ":b=2", 64, "the nearest that exists is a"),
    ("KERNEL", " --device cpu", 65, "has no Swift twin, and the CPU runs only twins"),
    ("KERNEL", " --verify-with cpu", 64, "has no Swift twin to be compared with"),
  ])
  func whatIsNoKernelIsRefused(_ text: String, _ more: String, _ code: Int32, _ why: String) throws {
    let text = text.replacing("BLOCK", with: "layout(std140, binding = 2) uniform Settings")
    try folder.write(text.replacing("KERNEL", with: "uvec4 pointKernel(uvec4 p) { return p; }"), to: "k.glsl")
    try folder.shell("safelight process in-rgba.png -o out/ --filter shader=k.glsl\(more)", code: code).says(why)
    #expect(!FileManager.default.fileExists(atPath: folder.path("out/in-rgba.png")))
  }

  /// What a kernel reads counts in a file that it includes, too.
  @Test func includedFilesAreRead() throws {
    try folder.write("#define RADIUS 70\nuvec4 far() { return neighbor(1, 1); }", to: "far.glsl")
    try folder.write("#include \"far.glsl\"\nuvec4 pointKernel(uvec4 p) { return far(); }", to: "k.glsl")
    try folder.shell("safelight process in-rgba.png -o out/ --filter shader=k.glsl", code: 65).says("its RADIUS is 70")
  }

  @Test func aPlanNamesTheSettings() throws {
    try folder.shell("safelight new-kernel glow.glsl")
    let plan = try folder.shell("safelight process in-rgba.png -o out/ --filter shader=glow.glsl --dry-run").output
    #expect(plan.contains("filters shader=file=glow.glsl:amount=0.3"))
    // A finished frame is made anew where the kernel has changed.
    try folder.shell("safelight process in-rgba.png -o out/ --filter shader=glow.glsl")
    let again = "safelight process in-rgba.png -o out/ --filter shader=glow.glsl --existing verify"
    #expect(try folder.shell(again).errors.contains("nothing to do"))
    try folder.shell("sed -i 's/64.0/65.0/' glow.glsl")
    #expect(try folder.shell(again).errors.contains("made anew"))
  }
}
