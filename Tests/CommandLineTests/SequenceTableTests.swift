import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Histograms of a sequence, counted in parts, and the tables that they become.
@Suite struct SequenceTableTests {
  let folder = TemporaryFolder()

  @discardableResult private func run(_ line: String, code: Int32 = 0) throws -> Tool.Outcome {
    try folder.shell("safelight \(line)", code: code)
  }

  /// Writes `count` pictures of noise between two values into `name`, numbered from `first`; of those with alpha a part
  /// is not seen, another in each, and bright.
  private func write(
    _ count: Int, to name: String, from first: Int = 1, values: ClosedRange<Int>, _ channels: Channels = .rgb,
    _ depth: SampleDepth = .bits8, _ size: Size = Size(40, 30)
  ) throws {
    try folder.make(name)
    for number in first..<first + count {
      var image = SyntheticImage.noise.image(size, channels: channels, depth: depth)
      let (bottom, width) = (values.lowerBound + number, values.count - 5 * (number % 3))
      for y in 0..<size.height {
        for x in 0..<size.width {
          for sample in channels.sampleIndices where sample < 3 {
            image[x: x, y: y, sample: sample] = bottom + image[x: x, y: y, sample: sample] % width
          }
          if channels.hasAlpha && (x * 7 + y * 3) % 10 < 2 + number % 2 {
            for sample in 0..<3 { image[x: x, y: y, sample: sample] = image.pixelFormat.maximum }
            image[x: x, y: y, sample: 3] = 0
          }
        }
      }
      try folder.write(image, to: "\(name)/f\(number).png")
    }
  }

  private func image(_ name: String) throws -> Image { try folder.image(name) }

  /// Two shots: seven dark frames and five bright ones.
  private func writeTwoShots(_ channels: Channels = .rgb) throws {
    try write(7, to: "in", values: 0...60, channels)
    try write(5, to: "in", from: 8, values: 150...220, channels)
  }

  private static let scopes = ["", "--per shot", "--smooth 4"]

  @Test(arguments: scopes, ["luma", "each"])
  func anyNumberOfPartsMakesTheSameTables(_ scope: String, _ channels: String) throws {
    try writeTwoShots()
    for count in [1, 2, 3, 7, 13] {
      for part in 0..<count {
        try run("analyze in --shard \(part)/\(count) -o \(count)-\(part).counts --channels \(channels) -q --device cpu")
      }
      try run("merge $(ls -r \(count)-*.counts) -o \(count).tables -q \(scope)")
      #expect(try folder.bytes("\(count).tables") == folder.bytes("1.tables"), "\(count) parts")
    }
  }

  /// The table of the rule normalized-sum, from the lumas of pictures; and what becomes of a picture by it.
  private func equalized(_ picture: Image, by pictures: [Image], counting counted: String = "visible") -> Image {
    let maximum = picture.pixelFormat.maximum
    func luma(_ image: Image, _ x: Int, _ y: Int) -> Int {
      if image.channels.isGray { return image[x: x, y: y, sample: 0] }
      let (red, green, blue) = (
        image[x: x, y: y, sample: 0], image[x: x, y: y, sample: 1], image[x: x, y: y, sample: 2]
      )
      return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16
    }
    var counts = [Int](repeating: 0, count: maximum + 1)
    for image in pictures {
      let hides = image.channels.hasAlpha && counted == "visible"
      for y in 0..<image.size.height {
        for x in 0..<image.size.width where !hides || image[x: x, y: y, sample: 3] > 0 {
          counts[luma(image, x, y)] += 1
        }
      }
    }
    let total = counts.reduce(0, +)
    var sum = 0
    let table = counts.map { count in
      sum += count
      return (2 * maximum * sum + total) / (2 * total)
    }
    var result = picture
    for y in 0..<picture.size.height {
      for x in 0..<picture.size.width {
        let shift = table[luma(picture, x, y)] - luma(picture, x, y)
        // Gray with alpha has its gray three times.
        for sample in 0..<min(3, picture.pixelFormat.samplesPerPixel) {
          result[x: x, y: y, sample: sample] = min(max(picture[x: x, y: y, sample: sample] + shift, 0), maximum)
        }
      }
    }
    return result
  }

  /// Each channel of gray and of gray with alpha is the one gray.
  @Test(
    arguments: [
      (Channels.rgb, SampleDepth.bits8, "luma"), (.rgb, .bits16, "luma"), (.rgba, .bits8, "luma"),
      (.gray, .bits8, "luma"), (.gray, .bits16, "luma"), (.grayAlpha, .bits8, "luma"), (.gray, .bits8, "each"),
      (.grayAlpha, .bits8, "each"),
    ], ["visible", "all"])
  func tablesAreThoseOfTheFormula(
    _ kind: (channels: Channels, depth: SampleDepth, counted: String), _ counts: String
  ) throws {
    try write(4, to: "in", values: 0...200, kind.channels, kind.depth)
    try run("analyze in -o all.counts --channels \(kind.counted) --counts \(counts) -q --device cpu")
    try run("merge all.counts -o all.tables -q")
    try run("process in -o out --filter equalize=table=all.tables -q --device cpu")
    let pictures = try (1...4).map { try image("in/f\($0).png") }
    for number in 1...4 {
      #expect(
        try image("out/f\(number).png") == equalized(pictures[number - 1], by: pictures, counting: counts),
        "frame \(number)")
    }
  }

  /// Other pixels are seen in each frame with alpha, which is no cut as long as their values are alike.
  @Test(arguments: [Channels.rgb, .rgba])
  func aShotHasATableOfItsOwnWhereverARunBegins(_ channels: Channels) throws {
    try writeTwoShots(channels)
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --per shot > told 2>&1")
    #expect(try folder.text("told") == "safelight: 2 tables for 12 frames in a.tables\n")
    try run("process in -o out --filter equalize=table=a.tables -q --device cpu")
    let pictures = try (1...12).map { try image("in/f\($0).png") }
    for number in 1...12 {
      let shot = number <= 7 ? pictures[..<7] : pictures[7...]
      #expect(try image("out/f\(number).png") == equalized(pictures[number - 1], by: Array(shot)), "\(number)")
    }
    try run("process in -o part --frames 7-9 --filter equalize=table=a.tables -q --device cpu")
    try run("equalize in -o shard --shard 1/2 --table a.tables -q --device cpu")
    for name in try folder.names("part") { #expect(try image("part/\(name)") == image("out/\(name)")) }
    for name in try folder.names("shard") { #expect(try image("shard/\(name)") == image("out/\(name)")) }
  }

  @Test func aSmoothTableIsOfTheFramesAroundInTheShot() throws {
    try writeTwoShots()
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --smooth 4 -q")
    try run("process in -o out --filter equalize=table=a.tables -q --device cpu")
    let pictures = try (1...12).map { try image("in/f\($0).png") }
    for place in 0..<12 {
      let shot = place < 7 ? 0..<7 : 7..<12
      let window = max(shot.lowerBound, place - 1)..<min(shot.upperBound, place + 3)
      #expect(
        try image("out/f\(place + 1).png") == equalized(pictures[place], by: Array(pictures[window])), "\(place + 1)")
    }
  }

  /// A frame of another size begins a shot whatever is seen of it.
  @Test func anotherSizeIsAnotherShotAmongVisiblePixels() throws {
    try write(5, to: "in", values: 150...220, .rgba)
    try write(1, to: "in", from: 6, values: 150...220, .rgba, .bits8, Size(20, 30))
    try run(
      "analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --per shot --cut 1 > told 2>&1")
    #expect(try folder.text("told") == "safelight: 2 tables for 6 frames in a.tables\n")
  }

  /// A bright square passes through a still picture. Equalized frame by frame the background flickers; a table of the
  /// whole sequence leaves it still, and one of the frames around lets it drift by less.
  @Test func aStillBackgroundStaysStill() throws {
    let size = Size(120, 40)
    var still = SyntheticImage.noise.image(size, channels: .gray, depth: .bits8)
    for y in 0..<size.height { for x in 0..<size.width { still[x: x, y: y, sample: 0] = (x + y) / 2 } }
    try folder.make("in")
    for number in 1...12 {
      var frame = still
      // It enters and leaves, so that the histogram changes.
      for y in 20..<40 {
        for x in min(120, max(0, 20 * number - 60))..<min(120, 20 * number) { frame[x: x, y: y, sample: 0] = 240 }
      }
      try folder.write(frame, to: "in/f\(number).png")
    }
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o whole.tables -q")
    try run("merge a.counts -o around.tables --smooth 6 --cut 1 -q")
    /// The greatest step of a sample of the upper half from one frame to the next.
    func step(_ filter: String) throws -> Int {
      try run("process in -o '\(filter)' --filter '\(filter)' -q --device cpu")
      let frames = try (1...12).map { try image("\(filter)/f\($0).png") }
      return zip(frames, frames.dropFirst()).flatMap { one, next in
        (0..<20).flatMap { y in
          (0..<120).map { abs(one[x: $0, y: y, sample: 0] - next[x: $0, y: y, sample: 0]) }
        }
      }.max() ?? 0
    }
    let (alone, around) = (try step("equalize"), try step("equalize=table=around.tables"))
    #expect(try step("equalize=table=whole.tables") == 0)
    #expect(0 < around && around < alone, "\(around) \(alone)")
  }

  /// The twins and a driver apply the same table.
  @Test func tablesAreAppliedAlikeOnADevice() throws {
    try writeTwoShots()
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --smooth 3 -q")
    try run("process in -o out --filter equalize=table=a.tables --verify-with cpu -q --device software")
    try run("analyze in -o b.counts -q --device software; cmp a.counts b.counts")
  }

  @Test func aFilmIsCountedLikeItsFrames() throws {
    try write(5, to: "in", values: 10...200)
    try run("process in -o film.nut --lossless -q --device cpu")
    try run("analyze film.nut -o film.counts -q --device cpu; safelight analyze in -o frames.counts -q --device cpu")
    for name in ["film", "frames"] { try run("merge \(name).counts -o \(name).tables --smooth 2 -q") }
    #expect(try folder.bytes("film.tables")[512...] == folder.bytes("frames.tables")[512...])
    try run("process film.nut -o a/f%d.png --filter equalize=table=film.tables -q --device cpu")
    try run("process in -o b --filter equalize=table=film.tables --device cpu")
      .says("film.tables were made of frames with other names")
    for name in try folder.names("b") { #expect(try image("a/\(name)") == image("b/\(name)")) }
    try run("analyze film.nut --shard 0/2 -o x.counts --device cpu", code: 64).says("unknown before it ends")
  }

  @Test func partsThatDoNotMakeAWholeAreRefused() throws {
    try write(6, to: "in", values: 0...90)
    try write(6, to: "other", from: 2, values: 0...90)
    for part in 0..<3 { try run("analyze in --shard \(part)/3 -o \(part).counts -q --device cpu") }
    try run("analyze in --shard 0/2 -o half.counts -q --device cpu; safelight analyze other -o other.counts -q")
    try run("analyze in --shard 2/3 -o each.counts --channels each -q --device cpu")
    try run("analyze in --shard 2/3 -o all.counts --counts all -q --device cpu")
    for (parts, text) in [
      ("0.counts 2.counts", "frames 3 to 4 are in none of the files"),
      ("0.counts 1.counts", "frames 5 to 6 are in none of the files"),
      ("0.counts 1.counts 2.counts 1.counts", "frames 3 to 4 are in 1.counts too"),
      ("half.counts 1.counts 2.counts", "frame 3 is in half.counts too"),
      ("0.counts 1.counts other.counts", "it is of another sequence than 0.counts"),
      ("0.counts 1.counts each.counts", "it counts channels=each, but 0.counts channels=luma"),
      ("0.counts 1.counts all.counts", "it counts counts=all, but 0.counts counts=visible"),
      ("in/f1.png", "it is not a file of counts"),
    ] {
      try run("merge \(parts) -o out.tables", code: 65).says(text)
    }
    #expect(try !folder.names().contains("out.tables"))
    try run("merge 0.counts 1.counts 2.counts -o 1.counts", code: 64)
    try run("merge none.counts -o out.tables", code: 66)
    try run("merge 0.counts -o out.tables --per shot --smooth 3", code: 64).says("leave one of them out")
  }

  /// One byte of a file is changed, or its end is missing.
  @Test(arguments: ["counts", "tables"], ["head", "frames", "middle", "end", "cut"])
  func damageIsNoticed(_ kind: String, _ place: String) throws {
    try write(3, to: "in", values: 0...90)
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --smooth 2 -q")
    var bytes = try [UInt8](folder.bytes("a.\(kind)"))
    switch place {
    case "head": bytes[12] ^= 0x20
    case "frames":
      // One more or fewer, which nothing else contradicts.
      let name = Array("\"frames\":".utf8)
      let digit = try #require((0..<512).first { bytes[$0...].starts(with: name) }) + name.count
      bytes[digit] = UInt8(ascii: "4")
    case "middle": bytes[520] ^= 1
    case "end": bytes[bytes.count - 3] ^= 1
    default: bytes.removeLast()
    }
    try Data(bytes).write(to: URL(filePath: folder.path("a.\(kind)")))
    let line =
      kind == "counts"
      ? "merge a.counts -o b.tables --smooth 2" : "process in -o out --filter equalize=table=a.tables --device cpu"
    try run(line, code: 65).says("make it again with safelight \(kind == "counts" ? "analyze" : "merge")")
    #expect(try folder.names() == ["a.counts", "a.tables", "in"])
  }

  /// Writes a file with a correct first line that says `fields`, then `numbers`, then a hole up to `length` bytes.
  private func forge(_ name: String, _ fields: String, _ numbers: [UInt64] = [], length: Int = 0) throws {
    let payload = numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) } }
    let sums = CRC32.checksum(payload[...])
    func line(_ checksum: UInt32) -> String {
      // The members in the order of their names.
      let members = (fields.split(separator: ",") + ["\"line\":\(checksum)", "\"sums\":\(sums)", "\"version\":1"])
        .sorted()
      return "{" + members.joined(separator: ",") + "}"
    }
    let text = line(CRC32.checksum(Array(line(0).utf8)[...]))
    let head = text + String(repeating: " ", count: max(0, 511 - text.utf8.count)) + "\n"
    try Data(Array(head.utf8) + payload).write(to: URL(filePath: folder.path(name)))
    if length > 0 { try run("filters > /dev/null; truncate -s \(length) \(name)") }
  }

  private static let hash = String(repeating: "0", count: 64)

  /// Numbers that no frames have are refused, and never stop the process.
  @Test func hostileFilesAreRefused() throws {
    try write(1, to: "in", values: 0...90)
    func fields(_ kind: String, _ rest: String, hash: String = Self.hash) -> String {
      "\"safelight\":\"\(kind)\",\"sequence\":\"\(hash)\",\"first\":0,\"rest\":0,\(rest)"
    }
    let luma = "\"channels\":\"luma\",\"depth\":8"
    for (number, rest) in [
      "\(luma),\"count\":0,\"frames\":1,\"planes\":4611686018427387904",
      "\(luma),\"count\":1,\"frames\":1,\"planes\":3", "\(luma),\"count\":1,\"frames\":1,\"planes\":-1",
      "\(luma),\"count\":9223372036854775807,\"frames\":9223372036854775807,\"planes\":1",
      "\(luma),\"count\":-1,\"frames\":1,\"planes\":1",
    ].enumerated() {
      for kind in ["counts", "tables"] { try forge("\(number).\(kind)", fields(kind, rest)) }
      try run("merge \(number).counts -o out.tables", code: 65)
      try run("process in -o out --filter equalize=table=\(number).tables --device cpu", code: 65)
    }
    let one = "\(luma),\"count\":1,\"frames\":1,\"planes\":1"
    try forge("long.counts", fields("counts", one, hash: String(repeating: "0", count: 900)))
    try run("merge long.counts -o out.tables", code: 65)
    // Each count is possible, and their sum is not.
    try forge("sum.counts", fields("counts", one), [UInt64](repeating: 1 << 32, count: 256), length: 512 + 2048 + 1024)
    try run("merge sum.counts -o out.tables", code: 65)
  }

  /// Sums beyond 32 bits are exact, and so are products beyond 64.
  @Test func sumsMayExceed32Bits() throws {
    let counts = (0..<256).map { UInt64(1 + $0 * $0 % 97) << 33 }
    let total = UInt128(counts.reduce(0, +))
    #expect(total > 1 << 46)
    let fields =
      "\"safelight\":\"counts\",\"sequence\":\"\(Self.hash)\",\"first\":0,\"rest\":0,\"channels\":\"luma\",\"depth\":8,"
      + "\"count\":32768,\"frames\":32768,\"planes\":1"
    try forge("a.counts", fields, counts, length: 512 + 2048 + 32768 * 1024)
    try run("merge a.counts -o a.tables -q")
    var sum: UInt128 = 0
    let table = counts.map { count in
      sum += UInt128(count)
      return UInt16((510 * sum + total) / (2 * total))
    }
    let made = try [UInt8](folder.bytes("a.tables"))[512..<1024]
    #expect(Array(made) == table.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
  }

  /// A wide window of large histograms is refused before any is read.
  @Test func aWindowHasALimitOfMemory() throws {
    let fields =
      "\"safelight\":\"counts\",\"sequence\":\"\(Self.hash)\",\"first\":0,\"rest\":0,\"channels\":\"each\","
      + "\"depth\":16,\"count\":1000,\"frames\":1000,\"planes\":3"
    try forge("a.counts", fields, length: 512 + 3 * 65536 * (8 + 4 * 1000))
    try run("merge a.counts -o a.tables --smooth 900", code: 65).says("smooth over at most 682 frames")
  }

  /// A plot counts what `process` makes, and a seal knows the place by which a file was made.
  @Test func thePlaceOfAFrameCountsEverywhere() throws {
    try writeTwoShots()
    try run("analyze in -o a.counts -q --device cpu; safelight merge a.counts -o a.tables --per shot -q")
    let filter = "--filter equalize=table=a.tables -q --device cpu"
    try run("process in -o out \(filter); safelight histogram in -o told.svg \(filter)")
    try run("histogram out -o true.svg --filter passthrough -q --device cpu")
    let statistics = #/median [^<]*/#
    let told = try folder.text("told.svg").matches(of: statistics).map { String($0.0) }
    let made = try folder.text("true.svg").matches(of: statistics).map { String($0.0) }
    #expect(told.count == 2 && told.last == made.last, "\(told) \(made)")
    try run(
      "histogram in -o part.svg --frames 8-12 \(filter); safelight histogram in --over time -o time.svg \(filter)")
    // Each frame moves up by one place.
    try run("process in -o verified \(filter); rm in/f1.png")
    let again = try run("process in -o verified --existing verify --filter equalize=table=a.tables --device cpu")
    #expect(again.errors.contains("11 of 11 frames") && !again.errors.contains("skipped"), "\(again.errors)")
    try run("process in/f9.png -o alone --filter equalize=table=a.tables --device cpu")
      .says("made of frames with other names")
  }

  @Test func whatCannotBeWrittenThereIsRefused() throws {
    try write(2, to: "in", values: 0...90)
    try run("analyze in -o a.counts -q --device cpu")
    for (line, text) in [
      ("analyze in -o -", "its beginning is written last"), ("merge a.counts -o -", "its beginning is written last"),
      ("analyze in -o in/f3.png", "it would hold counts"), ("merge a.counts -o in/f3.png", "it would hold tables"),
      ("merge a.counts -o b.counts", "it would hold tables"),
      ("merge a.counts -o b.tables --cut 0.5", "add --per shot"),
    ] {
      try run(line, code: 64).says(text)
    }
    #expect(try folder.names() == ["a.counts", "in"])
  }

  @Test func otherPicturesThanTheTablesAreForAreRefused() throws {
    try write(2, to: "in", values: 0...90)
    try write(3, to: "more", values: 0...90)
    try write(2, to: "deep", values: 0...90, .rgb, .bits16)
    try write(2, to: "gray", values: 0...90, .gray)
    try run("analyze in -o a.counts --channels each -q --device cpu; safelight merge a.counts -o a.tables -q")
    for (input, text) in [
      ("deep", "its tables are of 8 bits, and the picture is of 16"),
      ("gray", "its tables are of color, and the picture is of gray"),
      ("more", "it is of a sequence of 2 frames, and this is frame 3"),
    ] {
      try run("process \(input) -o out --filter equalize=table=a.tables --device cpu", code: 65).says(text)
    }
    try run("process in -o out --filter equalize=table=a.tables:rule=opencv --device cpu", code: 64)
      .says("the tables are made already")
    try run(
      "process --watch in -o out --filter equalize=table=a.tables --until-idle 0 --device cpu", code: 64
    ).says("files may arrive in any order")
    try write(1, to: "in", from: 3, values: 0...90, .gray)
    try run("analyze in -o b.counts --channels each --device cpu", code: 65)
      .says("f3.png: it is gray, and the frames before it are of color")
    try run("analyze in deep -o b.counts --device cpu", code: 65)
      .says("it has 16 bits a sample, and the frames before it have 8")
    try run("analyze in -o b.counts -q --device cpu")
  }
}
