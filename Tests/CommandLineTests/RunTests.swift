import Foundation
import SafelightFrames
import SafelightImage
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
    try folder.shell("mkdir -p in/deep; cp '\(Tool.fixture("dark-room/frame0001.png"))' in/deep; ln -s .. in/deep/back")
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
    try Tool.run(
      "process", Tool.fixture("dark-room"), "-o", folder.path("out.%02d.png"), "--device", "cpu", "--frames",
      "1-3,10-14:2"
    ).ends(0)
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
    try folder.shell(
      "safelight process in -o none.mkv --recursive --device cpu --lossless; safelight process none.mkv -o f --device cpu"
    )
    #expect(try folder.names("f").count == 3)
  }

  @Test func existingOutputsAreSkippedOrRefused() throws {
    let arguments = ["equalize", Tool.fixture("haze"), "-o", folder.path("out"), "--device", "cpu"]
    func run(_ more: [String]) throws -> Tool.Outcome {
      try Tool.run(arguments + more)
    }
    #expect(try run(["--existing", "fail"]).code == 0)
    #expect(try run(["--existing", "fail"]).code == 73)
    try run(["--existing", "skip"]).ends(0).says("nothing to do: every output exists")
    #expect(try run([]).code == 0)
  }

  @Test func progressAsJSONIsOneObjectALine() throws {
    let outcome = try Tool.run(
      "equalize", Tool.fixture("haze/haze.png"), Tool.fixture("broken/text.png"), "-o", folder.path("out"), "--device",
      "cpu", "--keep-going", "--progress", "json")
    let events = try outcome.events
    #expect(events.map { $0["event"] as? String } == ["message", "frame", "error", "summary"])
    #expect(events.last?["done"] as? Int == 1)
    #expect(events.last?["failed"] as? Int == 1)
  }

  /// Frames on the way are finished, nothing is half written, and the same command goes on where it stopped.
  @Test(arguments: [SIGINT, SIGTERM, SIGUSR1])
  func aSignalFinishesWhatIsOnTheWay(_ signal: Int32) throws {
    let many = folder.url.appending(path: "in")
    try FileManager.default.createDirectory(at: many, withIntermediateDirectories: true)
    for number in 0..<400 {
      try FileManager.default.createSymbolicLink(
        at: many.appending(path: "frame\(number).png"), withDestinationURL: URL(filePath: Tool.fixture("haze/haze.png"))
      )
    }
    let arguments = [
      "equalize", many.path, "-o", folder.path("out"), "--device", "cpu", "--in-flight", "2", "--existing", "skip",
    ]
    let (process, output, errors) = try Tool.start(arguments)
    while process.isRunning, ((try? folder.names("out")) ?? []).filter({ !$0.hasPrefix(".") }).count < 3 {
      usleep(1000)
    }
    kill(process.processIdentifier, signal)
    let outcome = try Tool.end(process, output, errors)
    #expect(process.terminationReason == .exit)
    #expect(outcome.code == 75)
    let names = try folder.names("out")
    #expect((3..<400).contains(names.count))
    #expect(names.allSatisfy { !$0.hasPrefix(".") })
    for name in names { _ = try PNGFile(reading: folder.path("out/\(name)")) }
    let (again, rest, lines) = try Tool.start(arguments)
    #expect(try Tool.end(again, rest, lines).code == 0)
    #expect(try folder.names("out").count == 400)
  }

  @Test func aContactSheetIsAPicture() throws {
    try Tool.run(
      "equalize", Tool.fixture("dark-room"), "-o", folder.path("out"), "--device", "cpu", "--frames", "1-8",
      "--contact-sheet", folder.path("sheet.png")
    ).ends(0)
    let sheet = try folder.image("sheet.png")
    #expect(sheet.size.width > 1000 && Set(sheet.bytes).count > 50)
    // Its frames are all kept, and so is the sheet.
    let kept = try Tool.run(
      "equalize", Tool.fixture("dark-room"), "-o", folder.path("out"), "--device", "cpu", "--frames", "1-8",
      "--existing", "skip", "--contact-sheet", folder.path("sheet.png"), "--report", folder.path("report.json"))
    #expect(try folder.text("report.json").contains("no contact sheet is written"))
    #expect(kept.code == 0 && kept.errors.contains("no contact sheet is written"), "\(kept.errors)")
    #expect(kept.errors.contains("the file there is of an earlier run"), "\(kept.errors)")
  }
}
