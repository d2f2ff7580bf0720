import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// What a film says of itself beside its frames: kept where there is a place for it, and named otherwise.
@Suite struct VideoFactTests {
  private let folder = TemporaryFolder()

  /// The light of a film in the form of PNG (third edition, 11.3.2.7 and 11.3.2.8).
  private static let mastering = "84d03e8033c286c41d4c0bb83d1340420098968000000032"
  private static let contentLight = "00989680003d0900"

  /// `in.mkv` has its light in the stream; `in.mov` has a track for its timecode, too, which comes first.
  init() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 3 -pix_fmt yuv420p10le -c:v libx265 \
      -color_range tv -colorspace bt2020nc -color_trc smpte2084 -color_primaries bt2020 -metadata title='A "film"' \
      -metadata:s:v:0 language=fra -timecode 01:02:03:04 -x265-params \
      "log-level=error:master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400" \
      in.mkv
      ffmpeg -v error -i in.mkv -c copy -timecode 01:02:03:04 in.mov
      """)
  }

  @discardableResult private func process(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell("safelight process \(line) --device cpu", code: code)
  }

  private struct Facts: Equatable {
    var light: Set<String> = []
    var texts: Set<String> = []
  }

  /// What ffprobe finds in a film, in container and first frame.
  private func facts(_ name: String) throws -> Facts {
    let listing = try folder.shell(
      """
      ffprobe -v error -of flat -show_streams -select_streams V:0 -show_format -show_frames -read_intervals %+#1 \(name)
      """
    ).output
    var facts = Facts()
    for line in listing.split(separator: "\n") {
      guard let (_, key, value) = line.firstMatch(of: /\.([A-Za-z_]+)="?(.*?)"?$/)?.output else { continue }
      let name = key.lowercased()
      if ["title", "language", "timecode"].contains(name) { facts.texts.insert("\(name) \(value)") }
      if let scale = ["x": 50_000.0, "y": 50_000, "luminance": 10_000][name.split(separator: "_").last ?? ""] {
        let parts = value.split(separator: "/").compactMap { Double($0) }
        if parts.count == 2 { facts.light.insert("\(name) \((parts[0] / parts[1] * scale).rounded())") }
      }
      if ["max_content", "max_average"].contains(name) { facts.light.insert("\(name) \(value)") }
    }
    return facts
  }

  /// Returns the data of the first chunk of `type`, in hexadecimal digits.
  private func chunk(_ type: String, _ name: String) throws -> String? {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: folder.path(name))))
    let place = bytes.indices.first { bytes[$0...].starts(with: type.utf8) }
    return place.map { place in
      let data = bytes[(place + 4)..<(place + 4 + Int(bytes[place - 1]))]
      return data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
  }

  private func matrix(_ name: String) throws -> String {
    try folder.shell(
      "ffprobe -v error -select_streams V:0 -show_entries stream=color_space -of default=nw=1:nk=1 \(name)"
    ).output.trimmingCharacters(in: .whitespacesAndNewlines)
  }

  @Test(arguments: ["in.mkv", "in.mov"], ["mp4", "mov", "mkv", "webm", "mkv --lossless", "mp4 --filter gamma=1.1"])
  func filmsThatHaveAPlaceKeepAll(_ input: String, _ output: String) throws {
    let told = try process("\(input) -o out.\(output)")
    #expect(!told.errors.contains("leaves out"), "\(told.errors)")
    let (before, after) = try (facts("in.mkv"), facts("out.\(output.prefix { $0 != " " })"))
    #expect(before.light.count == 12 && before.texts.count == 3)
    #expect(after == before)
  }

  @Test func anEncoderOfOnesOwnKeepsThemToo() throws {
    try process("in.mov -o out.mkv --encoder '-c:v libx265 -x265-params log-level=error'")
    #expect(try facts("out.mkv") == facts("in.mkv"))
  }

  @Test(arguments: [
    ("nut", "the mastering display and the content light level"),
    ("ts", "the mastering display, the content light level, the timecode, the title and the language"),
    ("y4m", "the mastering display, the content light level, the timecode, the title and the language"),
    ("avi --lossless", "the mastering display, the content light level and the language"),
  ])
  func whatHasNoPlaceIsNamedInOneLine(_ output: String, _ lost: String) throws {
    let told = try process("in.mov -o out.\(output)").says("leaves out \(lost)\n")
    #expect(told.errors.split(separator: "\n").count { $0.contains("leaves out") } == 1)
  }

  @Test func quickTimeHasCodesOfThreeLettersAndEvenTimecodes() throws {
    try folder.shell("ffmpeg -v error -i in.mkv -c copy -metadata:s:v:0 language=fr-CA other.mkv")
    try process("other.mkv -o out.mp4").says("out.mp4 leaves out the language\n")
    try folder.shell(
      "ffmpeg -v error -i in.mkv -vf setpts=N*N/25/TB -fps_mode vfr -c:v libx264 -timecode 01:02:03:04 uneven.mov")
    try process("uneven.mov -o out.mp4").says("out.mp4 leaves out the timecode\n")
  }

  /// QuickTime counts frames, and Matroska keeps the text.
  @Test func aTimecodeThatIsNoneIsLeftOut() throws {
    try folder.shell("ffmpeg -v error -i in.mkv -c copy -metadata timecode=garbage other.mkv")
    try process("other.mkv -o out.mov").says("out.mov leaves out the timecode\n")
    let told = try process("other.mkv -o out.mkv")
    #expect(!told.errors.contains("timecode"), "\(told.errors)")
  }

  /// Numbers as large as the chunk holds become the largest that films hold.
  @Test func theBrightestLightIsKept() throws {
    let image = SyntheticImage.noise.image(Size(16, 16), channels: .rgb, depth: .bits8)
    let chunk = PNGChunk(type: "cLLI", data: [UInt8](repeating: 0xFF, count: 8))
    try folder.make("bright")
    try PNGFile(image: image, metadata: PNGMetadata(chunks: [chunk])).write(to: folder.path("bright/a.png"))
    try process("bright -o bright.mp4")
    #expect(try facts("bright.mp4").light == ["max_content 65535", "max_average 65535"])
  }

  @Test func picturesHaveTheLightOfTheirFilm() throws {
    let told = try process("in.mov -o pictures/").says("pictures leave out the timecode, the title and the language\n")
    #expect(told.errors.split(separator: "\n").count { $0.contains("leave") } == 1)
    #expect(try chunk("mDCV", "pictures/in.000002.png") == Self.mastering)
    #expect(try chunk("cLLI", "pictures/in.000002.png") == Self.contentLight)
    #expect(try chunk("cICP", "pictures/in.000002.png") == "09100001")
    try process("pictures -o out.mp4")
    let made = try facts("out.mp4")
    #expect(try made.light == facts("in.mkv").light)
    #expect(try matrix("out.mp4") == "bt2020nc")
  }

  /// Light is that of other colors then, and the timecode that of another frame.
  @Test func whatNoLongerHoldsIsLeftOut() throws {
    try process("in.mkv -o out.mkv --frames 2-").says("out.mkv leaves out the timecode, since it begins with another")
    #expect(try !facts("out.mkv").texts.contains { $0.hasPrefix("timecode") })
    try folder.shell("ffmpeg -v error -i in.mkv -c copy -bsf:v hevc_metadata=transfer_characteristics=13 srgb.hevc")
    let lost = "leaves out the mastering display and the content light level, since the filters change what colors mean"
    try process("srgb.hevc -o out.mkv --filter srgb-to-linear").says("out.mkv \(lost)")
    #expect(try facts("out.mkv") == Facts())
    try process("srgb.hevc -o pictures/ --filter srgb-to-linear").says("pictures/ \(lost)")
    #expect(try chunk("mDCV", "pictures/srgb.000001.png") == nil)
    try process("srgb.hevc -o pictures/ --filter gamma=1.1")
    #expect(try chunk("mDCV", "pictures/srgb.000001.png") == Self.mastering)
  }

  @Test(arguments: [("9", "bt2020nc"), ("1", "bt709")])
  func picturesGetTheMatrixOfTheirPrimaries(_ primaries: String, _ matrix: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=64x48 -frames:v 1 -pix_fmt rgb24 -c:v png plain.png
      python3 - <<'END'
      import zlib
      png = open("plain.png", "rb").read()
      code = b"cICP" + bytes([\(primaries), 14, 0, 1])
      open("wide.png", "wb").write(png[:33] + bytes([0, 0, 0, 4]) + code + zlib.crc32(code).to_bytes(4, "big") + png[33:])
      END
      """)
    try process("wide.png -o out.mp4")
    #expect(try self.matrix("out.mp4") == matrix)
  }
}
