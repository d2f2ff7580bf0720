import Foundation
import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Files appear whole or not at all")
struct AtomicFileTests {
  let folder: TemporaryFolder

  init() throws { self.folder = try TemporaryFolder() }

  @Test("the target is untouched until the end, then replaced; nothing else is left")
  func replacement() throws {
    let path = try folder.write("a.png", [1, 2, 3])
    let file = try AtomicFile(path: path)
    try file.write([4, 5])
    try file.write([])
    try file.write([6])
    #expect(try folder.read("a.png") == [1, 2, 3])
    let names = try folder.names()
    #expect(names.count == 2 && names[0].hasPrefix(".a.png.") && names[0].hasSuffix(".\(getpid()).part"))
    try file.commit()
    #expect(try folder.read("a.png") == [4, 5, 6])
    #expect(try folder.names() == ["a.png"])
  }

  @Test("a file that is given up leaves nothing, and the target as it was")
  func abandoned() throws {
    let path = try folder.write("a.png", [1])
    do {
      let file = try AtomicFile(path: path)
      try file.write([2])
    }
    #expect(try folder.read("a.png") == [1])
    #expect(try folder.names() == ["a.png"])
  }

  /// The part file is exchanged for /dev/full under way, whose every write fails for want of room.
  @Test("a full disk is a failed transfer; the part goes and the target stays")
  func fullDisk() throws {
    let path = try folder.write("a.png", [1])
    expectError(.transfer, mentioning: path, "No space left on device", "make room") {
      let file = try AtomicFile(path: path)
      let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
      #expect(full >= 0)
      #expect(dup2(full, file.descriptor) == file.descriptor)
      close(full)
      try file.write([UInt8](repeating: 2, count: 100_000))
      try file.commit()
    }
    #expect(try folder.names() == ["a.png"])
    #expect(try folder.read("a.png") == [1])
  }

  @Test("two writers of one file do not meet; the last to finish stays")
  func twoWriters() throws {
    let first = try AtomicFile(path: folder("a.png"))
    let second = try AtomicFile(path: folder("a.png"))
    #expect(try folder.names().count == 2)
    try first.write([1])
    try second.write([2])
    try first.commit()
    #expect(try folder.read("a.png") == [1])
    try second.commit()
    #expect(try folder.read("a.png") == [2])
    #expect(try folder.names() == ["a.png"])
  }

  @Test("what cannot be created says why")
  func refusals() throws {
    let path = folder("missing/a.png")
    expectError(.output, mentioning: path, "No such file or directory", "folder") { _ = try AtomicFile(path: path) }
    expectError(.output, mentioning: folder.path, "directory") { _ = try AtomicFile(path: folder.path) }
    expectError(.output, mentioning: "/dev/null", "device") { _ = try AtomicFile(path: "/dev/null") }
    try folder.write("plain")
    expectError(.output, mentioning: "Not a directory") { _ = try AtomicFile(path: folder("plain/a.png")) }
    expectError(.output, mentioning: "File name too long") {
      let file = try AtomicFile(path: folder(String(repeating: "n", count: 256)))
      try file.commit()
    }
    #expect(try folder.names() == ["plain"])
  }

  @Test("the longest name that a file may have")
  func longName() throws {
    for name in [String(repeating: "n", count: 251) + ".png", String(repeating: "ü", count: 125) + ".png"] {
      let file = try AtomicFile(path: folder(name))
      try file.write([1])
      try file.commit()
      #expect(try folder.read(name) == [1])
    }
  }

  @Test("a folder that takes the target's place meanwhile is an error, and nothing is left")
  func lateFailure() throws {
    expectError(.output, mentioning: "cannot be created") {
      let file = try AtomicFile(path: folder("a.png"))
      try folder.write("a.png/occupied")
      try file.commit()
    }
    #expect(try folder.names() == ["a.png"])
  }

  @Test("a symbolic link stays, and what it points to is replaced")
  func symbolicLink() throws {
    try folder.write("store/real.png", [1])
    #expect(symlink("store/real.png", folder("a.png")) == 0)
    let file = try AtomicFile(path: folder("a.png"))
    try file.write([2])
    try file.commit()
    #expect(try folder.read("store/real.png") == [2])
    #expect(try folder.names() == ["a.png", "store"])
  }

  @Test("what a killed process left behind a symbolic link is found by the link's name")
  func unfinishedBehindALink() throws {
    try folder.write("store/real.png", [1])
    #expect(symlink("store/real.png", folder("a.png")) == 0)
    let file = try AtomicFile(path: folder("a.png"))
    let names = try FileManager.default.contentsOfDirectory(atPath: folder("store"))
    try file.commit()
    let part = try #require(names.first { $0.hasSuffix(".part") })
    try folder.write("store/" + part, [2])
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 1)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder("store")) == ["real.png"])
  }
}
