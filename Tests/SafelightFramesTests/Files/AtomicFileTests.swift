import Foundation
import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Files appear whole or not at all") struct AtomicFileTests {
  let folder = TemporaryFolder()

  @Test("the target is unchanged until the end, then replaced; nothing else remains") func replacement() throws {
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

  @Test("an abandoned file leaves nothing, and the target unchanged") func abandoned() throws {
    let path = try folder.write("a.png", [1])
    do {
      let file = try AtomicFile(path: path)
      try file.write([2])
    }
    #expect(try folder.read("a.png") == [1])
    #expect(try folder.names() == ["a.png"])
  }

  /// The part file is replaced by /dev/full meanwhile, whose every write fails for want of space.
  @Test("a full disk is a failed transfer; the part is removed and the target stays") func fullDisk() throws {
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

  @Test("two writers of one file do not interfere; the last to finish wins") func twoWriters() throws {
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

  @Test("errors say why a file cannot be created") func refusals() throws {
    let path = folder("missing/a.png")
    expectError(.output, mentioning: path, "No such file or directory", "folder") { _ = try AtomicFile(path: path) }
    expectError(.output, mentioning: folder.path, "directory") { _ = try AtomicFile(path: folder.path) }
    expectError(.output, mentioning: "/dev/null", "device") { _ = try AtomicFile(path: "/dev/null") }
    try folder.write("plain")
    expectError(.output, mentioning: "Not a directory") { _ = try AtomicFile(path: folder("plain/a.png")) }
    expectError(.output, mentioning: "File name too long") {
      try AtomicFile.write([], to: folder(String(repeating: "n", count: 256)))
    }
    #expect(try folder.names() == ["plain"])
  }

  @Test("the longest name that a file may have") func longName() throws {
    for name in [String(repeating: "n", count: 251) + ".png", String(repeating: "ü", count: 125) + ".png"] {
      try AtomicFile.write([1], to: folder(name))
      #expect(try folder.read(name) == [1])
    }
  }

  @Test("a folder that takes the target's place meanwhile is an error, and nothing remains") func lateFailure() throws {
    expectError(.output, mentioning: "cannot be created") {
      let file = try AtomicFile(path: folder("a.png"))
      try folder.write("a.png/occupied")
      try file.commit()
    }
    #expect(try folder.names() == ["a.png"])
  }

  @Test("a symbolic link stays, and its destination is replaced") func symbolicLink() throws {
    try folder.write("store/real.png", [1])
    #expect(symlink("store/real.png", folder("a.png")) == 0)
    try AtomicFile.write([2], to: folder("a.png"))
    #expect(try folder.read("store/real.png") == [2])
    #expect(try folder.names() == ["a.png", "store"])
  }

  @Test("a symbolic link whose destination does not exist yet stays too") func danglingLink() throws {
    try folder.write("store/other.png", [1])
    #expect(symlink("b.png", folder("a.png")) == 0)
    #expect(symlink("store/real.png", folder("b.png")) == 0)
    try AtomicFile.write([2], to: folder("a.png"))
    #expect(try folder.read("store/real.png") == [2])
    #expect(try folder.names() == ["a.png", "b.png", "store"])
    #expect(symlink("round.png", folder("round.png")) == 0)
    #expect(throws: SafelightError.self) { try AtomicFile.write([3], to: folder("round.png")) }
  }

  @Test("remains of a killed process behind a symbolic link are found by the link's name")
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

@Suite("Remains of killed processes") struct UnfinishedFilesTests {
  let folder = TemporaryFolder()

  /// The name that a process of this host with another number would give its unfinished file.
  private func part(of name: String, process: String) throws -> String {
    let file = try AtomicFile(path: folder(name))
    let mine = try #require(try folder.names().first { $0.hasSuffix(".\(getpid()).part") })
    try file.commit()
    return mine.replacing(".\(getpid()).part", with: ".\(process).part")
  }

  @Test("are removed beside the named targets, and nothing else is") func removal() throws {
    let dead = try [("a.png", "1"), ("a.png", "1-2"), ("b.png", "77")].map { try part(of: $0, process: $1) }
    let kept = [
      try part(of: "c.png", process: "1"), ".a.png.another-host.1.part", ".a.png.part", "a.png.part",
      try part(of: "a.png", process: "x"), try part(of: "a.png", process: "1-2-3"),
    ]
    for name in dead + kept { try folder.write(name, [9]) }
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png"), folder("b.png")]) == 3)
    #expect(try folder.names() == (kept + ["a.png", "b.png", "c.png"]).sorted())
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png"), folder("missing/a.png")]) == 0)
  }

  @Test("a living writer keeps its file, in this process and in another, and finishes it") func living() throws {
    let file = try AtomicFile(path: folder("a.png"))
    try file.write([1])
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 0)
    try file.commit()
    #expect(try folder.read("a.png") == [1])

    let other = try part(of: "a.png", process: "1")
    try folder.write(other, [9])
    let descriptor = open(folder(other), O_WRONLY | O_CLOEXEC)
    #expect(flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 0)
    close(descriptor)
    // A process that another test is starting holds a copy of the descriptor, and so the lock, until its program runs.
    var removed = 0
    for _ in 0..<10_000 where removed == 0 {
      removed = AtomicFile.removeUnfinished(besides: [folder("a.png")])
      if removed == 0 { usleep(1000) }
    }
    #expect(removed == 1)
    #expect(try folder.names() == ["a.png"])
  }

  @Test("the longest names, and links and pipes of such a name, which are left alone") func oddities() throws {
    let long = String(repeating: "ü", count: 125) + ".png"
    try folder.write(part(of: long, process: "1"), [9])
    #expect(AtomicFile.removeUnfinished(besides: [folder(long)]) == 1)

    let odd = (try part(of: "a.png", process: "1"), try part(of: "a.png", process: "2"))
    #expect(symlink(folder(long), folder(odd.0)) == 0)
    #expect(mkfifo(folder(odd.1), 0o600) == 0)
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 0)
    #expect(try folder.names().count == 4)
  }
}

@Suite("Folders appear whole or not at all") struct AtomicFolderTests {
  let folder = TemporaryFolder()

  @Test("nothing exists until the end, then everything does") func whole() throws {
    var made = try AtomicFolder(in: "\(folder.path)/deep", stem: "a")
    try made.write([1], to: "x.bin")
    try made.write([2], to: "inputs/y.bin")
    try made.write([3], to: "inputs/z.bin")
    #expect(try AtomicFolder.folders(in: "\(folder.path)/deep") == [])
    #expect(try made.commit(as: "0001-a"))
    #expect(try AtomicFolder.folders(in: "\(folder.path)/deep") == ["0001-a"])
    #expect(try readFile("\(folder.path)/deep/0001-a/inputs/z.bin") == [3])
  }

  @Test("an abandoned folder leaves nothing") func abandoned() throws {
    do {
      var made = try AtomicFolder(in: folder.path, stem: "a")
      try made.write([1], to: "inputs/y.bin")
      try made.write([1], to: "x.bin")
    }
    #expect(try folder.names() == [])
  }

  @Test("a folder of that name stays unchanged; another name can be tried") func taken() throws {
    for (name, expected) in [("a", true), ("a", false)] {
      var made = try AtomicFolder(in: folder.path, stem: "s")
      try made.write([expected ? 1 : 2], to: "x.bin")
      #expect(try made.commit(as: name) == expected)
      if !expected { #expect(try made.commit(as: "b")) }
    }
    #expect(try folder.names() == ["a", "b"])
    #expect(try readFile("\(folder.path)/a/x.bin") == [1])
  }

  @Test("a parent that is a file is an output that cannot be created") func file() throws {
    let path = try folder.write("captures", [1])
    expectError(.output) { _ = try AtomicFolder(in: path, stem: "a") }
  }
}
