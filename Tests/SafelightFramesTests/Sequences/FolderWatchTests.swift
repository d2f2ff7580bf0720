import Foundation
import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Files as they come into a folder")
struct FolderWatchTests {
  let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func names(_ watch: FolderWatch) throws -> [String] {
    try watch.arrivals().map { String($0.split(separator: "/").last ?? "") }
  }

  @Test("those that are there come first, in natural order, and once")
  func first() throws {
    for name in ["frame10.png", "frame9.png", ".hidden.png", "notes.txt", "sub/frame1.png"] { try folder.write(name) }
    let watch = try FolderWatch(folder.path)
    // Told of by the kernel and found by the listing.
    try folder.write("frame11.png")
    #expect(try names(watch) == ["frame9.png", "frame10.png", "frame11.png"])
    #expect(try names(watch) == [])
    #expect(try names(watch) == [])
  }

  @Test("then those that are closed after writing, renamed or linked; not those still being written")
  func arrivals() throws {
    let watch = try FolderWatch(folder.path)
    #expect(try names(watch) == [])
    let descriptor = open(folder("slow.png"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(descriptor, "1", 1) == 1)
    #expect(try names(watch) == [])
    close(descriptor)
    #expect(try names(watch) == ["slow.png"])

    try folder.write("unfinished.part", [1])
    #expect(rename(folder("unfinished.part"), folder("renamed.png")) == 0)
    #expect(symlink(folder("renamed.png"), folder("symbolic.png")) == 0)
    #expect(link(folder("renamed.png"), folder("hard.png")) == 0)
    #expect(try names(watch) == ["renamed.png", "symbolic.png", "hard.png"])
    try folder.write("slow.png", [1, 2])
    #expect(try names(watch) == ["slow.png"])
    try folder.write("sub.png/frame.png")
    #expect(try names(watch) == [])
  }

  @Test("more than the kernel remembers are found by listing")
  func overflow() throws {
    let watch = try FolderWatch(folder.path)
    #expect(try names(watch) == [])
    try folder.write("a.png", [1])
    // Names that take turns are not joined into one event.
    let limit = try #require(
      Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
    for _ in 0..<limit / 2 + 1 {
      #expect(rename(folder("a.png"), folder("b.png")) == 0)
      #expect(rename(folder("b.png"), folder("a.png")) == 0)
    }
    try folder.write("last.png", [1])
    #expect(try names(watch) == ["a.png", "last.png"])
  }

  @Test("a folder that is missing or goes away is an error")
  func refusals() throws {
    expectError(.missingInput, mentioning: folder("none"), "watched") { _ = try FolderWatch(folder("none")) }
    try folder.write("file")
    expectError(.missingInput, mentioning: folder("file")) { _ = try FolderWatch(folder("file")) }
    try folder.write("sub/a.png")
    let watch = try FolderWatch(folder("sub"))
    #expect(try names(watch) == ["a.png"])
    #expect(rename(folder("sub"), folder("elsewhere")) == 0)
    expectError(.missingInput, mentioning: folder("sub"), "removed or renamed") { _ = try watch.arrivals() }
  }
}
