import Foundation
import Safelight
import TestSupport
import Testing

/// Captures on disk: written on one device, read and replayed on another.
@Suite struct CaptureFolderDeviceTests {
  private let scratch = TemporaryFolder()

  /// Captures the chain on a picture with `device`, which runs it with that capture on, in the suite's folder.
  @discardableResult private func capture(
    _ chain: String, _ image: Image, on device: Device, to folder: (any CaptureSink)? = nil
  ) async throws -> Image {
    let processor = try FrameProcessor(chain, on: device)
    try device.captureManager.startCapture(
      CaptureDescriptor(
        captureObject: .commandQueue(processor.queue), destination: folder ?? CaptureFolder(scratch.path)))
    defer { device.captureManager.stopCapture() }
    return try await processor.process(image, label: "one frame")
  }

  /// Captures the equalization of a small picture; returns the capture's folder.
  private func captureSmall() async throws -> String {
    let image = SyntheticImage.noise.image(Size(9, 7), channels: .rgb, depth: .bits8)
    try await capture("equalize", image, on: try Device.open(.cpu))
    return "\(scratch.path)/0001-one-frame"
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
    let image = SyntheticImage.noise.image(Size(41, 23), channels: work.1, depth: work.2)
    // One capture is under way on a device at a time.
    let own = try test.openAnother()
    defer { own.close() }
    let made = try await capture(work.0, image, on: own)
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
    let formats = PixelFormat.colors.filter(device.canRead)
    let buffer = device.makeCommandQueue().makeCommandBuffer(label: "formats")
    try buffer.blit { blit in
      for (number, format) in formats.enumerated() {
        let texture = try device.makeTexture(Size(5, 3), format, label: format.rawValue)
        // Below 0x7C in every byte: no float is NaN, whose bits a driver may change.
        let pixels = (0..<15 * format.bytesPerPixel).map { UInt8((number * 7 + $0 * 5) % 100) }
        blit.write(pixels, to: texture)
        _ = blit.read(texture)
      }
    }
    buffer.commit()
    try await buffer.completed()
    device.close()
    let capture = try #require(collector.captures.first)
    let folder = CaptureFolder(scratch.path)
    try folder.receive(capture)
    try folder.receive(capture)
    #expect(try scratch.names() == ["0001-formats", "0002-formats"])
    #expect(folder.summary.captures == 2 && folder.summary.bytes > 2000)
    let read = try CaptureFolder.read("\(scratch.path)/0001-formats")
    #expect(read.manifest == capture.manifest && read.blobs == capture.blobs && read.texts == capture.texts)
    // Equal captures are equal files.
    let documents = (1...2).map { "\(scratch.path)/000\($0)-formats/capture.json" }
    #expect(FileManager.default.contentsEqual(atPath: documents[0], andPath: documents[1]))
    // A picture has its colors, whatever the order in memory.
    let place = try #require(formats.firstIndex(of: .bgra8Unorm)) + 1
    let picture = try PNGFile(reading: "\(scratch.path)/0001-formats/inputs/upload-\(place).png").image
    let pixels = try #require(capture.blobs["inputs/upload-\(place)"]?.bytes)
    #expect(Array(picture.bytes.suffix(4)) == [58, 57, 56, 59].map { pixels[$0] })
    let pictures = try scratch.names("0001-formats/inputs").filter { $0.hasSuffix(".png") }
    let shown = formats.filter {
      [1, 4].contains($0.samplesPerPixel) && $0.sampleKind != .float && $0.maximum <= 65535
    }
    #expect(pictures.count == shown.count)
  }

  @Test func optionsBoundWhatIsCaptured() async throws {
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
      try await capture("passthrough", image, on: device, to: small)
    }
    #expect(refused?.kind == .limit && refused?.why.contains("the limit is 100") == true)
    #expect(small.summary.captures == 0)
    // Room for one of them, not for two: the second is left out, and counted.
    let collector = CaptureCollector()
    try await capture("passthrough", image, on: device, to: collector)
    options.byteLimit = try #require(collector.captures.first).byteCount * 3 / 2
    let full = CaptureFolder(scratch.path, options: options)
    for _ in 0..<2 { try await capture("passthrough", image, on: device, to: full) }
    #expect(full.summary.captures == 1 && full.summary.leftOut == 1)
    #expect(try scratch.names() == ["0001-one-frame"])
  }

  /// Every damage names the file.
  @Test(arguments: [
    "missing picture", "other pixels", "other size", "no PNG", "missing document", "no JSON", "cut JSON",
    "other version", "missing member", "wrong kind", "missing text", "way out", "huge picture",
  ])
  func damageNamesTheFile(_ damage: String) async throws {
    let folder = try await captureSmall()
    let document = "0001-one-frame/capture.json"
    let picture = "0001-one-frame/inputs/upload-1.png"
    #expect(throws: Never.self) { try CaptureFolder.read(folder) }
    var named = document
    func replace(_ name: String, _ text: String) throws {
      named = name
      try scratch.write(text, to: name)
    }
    func remove(_ name: String) throws {
      named = name
      try scratch.remove(name)
    }
    let text = try scratch.text(document)
    func edit(_ find: String, _ replacement: String) throws {
      try #require(text.contains(find))
      try replace(document, text.replacingOccurrences(of: find, with: replacement))
    }
    switch damage {
    case "missing picture": try remove(picture)
    case "other pixels", "other size":
      let other = SyntheticImage.ramp.image(Size(9, damage == "other size" ? 8 : 7), channels: .rgba, depth: .bits8)
      try scratch.write(other, to: picture)
      named = picture
    case "no PNG": try replace(picture, "\u{1}\u{2}\u{3}")
    case "missing document": try remove(document)
    case "no JSON": try replace(document, "light")
    case "cut JSON": try replace(document, String(text.prefix(text.count / 2)))
    case "other version": try edit("\"version\" : 1", "\"version\" : 2")
    case "missing member": try edit("\"commands\"", "\"orders\"")
    case "wrong kind": try edit("\"length\" : ", "\"length\" : true, \"was\" : ")
    case "missing text":
      try remove("0001-one-frame/functions/\(#require(scratch.names("0001-one-frame/functions").first))")
    case "huge picture": try edit("\"height\" : 7", "\"height\" : 9223372036854775807")
    default: try edit("inputs/upload-1.png", "../../upload-1.png")
    }
    let isMissing = damage.hasPrefix("missing") && damage != "missing member"
    let what: Wording? = damage == "huge picture" ? nil : .beginning(scratch.path(named))
    expectError(isMissing ? .missingInput : .input, what: what) { try CaptureFolder.read(folder) }
  }

  /// Files are not read before their sizes are known to be what they should.
  @Test func whatIsTooLargeIsRefused() async throws {
    let folder = try await captureSmall()
    let sound = try CaptureFolder.read(folder)
    #expect(throws: Never.self) { try CaptureFolder.read(folder, byteLimit: sound.byteCount) }
    func expectRefusal(_ limit: Int, _ kind: SafelightError.Kind, what: Wording? = nil, why: Wording? = nil) {
      expectError(kind, what: what, why: why) { try CaptureFolder.read(folder, byteLimit: limit) }
    }
    let files = sound.blobs.values.reduce(0) { $0 + $1.bytes.count }
    expectRefusal(files - 1, .limit, why: "the capture holds \(files) bytes; the limit is \(files - 1)")
    // Texts count.
    expectRefusal(sound.byteCount - 1, .limit)
    let name = try #require(sound.blobs.first { $0.value.size == nil }?.key)
    let path = "\(folder)/\(name).bin"
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.truncate(atOffset: 1 << 40)
    expectRefusal(1 << 32, .input, what: .whole(path))
    try handle.truncate(atOffset: 4)
    expectRefusal(1 << 32, .input, why: .beginning("it holds 4 bytes"))
  }

  @Test func aFolderWithoutCapturesIsMissingInput() throws {
    expectError(.missingInput) { try CaptureFolder.captures(at: scratch.path) }
  }
}
