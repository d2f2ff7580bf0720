import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

@Suite struct RunTests {
  private let folder = TemporaryFolder()

  private static let devices = ["software", "cpu"]

  @Test(arguments: devices)
  func outputsAreTheSameForAnyJobsInFlightAndShards(_ device: String) throws {
    let input = Tool.fixture("dark-room")
    let runs = [["--jobs", "1", "--in-flight", "1"], ["--jobs", "4", "--in-flight", "9"]]
    for (number, options) in runs.enumerated() {
      #expect(
        try Tool.run(["equalize", input, "-o", folder.path("\(number)"), "--device", device] + options).code == 0)
    }
    for shard in ["0/3", "1/3", "2/3"] {
      try Tool.run("equalize", input, "-o", folder.path("2"), "--device", device, "--shard", shard).ends(0)
    }
    let names = try folder.names("0")
    #expect(names.count == 24)
    for number in ["1", "2"] {
      #expect(try folder.names(number) == names)
      for name in names { #expect(folder.areEqual("0/\(name)", "\(number)/\(name)"), "\(number)/\(name)") }
    }
  }

  @Test func foldersOfFoldersDoNotTakeTheirOwnOutputs() throws {
    try folder.shell("mkdir -p in/deep; cp \(Tool.word("dark-room/frame0001.png")) in/deep; ln -s .. in/deep/back")
    for (place, output) in [(".", "in/out"), ("in", "out"), (".", "in/deep/../out/x")] {
      let input = place == "." ? "in" : "."
      try folder.shell(
        "cd \(place); safelight process \(input) -o \(output) --recursive --device cpu", code: 64
      ).says("the next run would take it for input")
    }
    // An absolute output whose folder is not there yet lies elsewhere.
    try folder.shell("cd in; safelight process . -o '\(folder.path("new"))/out' --recursive --device cpu")
    #expect(try folder.names("new/out") == ["deep"])
    // A link back is not followed.
    try folder.shell("safelight process in -o out --recursive --device cpu")
    #expect(try folder.names("out") == ["deep"] && folder.names("out/deep") == ["frame0001.png"])
  }

  @Test func aFileGoesToAFile() throws {
    try Tool.run("process", Tool.fixture("haze/haze.png"), "-o", folder.path("out.png"), "--device", "cpu").ends(0)
    #expect(try folder.image("out.png") == PNGFile(reading: Tool.fixture("haze/haze.png")).image)
  }

  @Test func framesAreChosenByPlace() throws {
    try folder.safelight("process \(Tool.darkRoom) -o out.%02d.png --frames 1-3,10-14:2")
    #expect(try folder.names() == [1, 2, 3, 10, 12, 14].map { "out.\($0 < 10 ? "0" : "")\($0).png" })
  }

  @Test func subfoldersAreKeptWhereTheyAreAskedFor() throws {
    try folder.shell(
      """
      mkdir -p in/a in/b; ffmpeg -v error -f lavfi -i testsrc2=size=64x48 -frames:v 2 in/a/%d.png; cp in/a/1.png in/b
      safelight process in -o out --recursive --device cpu; cd out; find . -type f | sort >../list
      """)
    #expect(try folder.text("list") == "./a/1.png\n./a/2.png\n./b/1.png\n")
    try folder.shell("safelight process in -o none --device cpu", code: 66)
    try folder.safelight("process in -o none.mkv --recursive --lossless")
    try folder.safelight("process none.mkv -o f")
    #expect(try folder.names("f").count == 3)
  }

  @Test func existingOutputsAreSkippedOrRefused() throws {
    let line = "equalize \(Tool.word("haze")) -o out"
    try folder.safelight("\(line) --existing fail")
    try folder.safelight("\(line) --existing fail", code: 73)
    try folder.safelight("\(line) --existing skip").says("nothing to do: every output exists")
    try folder.safelight(line)
  }

  @Test func progressAsJSONIsOneObjectALine() throws {
    let line = "equalize \(Tool.haze) \(Tool.word("broken/text.png")) -o out --keep-going --progress json"
    let events = try folder.safelight(line, code: 65).events
    #expect(events.map { $0["event"] as? String } == ["message", "frame", "error", "summary"])
    #expect(events.last?["done"] as? Int == 1)
    #expect(events.last?["failed"] as? Int == 1)
  }

  /// Frames on the way are finished, nothing is half written, and the same command goes on where it stopped.
  @Test(arguments: [SIGINT, SIGTERM, SIGUSR1])
  func aSignalFinishesWhatIsOnTheWay(_ signal: Int32) throws {
    try folder.shell("mkdir in; for number in {0..399}; do ln -s \(Tool.haze) in/frame$number.png; done")
    let arguments = [
      "equalize", folder.path("in"), "-o", folder.path("out"), "--device", "cpu", "--in-flight", "2", "--existing",
      "skip",
    ]
    try Tool.run(arguments, until: signal) {
      ((try? folder.names("out")) ?? []).filter { !$0.hasPrefix(".") }.count >= 3
    }.ends(75)
    let names = try folder.names("out")
    #expect((3..<400).contains(names.count))
    #expect(names.allSatisfy { !$0.hasPrefix(".") })
    for name in names { _ = try PNGFile(reading: folder.path("out/\(name)")) }
    #expect(try Tool.run(arguments).code == 0)
    #expect(try folder.names("out").count == 400)
  }

  /// A run keeps the memory of its first frames for the others: the kernel maps a page at its first use.
  @Test(arguments: devices)
  func laterFramesTakeNoNewMemory(_ device: String) throws {
    let frame = Tool.word("dark-room/frame0012.png")
    try folder.shell("mkdir in; for number in {1..60}; do ln -s \(frame) in/$number.png; done")
    let faults = try ["1-10", "1-60"].map { frames in
      // The eleventh number counts those of children that have ended (proc(5)).
      let run = "safelight equalize in -o out --frames \(frames) --device \(device) --jobs 2"
      return try #require(Int(folder.shell("\(run); cut -d' ' -f11 /proc/$$/stat").output.dropLast()))
    }
    // The picture alone has 225 pages.
    #expect(faults[1] - faults[0] <= 50 * 100)
  }

  @Test func aContactSheetIsAPicture() throws {
    try folder.safelight("equalize \(Tool.darkRoom) -o out --frames 1-8 --contact-sheet sheet.png")
    let sheet = try folder.image("sheet.png")
    #expect(sheet.size.width > 1000 && Set(sheet.bytes).count > 50)
    // Its frames are all kept, and so is the sheet.
    try folder.safelight(
      "equalize \(Tool.darkRoom) -o out --frames 1-8 --existing skip --contact-sheet sheet.png --report report.json"
    ).says("no contact sheet is written", "the file there is of an earlier run")
    #expect(try folder.text("report.json").contains("no contact sheet is written"))
  }
}
