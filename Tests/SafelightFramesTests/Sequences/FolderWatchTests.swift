import Foundation
import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Files arriving in a folder") struct FolderWatchTests {
  let folder = TemporaryFolder()

  private func names(_ watch: FolderWatch) throws -> [String] {
    try watch.arrivals().map { String($0.split(separator: "/").last ?? "") }
  }

  /// Waits for `count` names: another test's child holds all descriptors open until its program runs.
  private func names(_ watch: FolderWatch, count: Int) throws -> [String] {
    var found = try names(watch)
    for _ in 0..<10_000 where found.count < count {
      usleep(1000)
      found += try names(watch)
    }
    return found
  }

  @Test("existing files come first, in natural order, and once") func first() throws {
    for name in ["frame10.png", "frame9.png", ".hidden.png", "notes.txt", "sub/frame1.png"] { try folder.write(name) }
    let watch = try FolderWatch(folder.path, standstill: .zero)
    // Reported by the kernel and found by the listing.
    try folder.write("frame11.png")
    #expect(try names(watch, count: 3) == ["frame9.png", "frame10.png", "frame11.png"])
    #expect(!watch.isWaiting)
    #expect(try names(watch) == [])
    #expect(try names(watch) == [])
  }

  @Test("files arrive when closed after writing, renamed or linked; not while being written") func arrivals() throws {
    let watch = try FolderWatch(folder.path, standstill: .zero)
    #expect(try names(watch) == [])
    let descriptor = open(folder("slow.png"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(descriptor, "1", 1) == 1)
    #expect(try names(watch) == [])
    close(descriptor)
    #expect(try names(watch, count: 1) == ["slow.png"])

    try folder.write("unfinished.part", [1])
    #expect(rename(folder("unfinished.part"), folder("renamed.png")) == 0)
    #expect(symlink(folder("renamed.png"), folder("symbolic.png")) == 0)
    #expect(link(folder("renamed.png"), folder("hard.png")) == 0)
    #expect(try names(watch, count: 3) == ["renamed.png", "symbolic.png", "hard.png"])
    try folder.write("slow.png", [1, 2])
    #expect(try names(watch, count: 1) == ["slow.png"])
    try folder.write("sub.png/frame.png")
    #expect(try names(watch) == [])
  }

  @Test("removed files are forgotten") func forgotten() throws {
    let watch = try FolderWatch(folder.path, standstill: .zero)
    for number in 1...300 {
      try folder.write("frame\(number).png", [1])
      #expect(try names(watch, count: 1) == ["frame\(number).png"])
      if number % 2 == 0 {
        #expect(unlink(folder("frame\(number).png")) == 0)
      } else {
        #expect(rename(folder("frame\(number).png"), folder("done")) == 0)
      }
    }
    #expect(try names(watch) == [] && watch.rememberedCount == 0)
    try folder.write("frame1.png", [1])
    #expect(try names(watch, count: 1) == ["frame1.png"] && watch.rememberedCount == 1)
  }

  @Test("an existing file that may still be being written is held back until it is closed") func unfinished() throws {
    let descriptor = open(folder("slow.png"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(write(descriptor, "1", 1) == 1)
    let watch = try FolderWatch(folder.path, standstill: .seconds(600))
    #expect(try names(watch) == [] && watch.isWaiting)
    #expect(write(descriptor, "2", 1) == 1)
    #expect(try names(watch) == [] && watch.isWaiting)
    close(descriptor)
    #expect(try names(watch, count: 1) == ["slow.png"])
    #expect(try names(watch) == [] && !watch.isWaiting)
  }

  @Test("or until it is unchanged, even if its time is in the future; a removed file is not waited for")
  func standstill() throws {
    try folder.write("a.png", [1])
    try folder.write("gone.png", [1])
    let future = Date(timeIntervalSinceNow: 86_400)
    try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: folder("a.png"))
    let watch = try FolderWatch(folder.path, standstill: .milliseconds(200))
    var arrived = try names(watch)
    #expect(unlink(folder("gone.png")) == 0 || arrived.contains("gone.png"))
    while watch.isWaiting { arrived += try names(watch) }
    #expect(arrived.contains("a.png"))
  }

  @Test("a file that is written twice in a tick of the clock arrives twice") func sameVersion() throws {
    let watch = try FolderWatch(folder.path, standstill: .zero)
    for _ in 0..<2 {
      let descriptor = open(folder("a.png"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
      #expect(write(descriptor, "1", 1) == 1)
      var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      #expect(futimens(descriptor, &times) == 0)
      close(descriptor)
      #expect(try names(watch, count: 1) == ["a.png"])
    }
  }

  @Test("a name that is not UTF-8 is reported once, and the watch continues") func namesThatAreNotUTF8() throws {
    let name = Array(folder("").utf8.map { CChar(bitPattern: $0) }) + [97, -1, 46, 112, 110, 103, 0]
    let descriptor = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    #expect(descriptor >= 0)
    try folder.write("b.png", [1])
    let watch = try FolderWatch(folder.path, standstill: .zero)
    #expect(try names(watch, count: 1) == ["b.png"])
    let refusals = watch.refusals()
    #expect(refusals.count == 1 && refusals.allSatisfy { $0.kind == .input && $0.why.contains("UTF-8") })
    close(descriptor)
    #expect(try names(watch) == [])
    #expect(watch.refusals().isEmpty)
    #expect(unlink(name) == 0)
  }

  @Test("more files than the kernel can queue are found by listing") func overflow() throws {
    let watch = try FolderWatch(folder.path, standstill: .zero)
    #expect(try names(watch) == [])
    try folder.write("a.png", [1])
    // Alternating names are not joined into one event.
    let limit = try #require(
      Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
    for _ in 0..<limit / 2 + 1 {
      #expect(rename(folder("a.png"), folder("b.png")) == 0)
      #expect(rename(folder("b.png"), folder("a.png")) == 0)
    }
    try folder.write("last.png", [1])
    #expect(try names(watch, count: 2) == ["a.png", "last.png"])
  }

  @Test("a folder that is missing or removed is an error") func refusals() throws {
    expectError(.missingInput, mentioning: folder("none"), "watched") { _ = try FolderWatch(folder("none")) }
    try folder.write("file")
    expectError(.missingInput, mentioning: folder("file")) { _ = try FolderWatch(folder("file")) }
    try folder.write("sub/a.png")
    let watch = try FolderWatch(folder("sub"), standstill: .zero)
    #expect(try names(watch, count: 1) == ["a.png"])
    #expect(rename(folder("sub"), folder("elsewhere")) == 0)
    expectError(.missingInput, mentioning: folder("sub"), "removed or renamed") { _ = try watch.arrivals() }
  }
}
