import Foundation
import Safelight
import TestSupport
import Testing

/// Captures on disk: written on one device, read and replayed on another.
@Suite struct CaptureFolderDeviceTests {
  /// A folder that is gone with the test.
  private final class Scratch {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("safelight-\(UUID().uuidString)").path
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names(_ folder: String = "") throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: "\(path)/\(folder)").sorted()
    }
  }

  /// Captures the chain on a picture with `device`, which runs it with that capture on.
  private func capture(
    _ chain: String, _ image: Image, on device: Device, to folder: CaptureFolder
  ) async throws -> Image {
    let manager = device.captureManager
    let processor = FrameProcessor(device: device, chain: try FilterChain(parsing: chain, device: device))
    let queue = processor.queue
    try manager.startCapture(CaptureDescriptor(captureObject: .commandQueue(queue), destination: folder))
    defer { manager.stopCapture() }
    return try await processor.process(image, label: "one frame")
  }

  @Test(
    arguments: TestDevice.all,
    [
      ("equalize", Channels.rgb, SampleDepth.bits8), ("equalize", .rgba, .bits16),
      ("equalize=channels=luma", .rgb, .bits8), ("equalize=rule=opencv", .rgb, .bits8),
      ("equalize=rule=ffmpeg", .rgb, .bits8), ("equalize=rule=ffmpeg", .gray, .bits8),
      ("equalize,saturation=3,passthrough", .rgb, .bits16), ("equalize", .gray, .bits16),
      ("passthrough", .gray, .bits8),
    ])
  func aChainReplaysOnEveryDevice(_ test: TestDevice, _ work: (String, Channels, SampleDepth)) async throws {
    let device = try test.open()
    let scratch = Scratch()
    let image = SyntheticImage.noise.image(Size(41, 23), channels: work.1, depth: work.2)
    // One capture is under way on a device at a time.
    let own = try test.openAnother()
    defer { own.close() }
    let made = try await capture(work.0, image, on: own, to: CaptureFolder(scratch.path))
    #expect(try scratch.names() == ["0001-one-frame"])
    let paths = try CaptureFolder.captures(at: scratch.path)
    let read = try CaptureFolder.read(try #require(paths.first))
    #expect(read.label == "one frame" && read.deviceName == device.name)
    let others = try [Device.open(.cpu), device] + TestDevice.gles.prefix(1).map { try $0.open() }
    for other in others {
      let outputs = try CaptureReplay(read, device: other, twins: .kernels).run()
      #expect(outputs.count >= 2)
      for output in outputs { #expect(output.difference == nil, "\(output.name) on \(other.name)") }
      let picture = try #require(outputs.last)
      #expect(picture.name == "readback-1" && picture.actual == made.bytes)
    }
  }

  /// What is written is what is read, byte for byte.
  @Test(arguments: TestDevice.all)
  func theFolderHoldsTheWholeCapture(_ test: TestDevice) async throws {
    let collector = CaptureCollector()
    let device = try test.openAnother()
    try device.captureManager.startCapture(CaptureDescriptor(destination: collector))
    let queue = device.makeCommandQueue()
    let formats = PixelFormat.colors.filter { format in
      switch format.sampleKind {
      case .float: device.capabilities.features.contains(.floatRenderTargets)
      case .normalized: format.bytesPerSample == 1 || device.capabilities.features.contains(.normalized16)
      case .integer: true
      case .depth, .stencil: false
      }
    }
    let buffer = queue.makeCommandBuffer(label: "formats")
    let blit = buffer.makeBlitCommandEncoder()
    for (number, format) in formats.enumerated() {
      let texture = try device.makeTexture(Size(5, 3), format, label: format.rawValue)
      // Below 0x7C in every byte: no float is NaN, whose bits a driver may change.
      let pixels = (0..<15 * format.bytesPerPixel).map { UInt8((number * 7 + $0 * 5) % 100) }
      blit.write(pixels, to: texture)
      _ = blit.read(texture)
    }
    blit.endEncoding()
    buffer.commit()
    try await buffer.completed()
    device.close()
    let capture = try #require(collector.captures.first)
    let scratch = Scratch()
    let folder = CaptureFolder(scratch.path)
    try folder.receive(capture)
    try folder.receive(capture)
    #expect(try scratch.names() == ["0001-formats", "0002-formats"])
    #expect(folder.summary.captures == 2 && folder.summary.bytes > 2000)
    let read = try CaptureFolder.read("\(scratch.path)/0001-formats")
    #expect(read.manifest == capture.manifest)
    #expect(read.blobs == capture.blobs)
    #expect(read.texts == capture.texts)
    // Equal captures are equal files.
    let texts = try (1...2).map {
      try String(contentsOfFile: "\(scratch.path)/000\($0)-formats/capture.json", encoding: .utf8)
    }
    #expect(texts[0] == texts[1])
    // A picture has its colors, whatever the order in memory.
    let place = try #require(formats.firstIndex(of: .bgra8Unorm)) + 1
    let picture = try PNGFile(reading: "\(scratch.path)/0001-formats/inputs/upload-\(place).png").image
    let pixels = try #require(capture.blobs["inputs/upload-\(place)"]?.bytes)
    #expect(Array(picture.bytes.suffix(4)) == [58, 57, 56, 59].map { pixels[$0] })
    let pictures = try scratch.names("0001-formats/inputs").filter { $0.hasSuffix(".png") }
    #expect(pictures.count == formats.count { [1, 4].contains($0.samplesPerPixel) && $0.sampleKind != .float } - 1)
  }

  @Test func optionsBoundWhatIsCaptured() async throws {
    let scratch = Scratch()
    var options = CaptureFolder.Options()
    options.labels = "frame *"
    options.first = 2
    let folder = CaptureFolder(scratch.path, options: options)
    #expect(["frame 1", "other", "frame 2", "frame 3"].map { folder.wants($0) } == [true, false, true, false])
    options = CaptureFolder.Options()
    options.byteLimit = 100
    let small = CaptureFolder(scratch.path, options: options)
    let image = SyntheticImage.noise.image(Size(9, 9), channels: .rgb, depth: .bits8)
    let device = try Device.open(.cpu)
    let refused = await #expect(throws: SafelightError.self) {
      _ = try await capture("passthrough", image, on: device, to: small)
    }
    #expect(refused?.kind == .limit && refused?.why.contains("the limit is 100") == true)
    #expect(small.summary.captures == 0)
    // Room for one of them, not for two: the second is left out, and counted.
    options.byteLimit = 5000
    let full = CaptureFolder(scratch.path, options: options)
    for _ in 0..<2 { _ = try await capture("passthrough", image, on: device, to: full) }
    #expect(full.summary.captures == 1 && full.summary.leftOut == 1)
    #expect(try scratch.names() == ["0001-one-frame"])
  }

  /// Every damage names the file.
  @Test(arguments: [
    "missing picture", "other pixels", "other size", "no PNG", "missing document", "no JSON", "cut JSON",
    "other version",
    "missing member", "wrong kind", "missing text", "way out", "huge picture",
  ])
  func damageNamesTheFile(_ damage: String) async throws {
    let scratch = Scratch()
    let image = SyntheticImage.noise.image(Size(9, 7), channels: .rgb, depth: .bits8)
    _ = try await capture("equalize", image, on: try Device.open(.cpu), to: CaptureFolder(scratch.path))
    let folder = "\(scratch.path)/0001-one-frame"
    let document = "\(folder)/capture.json"
    let picture = "\(folder)/inputs/upload-1.png"
    #expect(throws: Never.self) { try CaptureFolder.read(folder) }
    var named = document
    func edit(_ find: String, _ replacement: String) throws {
      let text = try String(contentsOfFile: document, encoding: .utf8)
      try #require(text.contains(find))
      try text.replacingOccurrences(of: find, with: replacement).write(
        toFile: document, atomically: true, encoding: .utf8)
    }
    switch damage {
    case "missing picture":
      try FileManager.default.removeItem(atPath: picture)
      named = picture
    case "other pixels", "other size":
      let other = SyntheticImage.ramp.image(Size(9, damage == "other size" ? 8 : 7), channels: .rgba, depth: .bits8)
      try PNGFile(image: other).write(to: picture)
      named = picture
    case "no PNG":
      try Data([1, 2, 3]).write(to: URL(fileURLWithPath: picture))
      named = picture
    case "missing document": try FileManager.default.removeItem(atPath: document)
    case "no JSON": try "light".write(toFile: document, atomically: true, encoding: .utf8)
    case "cut JSON":
      let text = try String(contentsOfFile: document, encoding: .utf8)
      try String(text.prefix(text.count / 2)).write(toFile: document, atomically: true, encoding: .utf8)
    case "other version": try edit("\"version\" : 1", "\"version\" : 2")
    case "missing member": try edit("\"commands\"", "\"orders\"")
    case "wrong kind": try edit("\"length\" : ", "\"length\" : true, \"was\" : ")
    case "missing text":
      let name = try #require(scratch.names("0001-one-frame/functions").first)
      try FileManager.default.removeItem(atPath: "\(folder)/functions/\(name)")
      named = "\(folder)/functions/\(name)"
    case "huge picture": try edit("\"height\" : 7", "\"height\" : 9223372036854775807")
    default: try edit("inputs/upload-1.png", "../../upload-1.png")
    }
    let error = #expect(throws: SafelightError.self) { try CaptureFolder.read(folder) }
    if damage != "huge picture" { #expect(error?.what.hasPrefix(named) == true, "\(String(describing: error))") }
    #expect(error?.kind == (damage.hasPrefix("missing") && damage != "missing member" ? .missingInput : .input))
  }

  /// Files are not read before their sizes are known to be what they should.
  @Test func whatIsTooLargeIsRefused() async throws {
    let scratch = Scratch()
    let image = SyntheticImage.noise.image(Size(9, 7), channels: .rgb, depth: .bits8)
    _ = try await capture("equalize", image, on: try Device.open(.cpu), to: CaptureFolder(scratch.path))
    let folder = "\(scratch.path)/0001-one-frame"
    let sound = try CaptureFolder.read(folder)
    #expect(throws: Never.self) { try CaptureFolder.read(folder, byteLimit: sound.byteCount) }
    func refusal(_ limit: Int) -> SafelightError? {
      #expect(throws: SafelightError.self) { try CaptureFolder.read(folder, byteLimit: limit) }
    }
    let files = sound.blobs.values.reduce(0) { $0 + $1.bytes.count }
    #expect(
      refusal(files - 1)?.description.contains("the capture holds \(files) bytes; the limit is \(files - 1)") == true)
    #expect(refusal(sound.byteCount - 1)?.kind == .limit, "texts count")
    let name = try #require(sound.blobs.first { $0.value.size == nil }?.key)
    let path = "\(folder)/\(name).bin"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 1 << 40)
    let sparse = refusal(1 << 32)
    #expect(sparse?.kind == .input && sparse?.what == path)
    try handle.truncate(atOffset: 4)
    #expect(refusal(1 << 32)?.why.hasPrefix("it holds 4 bytes") == true)
  }

  @Test func aFolderWithoutCapturesIsMissingInput() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch.path, withIntermediateDirectories: true)
    let error = #expect(throws: SafelightError.self) { try CaptureFolder.captures(at: scratch.path) }
    #expect(error?.kind == .missingInput)
  }
}
