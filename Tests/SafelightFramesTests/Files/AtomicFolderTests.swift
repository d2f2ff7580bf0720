import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Folders appear whole or not at all")
struct AtomicFolderTests {
  let folder: TemporaryFolder

  init() throws { self.folder = try TemporaryFolder() }

  @Test("nothing is there until the end, then all of it")
  func whole() throws {
    var made = try AtomicFolder(in: "\(folder.path)/deep", stem: "a")
    try made.write([1], to: "x.bin")
    try made.write([2], to: "inputs/y.bin")
    try made.write([3], to: "inputs/z.bin")
    #expect(try AtomicFolder.folders(in: "\(folder.path)/deep") == [])
    #expect(try made.commit(as: "0001-a"))
    #expect(try AtomicFolder.folders(in: "\(folder.path)/deep") == ["0001-a"])
    #expect(try readFile("\(folder.path)/deep/0001-a/inputs/z.bin") == [3])
  }

  @Test("a folder that is given up leaves nothing")
  func abandoned() throws {
    do {
      var made = try AtomicFolder(in: folder.path, stem: "a")
      try made.write([1], to: "inputs/y.bin")
      try made.write([1], to: "x.bin")
    }
    #expect(try folder.names() == [])
  }

  @Test("a name that is taken stays as it was; another can be tried")
  func taken() throws {
    for (name, expected) in [("a", true), ("a", false)] {
      var made = try AtomicFolder(in: folder.path, stem: "s")
      try made.write([expected ? 1 : 2], to: "x.bin")
      #expect(try made.commit(as: name) == expected)
      if !expected { #expect(try made.commit(as: "b")) }
    }
    #expect(try folder.names() == ["a", "b"])
    #expect(try readFile("\(folder.path)/a/x.bin") == [1])
  }

  @Test("a parent that is a file is an output that cannot be created")
  func file() throws {
    let path = try folder.write("captures", [1])
    expectError(.output) { _ = try AtomicFolder(in: path, stem: "a") }
  }
}
