import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("What killed processes leave behind")
struct UnfinishedFilesTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The name that a process of this host with another number gives to its unfinished file.
  private func part(of name: String, process: String) throws -> String {
    let file = try AtomicFile(path: folder(name))
    let mine = try #require(try folder.names().first { $0.hasPrefix(".\(name).") })
    try file.commit()
    return mine.replacing(".\(getpid()).part", with: ".\(process).part")
  }

  @Test("is removed beside the targets named, and nothing else is")
  func removal() throws {
    let dead = [
      try part(of: "a.png", process: "1"), try part(of: "a.png", process: "1-2"), try part(of: "b.png", process: "77"),
    ]
    let kept = [
      try part(of: "c.png", process: "1"), ".a.png.another-host.1.part", ".a.png.part", "a.png.part",
      try part(of: "a.png", process: "x"), try part(of: "a.png", process: "1-2-3"),
    ]
    for name in dead + kept { try folder.write(name, [9]) }
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png"), folder("b.png")]) == 3)
    #expect(try folder.names() == (kept + ["a.png", "b.png", "c.png"]).sorted())
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png"), folder("missing/a.png")]) == 0)
  }

  @Test("a living writer keeps its file, in this process and in another, and finishes it")
  func living() throws {
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
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 1)
    #expect(try folder.names() == ["a.png"])
  }

  @Test("the longest names, and links and pipes of such a name, which are left alone")
  func oddities() throws {
    let long = String(repeating: "ü", count: 125) + ".png"
    let file = try AtomicFile(path: folder(long))
    let mine = try #require(try folder.names().first)
    try file.commit()
    try folder.write(mine.replacing(".\(getpid()).part", with: ".1.part"), [9])
    #expect(AtomicFile.removeUnfinished(besides: [folder(long)]) == 1)

    let odd = (try part(of: "a.png", process: "1"), try part(of: "a.png", process: "2"))
    #expect(symlink(folder(long), folder(odd.0)) == 0)
    #expect(mkfifo(folder(odd.1), 0o600) == 0)
    #expect(AtomicFile.removeUnfinished(besides: [folder("a.png")]) == 0)
    #expect(try folder.names().count == 4)
  }
}
