import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite("Reading files") struct ReadFileTests {
  let folder = TemporaryFolder()

  @Test("all bytes, whatever the size", arguments: [0, 1, 65535, 65536, 65537, 1_000_003])
  func contents(count: Int) throws {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try readFile(folder.write("a", bytes)) == bytes)
  }

  @Test("a limit is kept, and reached") func limit() throws {
    let path = try folder.write("a", [1, 2, 3, 4])
    #expect(try readFile(path, limit: 4) == [1, 2, 3, 4])
    expectError(.input, mentioning: path, "3 bytes") { _ = try readFile(path, limit: 3) }
    expectError(.input, mentioning: "/dev/zero", "100000") { _ = try readFile("/dev/zero", limit: 100_000) }
  }

  @Test("files that grow while they are read, such as those of /proc, are read to their end")
  func unknownSize() throws { #expect(try readFile("/proc/self/stat").isEmpty == false) }

  @Test("a pipe is read to its end, in as many parts as it takes") func pipes() throws {
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    let pipe = Pipe()
    Thread.detachNewThread {
      do {
        try pipe.fileHandleForWriting.write(contentsOf: Data(bytes))
        try pipe.fileHandleForWriting.close()
      } catch {
        print("the pipe was not filled: \(error)")
      }
    }
    #expect(try readFile("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)") == bytes)
  }

  @Test("errors say why a file cannot be opened") func refusals() throws {
    expectError(.missingInput, mentioning: folder("b.png"), "No such file") { _ = try readFile(folder("b.png")) }
    expectError(.missingInput, mentioning: folder.path, "directory") { _ = try readFile(folder.path) }
    // Reading /proc/self/mem from its beginning fails halfway, as a broken disk does.
    expectError(.transfer, mentioning: "/proc/self/mem", "Input/output error") { _ = try readFile("/proc/self/mem") }
  }

  @Test("a PNG file on disk: written, read, and read errors that name it") func pictures() throws {
    let png = HandmadePNG(width: 5, height: 4, colorType: 6, bitDepth: 16)
    var file = try PNGFile(reading: folder.write("a.png", png.bytes))
    #expect(file.image == png.expected)
    file.metadata.chunks = [PNGChunk(type: "tEXt", data: Array("Title\0t".utf8))]
    try file.write(to: folder("b.png"))
    #expect(try PNGFile(reading: folder("b.png")) == file)
    #expect(try folder.names() == ["a.png", "b.png"])

    let path = try folder.write("c.png", Array(png.bytes.dropLast(20)))
    expectError(.input, mentioning: path, "truncated") { _ = try PNGFile(reading: path) }
    expectError(.missingInput, mentioning: "d.png") { _ = try PNGFile(reading: folder("d.png")) }
    expectError(.output, mentioning: "no/b.png") { try file.write(to: folder("no/b.png")) }
  }
}
