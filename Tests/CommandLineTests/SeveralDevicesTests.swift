import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Runs that are divided among processes on several devices: here the CPU and the software renderer.
@Suite struct SeveralDevicesTests {
  let folder = TemporaryFolder()
  static let count = 80

  init() throws { try folder.writeFrames(Self.count) }

  @Test func devicesShareTheFramesOfOneRun() throws {
    try folder.shell("safelight process in -o whole --filter equalize=smooth=4 --device cpu -q")
    try folder.shell(
      "safelight process in -o out --filter equalize=smooth=4 --device cpu,software --report all.json"
    ).says("running on 2 devices: cpu,software", "80 of 80 frames, 100 %", "cpu made ")
    try folder.shell("diff -r whole out")
    let report = try folder.report("all.json")
    #expect(report.frames.map(\.index) == Array(0..<Self.count) && report.summary.done == Self.count)
    #expect(report.shard == nil && report.error == nil && report.device?.contains("CPU") == true)
    // Nothing of the processes is left.
    #expect(try folder.names("out").count == Self.count)
    try folder.shell("safelight process in -o out --filter equalize=smooth=4 --device=cpu,software --existing skip")
      .says("nothing to do: every output exists, 80 skipped")
  }

  /// A part of a run is divided further.
  @Test func shardsAreDivided() throws {
    try folder.shell("safelight process in -o whole --filter invert --device cpu -q")
    for part in 0..<3 {
      try folder.shell(
        "SAFELIGHT_DEVICE=cpu,cpu safelight process in -o out --filter invert --shard \(part)/3 --report \(part).json")
      #expect(try folder.report("\(part).json").shard == "\(part)/3")
    }
    try folder.shell("diff -r whole out")
  }

  @Test func eachFrameHasOneEvent() throws {
    let told = try folder.shell("safelight process in -o out --filter invert --device cpu,cpu --progress json")
    let lines = told.errors.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("{\"event\":\"frame\"") } == Self.count, "\(told.errors)")
    #expect(lines.last?.hasPrefix("{\"event\":\"summary\",\"done\":80") == true, "\(told.errors)")
  }

  /// A device that is named must work; nothing else is taken for it.
  @Test(arguments: ["cpu,node:/dev/none", "node:/dev/none,node:/dev/no"])
  func aDeviceThatDoesNotExistEndsTheRun(_ devices: String) throws {
    try folder.shell("safelight process in -o out --device \(devices) --report all.json", code: 69)
      .says("no device matches node:/dev/no")
    #expect(try folder.report("all.json").summary.code == 69)
  }

  /// A run whose processes cannot begin fails with their code and names the reason.
  @Test func processesThatCannotBeginEndTheRun() throws {
    try folder.shell(
      "SAFELIGHT_CACHE=/dev/null safelight process in -o out --device software,cpu --report all.json", code: 73)
    let report = try folder.report("all.json")
    #expect(report.summary.untouched > 0 && report.summary.code == 73)
    #expect(report.error?.contains("/dev/null") == true)
  }

  /// A frame that is added during a run would shift the parts.
  @Test func otherFramesThanThoseDividedAreRefused() throws {
    try folder.shell("safelight process in -o out --sequence 0 --device cpu,cpu", code: 65)
      .says("frames were added, removed or renamed")
  }

  /// A part that breaks down twice is given up: something in it may be at fault. The system kills every process that
  /// has computed for a second, and no part takes less.
  @Test func aPartThatBreaksDownTwiceIsGivenUp() throws {
    try folder.shell(
      """
      ulimit -t 1; exec safelight process in -o out --filter resize=width=4000:height=3000 --compression small \
        --device cpu,cpu --jobs 1 --in-flight 1 --report all.json
      """, code: 70
    ).says("which is given up")
    #expect(try folder.report("all.json").error?.contains("SIGKILL") == true)
  }

  /// Frames that take long enough for a process to be caught at work.
  private func makeLargeFrames(_ count: Int) throws {
    let image = SyntheticImage.noise.image(Size(960, 720), channels: .rgb, depth: .bits8)
    try folder.write(image, to: "in/g0.png")
    for number in 1..<count {
      try FileManager.default.linkItem(atPath: folder.path("in/g0.png"), toPath: folder.path("in/g\(number).png"))
    }
  }

  /// A process that is killed takes no frame along: another makes its part again. The part of g16 to g47 is the fourth.
  @Test func aProcessThatIsKilledIsReplaced() throws {
    try makeLargeFrames(80)
    try folder.shell("safelight process in -o whole --filter clahe --device cpu -q")
    let told = try folder.shell(
      """
      safelight process in -o out --filter clahe --device cpu,cpu --report all.json --progress json & run=$!
      until [ -e out/g17.png ]; do kill -0 $run; sleep 0.005; done
      pkill -KILL -P $run -f -- '--shard 3/5'
      wait $run
      """)
    try folder.shell("diff -r whole out")
    #expect(
      told.errors.contains("ended by signal 9 (SIGKILL)); another device makes its frames again"), "\(told.errors)")
    #expect(try folder.report("all.json").frames.map(\.index) == Array(0..<Self.count + 80))
    // Those that both processes made count once.
    let events = told.errors.split(separator: "\n").count { $0.hasPrefix("{\"event\":\"frame\"") }
    #expect(events == Self.count + 80, "\(told.errors)")
  }

  /// Without --keep-going the others stop too; with it they finish.
  @Test func aFrameThatFailsEndsTheRun() throws {
    try folder.shell(
      "for i in {80..299}; do ln in/f0.png in/f$i.png; done; head -c 60 in/f2.png > cut; mv cut in/f2.png")
    try folder.shell("safelight process in -o out --filter invert --device cpu,cpu --report all.json", code: 65)
      .says("in/f2.png: ", "1 failed")
    #expect(try folder.report("all.json").summary.untouched > 150)
    let kept = try folder.shell("safelight process in -o out --device cpu,cpu --keep-going --report all.json", code: 65)
    #expect(kept.errors.components(separatedBy: "in/f2.png: ").count == 2, "\(kept.errors)")
    #expect(try folder.report("all.json").summary.done == 299)
    // The folder's name may be that of an option.
    try folder.shell("mkdir ./-q; cp in/f0.png ./-q; safelight process -o one --device cpu,cpu -- -q")
    #expect(try folder.names("one") == ["f0.png"])
  }

  /// The processes finish the frames in flight and go; if this one is killed, they go at once.
  @Test(arguments: ["TERM", "KILL"]) func processesEndWithTheRun(_ signal: String) throws {
    try makeLargeFrames(1000)
    let told = try folder.shell(
      """
      safelight process 'in/g%d.png' -o out --filter clahe --device cpu,cpu --in-flight 2 --gaps skip & run=$!
      until [ "$(ls out 2>/dev/null | wc -l)" -ge 4 ]; do sleep 0.005; done
      children=$(pgrep -P $run -x safelight)
      kill -\(signal) $run
      wait $run; code=$?
      for child in $children; do while kill -0 $child 2>/dev/null; do sleep 0.05; done; done
      [ "$(ls out | wc -l)" -lt 1000 ] && exit $code
      """, code: signal == "TERM" ? 75 : 137)
    #expect((signal == "TERM") == told.errors.contains("interrupted: run again"), "\(told.errors)")
    #expect(told.errors.components(separatedBy: "stopping;").count <= 2, "\(told.errors)")
  }

  @Test(arguments: [
    ("-o out.mp4 in", 64), ("-o out --watch in", 64), ("-o - in/f0.png", 64),
    ("-o out in --contact-sheet sheet.png", 64), ("-o out in --verify-with cpu", 64), ("-o out nowhere", 66),
  ])
  func whatOneProcessMakesIsRefused(_ arguments: String, _ code: Int32) throws {
    try folder.shell("safelight process \(arguments) --device cpu,software", code: code)
    #expect(try folder.names() == ["in"])
  }

  @Test func otherCommandsTakeOneDevice() throws {
    try folder.shell("safelight histogram in/f0.png --device all", code: 64).says("only process and equalize")
  }

  /// This machine may have no GPU; then `all` says so, and takes nothing else.
  @Test func allMeansEveryGPU() throws {
    let told = try Tool.run("process", folder.path("in"), "-o", folder.path("out"), "--device", "all")
    #expect(told.code == 0 || told.code == 69 && told.errors.contains("no GPU works"), "\(told.errors)")
    try folder.shell("safelight process in -o out --device all --dry-run").prints("device all")
  }
}
