import Glibc
import SafelightGLES
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct BinaryArchiveTests {
  private let binary = ProgramBinary(format: 0x875F, bytes: (0..<200).map { UInt8($0) })
  private let key = BinaryArchive.Key(["vendor", "renderer", "version", "compute", "void main() {}"])

  // MARK: Files

  @Test func aProgramIsReadBackAsItWasWritten() throws {
    let file = ArchiveEntry.encoded(binary, key: key)
    #expect(file.count == 88 + 200)
    #expect(ArchiveEntry.decoded(file, key: key) == binary)
  }

  /// Damages each byte of the file, and cuts it to each length.
  @Test func noDamageIsMissed() {
    let file = ArchiveEntry.encoded(binary, key: key)
    for place in file.indices {
      for change: UInt8 in [1, 0x80, 0xFF] {
        var damaged = file
        damaged[place] ^= change
        #expect(ArchiveEntry.decoded(damaged, key: key) == nil, "byte \(place)")
      }
      #expect(ArchiveEntry.decoded(Array(file[..<place]), key: key) == nil, "cut at \(place)")
    }
    #expect(ArchiveEntry.decoded(file + [0], key: key) == nil)
    #expect(ArchiveEntry.decoded(file, key: BinaryArchive.Key(["another"])) == nil)
  }

  /// Texts must not run together, and each of them counts.
  @Test func differentTextsHaveDifferentKeys() {
    let lists = [["a", "b"], ["ab"], ["ab", ""], ["", "ab"], ["b", "a"], ["a"], []]
    #expect(Set(lists.map { BinaryArchive.Key($0).fileName }).count == lists.count)
    #expect(BinaryArchive.Key([]).fileName.hasSuffix(".program"))
    // SHA-256 of eight zero bytes: the length of one empty text.
    #expect(
      BinaryArchive.Key([""]).fileName == "af5570f5a1810b7af78caf4bc70a660f0df51e42baf91d4de5b2328de0e83dfc.program")
  }

  // MARK: The folder

  @Test func whatIsKeptIsFoundByAnother() throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    #expect(archive.binary(for: key) == nil)
    #expect(archive.keep(binary, for: key) == nil)
    #expect(archive.length == 288)
    let other = try BinaryArchive(folder: folder.path)
    #expect(other.binary(for: key) == binary)
    #expect(other.binary(for: BinaryArchive.Key(["x"])) == nil)
    #expect(archive.report.missing == 1 && archive.report.kept == 1)
    #expect(other.report.missing == 1 && other.report.kept == 0 && other.report.damaged == 0)
    #expect(try folder.visibleNames() == [key.fileName])
    archive.removeAll()
    #expect(try folder.visibleNames().isEmpty)
    #expect(archive.length == 0)
  }

  @Test func foldersAboveAreMadeForThisUserAlone() throws {
    let folder = TemporaryFolder()
    let path = "\(folder.path)/a/b"
    _ = try BinaryArchive(folder: path)
    var status = stat()
    #expect(stat(path, &status) == 0)
    #expect(status.st_mode & 0o777 == 0o700)
  }

  @Test func aPlaceThatCannotBeWrittenToIsRefused() throws {
    let folder = try TemporaryFolder(["file": "x"])
    for path in ["\(folder.path)/file", "\(folder.path)/file/below", "/proc/safelight"] {
      expectError(.output, what: "archive '\(path)'") { try BinaryArchive(folder: path) }
    }
  }

  @Test func theProgramUsedLongestAgoGoesFirst() throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path, maximumLength: 3 * 288)
    let keys = (0..<4).map { BinaryArchive.Key(["\($0)"]) }
    for (age, key) in keys[..<3].enumerated() {
      #expect(archive.keep(binary, for: key) == nil)
      try setTime("\(folder.path)/\(key.fileName)", secondsAgo: 1000 - age)
    }
    // The oldest was used again, so the second is removed.
    archive.noteRestored(keys[0])
    #expect(archive.keep(binary, for: keys[3]) == nil)
    #expect(archive.length == 3 * 288)
    #expect(try folder.visibleNames() == [keys[0], keys[2], keys[3]].map(\.fileName).sorted())
  }

  @Test func aProgramThatDoesNotFitIsNotKept() throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path, maximumLength: 100)
    #expect(archive.keep(binary, for: key)?.kind == .limit)
    #expect(archive.report.failed == 1)
    #expect(archive.report.lastFailure?.kind == .limit)
    #expect(try folder.visibleNames().isEmpty)
  }

  /// A file that another process is writing is kept, one left long ago is removed, and other files are not touched.
  @Test func leftoversGo() throws {
    let folder = try TemporaryFolder(["note.txt": "mine", "old.program.1.0.part": "x", "new.program.1.1.part": "x"])
    try setTime("\(folder.path)/old.program.1.0.part", secondsAgo: 4000)
    try setTime("\(folder.path)/note.txt", secondsAgo: 4000)
    let archive = try BinaryArchive(folder: folder.path, maximumLength: 288)
    #expect(archive.keep(binary, for: key) == nil)
    archive.removeAll()
    #expect(try folder.visibleNames() == ["new.program.1.1.part", "note.txt"])
  }

  @Test func aFailedWriteLeavesNothingBehind() throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    // A folder with the file's name: a file cannot be renamed to it.
    #expect(mkdir("\(folder.path)/\(key.fileName)", 0o755) == 0)
    #expect(mkdir("\(folder.path)/\(key.fileName)/x", 0o755) == 0)
    #expect(archive.keep(binary, for: key)?.kind == .output)
    #expect(archive.report.failed == 1)
    #expect(archive.binary(for: key) == nil)
    #expect(try folder.visibleNames() == [key.fileName])
  }

  private func setTime(_ path: String, secondsAgo: Int) throws {
    let moment = timespec(tv_sec: time(nil) - secondsAgo, tv_nsec: 0)
    try #require(utimensat(AT_FDCWD, path, [moment, moment], 0) == 0)
  }
}
