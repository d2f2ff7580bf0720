import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite struct Y4MWriterTests {
  private let folder = TemporaryFolder()
  private let gray = PaintedFrames.format(.gray8, Size(2, 2))

  private static let layouts = PixelLayout.allCases.filter { $0.yCbCr?.isBiPlanar == false } + [.gray8, .gray16]

  @Test(arguments: layouts, [Size(1, 1), Size(7, 5), Size(16, 8)])
  func framesArePreserved(_ layout: PixelLayout, _ size: Size) async throws {
    let color = ColorDescription(
      matrix: layout.isYCbCr ? .unspecified : .identity, range: .limited,
      siting: layout == .yCbCr420Planar8 ? .topLeft : .unspecified)
    let format = PaintedFrames.format(layout, size, color: color, pixelAspect: PixelAspect(10, 11))
    let frames = PaintedFrames.frames(format, count: 3)
    try await Y4MWriter(.file(folder("a.y4m")), format: format).write(frames)
    let source = try await Y4MSource(.file(folder("a.y4m")))
    #expect(source.format == format)
    let read = try await source.collected()
    #expect(read.map(\.planes) == frames.map(\.planes))
    #expect(read.map(\.presentationTime) == frames.map(\.presentationTime))
    #expect(try folder.names() == ["a.y4m"])
  }

  @Test(arguments: [9, 10, 12, 14], [ColorRange.full, .limited])
  func grayOfFewerBitsIsPreserved(_ bits: Int, _ range: ColorRange) async throws {
    let format = PaintedFrames.format(.gray16, Size(65, 33), color: ColorDescription(matrix: .identity, range: range))
    let frames = PaintedFrames.frames(format, count: 1, grayBits: range == .full ? bits : 16)
    try await Y4MWriter(.file(folder("a.y4m")), format: format, grayBits: bits).write(frames)
    let source = try await Y4MSource(.file(folder("a.y4m")))
    #expect(source.sampleBits == bits)
    let read = try await source.collected()
    if range == .full { #expect(read.map(\.planes) == frames.map(\.planes)) }
    try await Y4MWriter(.file(folder("b.y4m")), format: source.format, grayBits: bits).write(read)
    #expect(try folder.read("a.y4m") == folder.read("b.y4m"))
  }

  @Test func rowsWithPaddingArePacked() async throws {
    let plane = PixelPlane(size: Size(2, 2), pixelFormat: .r8Unorm, bytesPerRow: 3, bytes: [1, 2, 9, 3, 4])
    let frame = VideoFrame(index: 0, size: Size(2, 2), layout: .gray8, planes: [plane], presentationTime: .zero)
    try await Y4MWriter(.file(folder("a.y4m")), format: gray).write([frame])
    #expect(try folder.read("a.y4m").suffix(10) == Array("FRAME\n".utf8) + [1, 2, 3, 4])
  }

  @Test func framesOfOtherFormatsAreRefused() async throws {
    let format = PaintedFrames.format(.yCbCr420Planar8, Size(6, 4))
    let writer = try Y4MWriter(.file(folder("a.y4m")), format: format)
    try await writer.write(PaintedFrames.frame(0, format, at: .zero))
    let larger = PaintedFrames.format(.yCbCr420Planar8, Size(8, 4))
    await expectError(.input, mentioning: "frame 2", "8×4", "began with 6×4") {
      try await writer.write(PaintedFrames.frame(1, larger, at: .zero))
    }
    let other = PaintedFrames.format(.yCbCr444Planar8, Size(6, 4))
    await expectError(.input, mentioning: "frame 3", "of 8 bits in 4:4:4", "began with") {
      try await writer.write(PaintedFrames.frame(2, other, at: .zero))
    }
    await writer.abandon()
    #expect(try folder.names() == [])
  }

  @Test func unsupportedFormatsAreRefused() throws {
    for layout in [PixelLayout.rgba8, .yCbCr420BiPlanar8, .bgra8] {
      expectError(.unsupported, mentioning: "Y4M has no \(layout.words)") {
        _ = try Y4MWriter(.file(folder("a.y4m")), format: PaintedFrames.format(layout, Size(2, 2)))
      }
    }
    expectError(.unsupported, mentioning: "how long these frames last is unknown") {
      _ = try Y4MWriter(.file(folder("a.y4m")), format: PaintedFrames.format(.gray8, Size(2, 2), duration: nil))
    }
    expectError(.output, mentioning: "/no/such/a.y4m") { _ = try Y4MWriter(.file("/no/such/a.y4m"), format: gray) }
    #expect(try folder.names() == [])
  }

  @Test func deallocatingLeavesNothing() async throws {
    do {
      let writer = try Y4MWriter(.file(folder("a.y4m")), format: gray)
      try await writer.write(PaintedFrames.frame(0, gray, at: .zero))
    }
    #expect(try folder.names() == [])
  }

  // MARK: Pipes

  @Test func pipesTakeTheSameBytes() async throws {
    let format = PaintedFrames.format(.yCbCr422Planar10, Size(300, 200))
    let frames = PaintedFrames.frames(format, count: 3)
    try await Y4MWriter(.file(folder("a.y4m")), format: format).write(frames)
    let pipe = Pipe()
    let reading = Task.detached { try pipe.fileHandleForReading.readToEnd() }
    let end = pipe.fileHandleForWriting
    try await Y4MWriter(.descriptor(end.fileDescriptor, name: "the pipe"), format: format).write(frames)
    try end.close()
    #expect(try await reading.value.map { Array($0) } == folder.read("a.y4m"))
  }

  /// No signal ends the process either. Programs that other tests start meanwhile may keep the pipe open for a while.
  @Test func closedPipesAreErrors() async throws {
    let pipe = Pipe()
    try pipe.fileHandleForReading.close()
    let writer = try Y4MWriter(.descriptor(pipe.fileHandleForWriting.fileDescriptor, name: "the pipe"), format: gray)
    await expectError(.transfer, mentioning: "the pipe", "Broken pipe", "the program that reads it") {
      for _ in 0..<1000 {
        try await writer.write(PaintedFrames.frame(0, gray, at: .zero))
        try await Task.sleep(for: .milliseconds(10))
      }
    }
  }

  @Test func fullDisksAreErrors() async throws {
    let writer = try Y4MWriter(.file("/dev/full"), format: gray)
    await expectError(.transfer, mentioning: "/dev/full", "No space left", "make room") {
      try await writer.write(PaintedFrames.frame(0, gray, at: .zero))
    }
  }
}
