import Foundation
import Safelight
import SafelightShaders
import Synchronization
import TestSupport
import Testing

/// Films through `equalize=smooth=…`.
@Suite struct TemporalEqualizationDeviceTests {
  private let scratch = TemporaryFolder()

  /// A still background of noise, before which a bright square moves; other scenes are brighter.
  static func picture(_ number: Int, scene: Int = 0, depth: SampleDepth = .bits8) -> Image {
    let size = Size(64, 48)
    var image = SyntheticImage.noise.image(size, channels: .rgb, depth: depth)
    let maximum = image.pixelFormat.maximum
    for y in 0..<size.height {
      for x in 0..<size.width {
        let isObject = (number * 3..<number * 3 + 6).contains(x) && (20..<26).contains(y)
        for sample in 0..<3 {
          let value = image[x: x, y: y, sample: sample]
          image[x: x, y: y, sample: sample] = isObject ? maximum : value / 6 + scene * maximum / 2
        }
      }
    }
    return image
  }

  private func process(_ images: [Image], _ filter: String, _ device: Device) async throws -> [Image] {
    let processor = try FrameProcessor(filter, on: device, verifying: Device.open(.cpu))
    let submissions = try images.enumerated().map { try processor.submit($1, label: "frame \($0)") }
    var results: [Image] = []
    for submission in submissions { results.append(try await submission.image()) }
    return results
  }

  /// The greatest step of a background sample from one picture to the next.
  private func flicker(_ images: [Image]) -> Int {
    zip(images, images.dropFirst()).map { before, after in
      (0..<48).filter { !(20..<26).contains($0) }.map { y in
        (0..<64).map { abs(before[x: $0, y: y, sample: 1] - after[x: $0, y: y, sample: 1]) }.max() ?? 0
      }.max() ?? 0
    }.max() ?? 0
  }

  @Test(arguments: TestDevice.all)
  func aStillBackgroundDoesNotFlicker(_ test: TestDevice) async throws {
    let device = try test.open()
    // The object comes into the picture: that is what changes the histogram.
    let images = (-2..<10).map { Self.picture($0) }
    let before = flicker(try await process(images, "equalize", device))
    let after = flicker(Array(try await process(images, "equalize=smooth=8", device)))
    // Not more than the share of one picture in the sum.
    #expect(before >= 2 && after <= 1, "\(before) before, \(after) after")
    let still = try await process([Image](repeating: images[5], count: 6), "equalize=smooth=4", device)
    #expect(flicker(still) == 0 && Set(still).count == 1)
  }

  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func aCutBeginsAnew(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let device = try test.open()
    let first = (0..<3).map { Self.picture($0, depth: depth) }
    let second = (3..<6).map { Self.picture($0, scene: 1, depth: depth) }
    let both = try await process(first + second, "equalize=smooth=9", device)
    let alone = try await process(second, "equalize=smooth=9", device)
    #expect(Array(both[3...]) == alone)
    let blind = try await process(first + second, "equalize=smooth=9:cut=1", device)
    #expect(Array(blind[3...]) != alone)
  }

  /// Samples of another meaning are samples of the same scene.
  @Test(arguments: TestDevice.all)
  func otherTagsDoNotBeginAnew(_ test: TestDevice) async throws {
    let device = try test.open()
    let images = (0..<6).map { Self.picture($0) }
    var tagged = images
    tagged[2].color = ColorDescription(matrix: .identity, range: .full, transfer: .sRGB, primaries: .bt709)
    let (plain, made) = (
      try await process(images, "equalize=smooth=4:cut=1", device),
      try await process(tagged, "equalize=smooth=4:cut=1", device)
    )
    #expect(made.map(\.bytes) == plain.map(\.bytes))
  }

  /// Frames of another size or depth begin anew, and so does what was like them before.
  @Test(arguments: TestDevice.all)
  func otherSizesAndDepthsBeginAnew(_ test: TestDevice) async throws {
    let device = try test.open()
    let images = (0..<3).map { Self.picture($0) }
    let small = SyntheticImage.ramp.image(Size(9, 9), channels: .rgb, depth: .bits8)
    let alone = try await process(images, "equalize=smooth=9", device)
    for other in [small, Self.picture(1, depth: .bits16)] {
      let mixed = try await process(images + [other] + images, "equalize=smooth=9", device)
      #expect(Array(mixed[..<3]) == alone && Array(mixed[4...]) == alone)
    }
  }

  /// Several files, taken through in parts, by selections and over outputs that are there: each as in the whole.
  @Test(arguments: TestDevice.all)
  func partsAreAsInTheWhole(_ test: TestDevice) async throws {
    let film = try TemporaryVideo((0..<14).map { Self.picture($0, scene: $0 < 6 ? 0 : 1) }, in: scratch)
    let device = try test.open()
    for filter in ["equalize=smooth=4", "equalize=smooth=3,saturation=1.5,equalize=smooth=3:channels=luma"] {
      let whole = try await film.run(filter, Array(0..<14), device)
      #expect(Set(whole.values).count == 14)
      for part in [Array(0..<5), Array(5..<9), Array(9..<14), [2, 3, 7, 13], [13], [1, 12]] {
        let made = try await film.run(filter, part, device)
        #expect(made.count == part.count)
        for (name, image) in made { #expect(image == whole[name], "\(name) of \(part), \(filter)") }
      }
      let skipped = try await film.run(filter, Array(0..<14), device, there: [0, 1, 2, 5, 8, 9, 10])
      #expect(skipped.count == 14)
      for number in [3, 4, 6, 7, 11, 12, 13] {
        #expect(
          skipped[TemporaryVideo.name(number)] == whole[TemporaryVideo.name(number)], "\(number) with others there")
      }
    }
  }

  /// A frame that cannot be read ends what later ones depend on, wherever a run begins.
  @Test(arguments: TestDevice.all)
  func anUnreadableFrameBeginsAnew(_ test: TestDevice) async throws {
    let film = try TemporaryVideo((0..<9).map { Self.picture($0) }, in: scratch)
    try scratch.write("none", to: "in/\(TemporaryVideo.name(4))")
    let device = try test.open()
    let whole = try await film.run("equalize=smooth=4", Array(0..<9), device, keepsGoing: true)
    #expect(whole.count == 8)
    let part = try await film.run("equalize=smooth=4", [6, 7, 8], device)
    for (name, image) in part { #expect(image == whole[name], "\(name)") }
    let ledger = try await film.ledger("equalize=smooth=4", [5, 7, 8], device)
    #expect(ledger.errors.isEmpty)
    #expect(ledger.entries.map(\.warnings.count) == [1, 1, 0])
    #expect(ledger.entries[0].warnings[0].contains(TemporaryVideo.name(4)))
  }

  /// A frame that is only remembered stops the run if it fails, like one that is written.
  @Test(arguments: TestDevice.all)
  func aRememberedFrameThatFailsIsALineOfTheLedger(_ test: TestDevice) async throws {
    let film = try TemporaryVideo((0..<8).map { Self.picture($0) }, in: scratch)
    let device = try test.open()
    let twin = try Device.open(.cpu)
    twin.close()
    let stopped = try await film.ledger("equalize=smooth=4", [6, 7], device, twin: twin)
    #expect(stopped.entries.map(\.frame.index) == [3, 6, 7])
    #expect(stopped.entries.map(\.status) == [.failed, .untouched, .untouched])
    #expect(stopped.entries[0].output == nil && stopped.errors.count == 1)
    let whole = try await film.ledger("equalize=smooth=4", [6, 7], device, twin: twin, keepsGoing: true)
    #expect(whole.entries.map(\.frame.index) == [3, 4, 5, 6, 7])
    #expect(whole.entries.allSatisfy { $0.status == .failed && $0.error != nil })
    #expect(whole.entries[3].warnings.count == 3)
  }

  /// The counts of a frame at which the device failed are discarded, and frames without them have a warning.
  @Test(arguments: TestDevice.all, [1, 5])
  func aFailureOfTheDeviceBeginsAnew(_ test: TestDevice, _ inFlight: Int) async throws {
    let film = try TemporaryVideo((0..<9).map { Self.picture($0) }, in: scratch)
    let device = try test.open()
    for first in [0, 3] {
      let filter = CopyStage(history: 2, failsAt: 2 - max(0, first - 2)) { buffer, _ in buffer.dispatchOnce(broken) }
      let ledger = try await film.ledger(
        "", Array(first..<9), device, keepsGoing: true, inFlight: inFlight, filters: [filter])
      // Frame 2, which is remembered where the run begins at 3.
      #expect(ledger.entries.map(\.frame.index) == Array(min(first, 2)..<9))
      #expect(ledger.entries.filter { $0.status == .failed }.map(\.frame.index) == [2])
      // Once before the run.
      #expect(filter.resets.withLock { $0 } == 2)
      let warned = ledger.entries.filter { !$0.warnings.isEmpty }.map(\.frame.index)
      // Frames on the way when it failed lack it too.
      #expect(warned == Array(3..<3 + warned.count) && (2..<2 + inFlight).contains(warned.count), "\(warned)")
    }
  }
}

/// A function that no device can run.
private let broken = ShaderFunction(
  name: "broken", assembly: ShaderAssembly(texts: ["nonsense"]), arguments: [],
  twin: ShaderTwin { (_: TwinArguments) in
    throw SafelightError(.driver, "broken", why: "on purpose", remedy: "none")
  })

/// A film as PNG files, and the outputs of runs over it.
private struct TemporaryVideo {
  private let scratch: TemporaryFolder
  private let frames: [Frame]

  init(_ images: [Image], in scratch: TemporaryFolder) throws {
    self.scratch = scratch
    for (number, image) in images.enumerated() { try scratch.write(image, to: "in/\(Self.name(number))") }
    frames = try FrameList([scratch.path("in")]).frames
  }

  static func name(_ number: Int) -> String { "\(100 + number).png" }

  /// Returns the ledger of a run over `chosen` frames into `output`, a new folder.
  func ledger(
    _ filter: String, _ chosen: [Int], _ device: Device, twin: Device? = nil, keepsGoing: Bool = false,
    inFlight: Int? = 1, filters: [any ImageStage] = [], to output: String = UUID().uuidString,
    existing: FramePipeline.Existing = .overwrite
  ) async throws -> FrameLedger {
    var chain = filter.isEmpty ? try FilterChain([], device: device) : try FilterChain(parsing: filter, device: device)
    if !filters.isEmpty { chain.filters = filters }
    let folder = try scratch.make(output)
    var options = FramePipeline.Options(jobs: 2, inFlight: inFlight)
    options.existing = existing
    options.keepsGoing = keepsGoing
    return try await FramePipeline(FrameProcessor(device: device, chain: chain, verifying: twin), options: options)
      .run(chosen.map { (frames[$0], .file("\(folder)/\(Self.name($0))")) }, of: frames)
  }

  /// Returns the pictures that a run over `chosen` frames writes, verified against the twins; outputs of `there` exist
  /// before.
  func run(
    _ filter: String, _ chosen: [Int], _ device: Device, there: [Int] = [], keepsGoing: Bool = false
  ) async throws -> [String: Image] {
    let output = UUID().uuidString
    try scratch.make(output)
    for number in there {
      try scratch.copy(scratch.path("in/\(Self.name(0))"), to: "\(output)/\(Self.name(number))")
    }
    let ledger = try await ledger(
      filter, chosen, device, twin: Device.open(.cpu), keepsGoing: keepsGoing, inFlight: nil, to: output,
      existing: there.isEmpty ? .overwrite : .skip)
    #expect(ledger.entries.map(\.frame.index) == chosen)
    if !keepsGoing { #expect(ledger.errors.isEmpty, "\(ledger.errors)") }
    return try Dictionary(
      uniqueKeysWithValues: scratch.names(output).map { ($0, try scratch.image("\(output)/\($0)")) })
  }
}
