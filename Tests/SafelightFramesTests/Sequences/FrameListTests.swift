import Glibc
import SafelightFrames
import SafelightImage
import Testing

@Suite("Frame lists: the named files are found, in natural order") struct FrameListTests {
  let folder = TemporaryFolder()

  private func names(_ inputs: String...) throws -> [String] {
    try FrameList(inputs).frames.map { String($0.path.dropFirst(folder.path.count + 1)) }
  }

  private func numbers(_ inputs: String...) throws -> [Int] { try FrameList(inputs).frames.map(\.number) }

  @Test("one file") func file() throws {
    let list = try FrameList([folder.write("a.png")])
    #expect(list.frames == [Frame(index: 0, number: 1, path: folder("a.png"))])
    #expect(list.frames[0].name == "a.png")
  }

  @Test("a folder: its PNG files, also links that lead nowhere; no hidden, other or deeper files")
  func wholeFolder() throws {
    for name in ["s/f10.png", "s/f9.PNG", "s/f1.png", "s/notes.txt", "s/.f2.png.1.part", "s/.f3.png", "s/deep/f4.png"] {
      try folder.write(name)
    }
    try folder.write("s/folder.png/f5.png")
    #expect(symlink("f1.png", folder("s/f11.png")) == 0)
    #expect(symlink("nowhere", folder("s/f12.png")) == 0)
    let all = ["s/f1.png", "s/f9.PNG", "s/f10.png", "s/f11.png", "s/f12.png"]
    #expect(try names(folder("s")) == all)
    #expect(try names(folder("s/")) == all)
    #expect(try names(folder("s/*")) == all)
    #expect(try names(folder("s/f%d.png")) == all.filter { !$0.hasSuffix("PNG") })
    #expect(try numbers(folder("s")) == [1, 2, 3, 4, 5])
    expectError(.missingInput, mentioning: folder("s/f12.png"), "link to nowhere") {
      _ = try readFile(folder("s/f12.png"))
    }
  }

  @Test("a pattern: the numbers that exist, which are kept, including gaps") func pattern() throws {
    for name in ["shot.0101.png", "shot.0099.png", "shot.10000.png", "shot.9.png", "shot.0100.jpg"] {
      try folder.write(name)
    }
    #expect(try names(folder("shot.%04d.png")) == ["shot.0099.png", "shot.0101.png", "shot.10000.png"])
    #expect(try numbers(folder("shot.%04d.png")) == [99, 101, 10000])
    #expect(try FrameList([folder("shot.%04d.png")]).frames.map(\.index) == [0, 1, 2])
    #expect(try numbers(folder("shot.%04d.png"), folder("shot.9.png")) == [1, 2, 3, 4])
  }

  @Test("a glob, folders included") func glob() throws {
    for name in ["t2/a10.png", "t2/a9.png", "t10/a1.png", "t2/a1.txt", "t2/b.png"] { try folder.write(name) }
    #expect(try names(folder("t*/a*")) == ["t2/a9.png", "t2/a10.png", "t10/a1.png"])
    #expect(try names(folder("t2/[b].pn?")) == ["t2/b.png"])
  }

  @Test("names that exist are taken literally") func literal() throws {
    for name in ["a[1].png", "a1.png", "%04d.png", "0001.png", "100%.png"] { try folder.write(name) }
    #expect(try names(folder("a[1].png")) == ["a[1].png"])
    #expect(try names(folder("%04d.png")) == ["%04d.png"])
    #expect(try names(folder("100%.png")) == ["100%.png"])
  }

  @Test("inputs keep their order; the files of a folder or a glob are in natural order") func concatenation() throws {
    for name in ["f10.png", "f9.png", "s/10.png", "s/9.png", "a.png"] { try folder.write(name) }
    #expect(try names(folder("f10.png"), folder("f9.png"), folder("a.png")) == ["f10.png", "f9.png", "a.png"])
    #expect(
      try names(folder("f10.png"), folder("s"), folder("a.png"), folder("f*.png"))
        == ["f10.png", "s/9.png", "s/10.png", "a.png", "f9.png", "f10.png"])
  }

  @Test("folders within folders, which outputs keep") func recursive() throws {
    for name in ["s/b/2.png", "s/b/10.png", "s/1.png", "s/a/deep/1.png", "s/.hidden/3.png", "s/a/notes.txt"] {
      try folder.write(name)
    }
    let list = try FrameList([folder("s")], isRecursive: true)
    #expect(list.frames.map(\.place) == ["1.png", "a/deep/1.png", "b/2.png", "b/10.png"])
    #expect(list.frames.map(\.path) == list.frames.map { folder("s/\($0.place)") })
    let output = try FrameOutput(folder("out"), for: list.frames)
    #expect(output.paths == list.frames.map { folder("out/\($0.place)") })
    try output.prepare()
    for name in ["out/a/deep", "out/b"] { #expect(Folder.exists(folder(name))) }
    #expect(try FrameList([folder("s")]).frames.map(\.place) == ["1.png"])
  }

  @Test("numbers that a sequence skips") func gaps() throws {
    for number in [1, 2, 3, 5, 6, 9] { try folder.write("s/f\(number).png") }
    for name in ["cat.png", "dog.png", "owl.png"] { try folder.write("t/\(name)") }
    func gaps(_ inputs: String...) throws -> [String] {
      try FrameList(inputs).gaps().map { "\($0.path.dropFirst(folder.path.count + 1)) \($0.next)" }
    }
    let all = ["s/f4.png 3", "s/f7.png 5", "s/f8.png 5"]
    #expect(try gaps(folder("s")) == all)
    #expect(try gaps(folder("s/f%d.png")) == all)
    #expect(try gaps(folder("t")) == [])
    #expect(try gaps(folder("t"), folder("s")) == ["s/f4.png 6", "s/f7.png 8", "s/f8.png 8"])
    // Another picture or sequence in the folder does not affect this one.
    try folder.write("s/cover.png")
    #expect(try gaps(folder("s")) == ["s/f4.png 4", "s/f7.png 6", "s/f8.png 6"])
    for number in [1, 2, 4, 5] {
      for (shot, side) in [("1", "left"), ("1", "right"), ("2", "left")] {
        try folder.write("u/shot\(shot)_\(number)_\(side).png")
      }
    }
    #expect(try gaps(folder("u")) == ["u/shot1_3_left.png 4", "u/shot1_3_right.png 5", "u/shot2_3_left.png 10"])
    let pairs = try FrameList([folder("u")])
    #expect(try pairs.gaps().map(\.previous) == [2, 3, 9])
    #expect(try pairs.gaps(within: pairs.frames.filter { $0.name.contains("right") }).map(\.next) == [5])
    // In another order they are not a count.
    #expect(try gaps(folder("s/f3.png"), folder("s/f5.png"), folder("s/f1.png")) == [])
    // If every gap counts, a few frames suffice.
    for number in [1, 2, 4, 5, 8] { try folder.write("v/f\(number).png") }
    for number in [10, 30, 70] { try folder.write("w/f\(number).png") }
    #expect(try gaps(folder("v")) == [])
    let sparse = try FrameList([folder("v")]).gaps(literally: true)
    #expect(sparse.map(\.path) == [3, 6, 7].map { folder("v/f\($0).png") })
    #expect(try FrameList([folder("w")]).gaps(literally: true).map(\.path) == [folder("w/f50.png")])
    try folder.write("v/f20261122.png")
    expectError(.input, mentioning: "the numbers 1 to 20261122") {
      _ = try FrameList([folder("v")]).gaps(literally: true)
    }
    let list = try FrameList([folder("s/f%d.png")])
    #expect(try list.gaps(within: Array(list.frames[..<3])) == [])
    #expect(try list.gaps(within: Array(list.frames[2...3])).map(\.next) == [3])
  }

  /// By the order of a folder, of a glob and of a pattern, and among the gaps.
  @Test(
    "numbers below 0, as printf pads them and with as many digits as others",
    arguments: [
      (["shot.-0003", "shot.-0001", "shot.0000", "shot.0002", "shot.0003"], "shot.%04d", [-2, 1], "-0002"),
      (["shot--003", "shot--001", "shot-0000", "shot-0002", "shot-0003"], "shot-%04d", [-2, 1], "-002"),
      (["-12", "-11", "-9", "-8", "-7"], "%d", [-10], "-10"),
      (["v2_-2_x", "v2_-1_x", "v2_1_x", "v2_2_x"], "v2_%d_x", [0], "0"),
      (["take -02", "take -01", "take 01", "take 02"], "take %02d", [0], "00"),
    ])
  func negativeNumbers(_ names: [String], _ pattern: String, _ missing: [Int], _ first: String) throws {
    for name in names.reversed() { try folder.write("s/\(name).png") }
    let expected = names.map { folder("s/\($0).png") }
    #expect(try FrameList([folder("s")]).frames.map(\.path) == expected)
    #expect(try FrameList([folder("s/*.png")]).frames.map(\.path) == expected)
    let list = try FrameList([folder("s/\(pattern).png")])
    #expect(list.frames.map(\.path) == expected)
    let numbers = list.frames.map(\.number)
    #expect(Set(numbers[0]...numbers[numbers.count - 1]).subtracting(numbers).sorted() == missing)
    let gaps = try list.gaps()
    #expect(gaps.count == missing.count && gaps.first?.path.contains(first) == true, "\(gaps)")
    let output = try FrameOutput(folder("o.%d.png"), for: list.frames)
    #expect(output.paths == numbers.map { folder("o.\($0).png") })
  }

  /// Their differences would overflow.
  @Test("numbers at the ends of 64 bits are no numbers of frames") func endsOfIntegers() throws {
    for number in ["-9223372036854775808", "-9223372036854775807", "0", "9223372036854775807"] {
      try folder.write("s/f.\(number).png")
    }
    #expect(try FrameList([folder("s")]).gaps(literally: true) == [])
    #expect(try numbers(folder("s/f.%d.png")) == [0])
  }

  @Test("files of a folder that are left out are reported") func leftOut() throws {
    for name in ["s/1.png", "s/a.JPG", "s/clip.mp4", "s/notes.txt", "s/x/1.png", "s/y/notes.txt"] {
      try folder.write(name)
    }
    let list = try FrameList([folder("s")])
    #expect(list.otherKinds == [folder("s/a.JPG"), folder("s/clip.mp4")])
    #expect(list.innerFolders == [folder("s/x")])
    let matched = try FrameList([folder("s/*")])
    #expect(matched.frames == list.frames && matched.otherKinds == list.otherKinds)
    #expect(matched.innerFolders == list.innerFolders)
    let whole = try FrameList([folder("s")], isRecursive: true)
    #expect(whole.innerFolders == [] && whole.otherKinds == list.otherKinds)
    expectError(.missingInput, mentioning: "t/x") {
      try folder.write("t/x/1.png")
      _ = try FrameList([folder("t")])
    }
  }

  @Test("a PNG with another extension is recognized by its first bytes") func unusualName() throws {
    let png = HandmadePNG(width: 1, height: 1, colorType: 0, bitDepth: 8)
    #expect(try names(folder.write("frame", png.bytes)) == ["frame"])
  }

  @Test("errors say what was looked for") func missing() throws {
    for name in ["s/notes.txt", "s/shot.7.png", "t/notes.txt", "u/a.jpg", "v/in/a.png"] { try folder.write(name) }
    try Folder.make(folder("empty"))
    #expect(symlink("circle.png", folder("circle.png")) == 0)
    for (input, name, text) in [
      ("b.png", folder("b.png"), "no such file"), ("clip.mp4", "clip.mp4", "no such file"),
      ("t", folder("t"), "no .png file"), ("t", folder("t"), "only 1 file of other kinds"),
      ("u", "u/*.jpg, without quotes", "1 file of other kinds; name files"),
      ("u/*.jpg", "1 other", "the pattern without quotes"), ("empty", folder("empty"), "empty: the folder is empty"),
      ("v", "itself holds no .png file", "such as"),
      ("s/shot.%04d.png", folder("s/shot.%04d.png"), "shot.0001.png"), ("x/%04d.png", folder("x/"), "No such file"),
      ("s/*.txt", folder("s/*.txt"), "1 other"), ("s/q*", folder("s/q*"), "no .png file matches; check the pattern"),
      ("circle.png", folder("circle.png"), "symbolic links"),
    ] {
      expectError(.missingInput, mentioning: name, text) { _ = try FrameList([folder(input)]) }
    }
    expectError(.usage, mentioning: "no input") { _ = try FrameList([]) }
    expectError(.usage, mentioning: "empty") { _ = try FrameList([""]) }
    expectError(.usage, mentioning: "%04d") { _ = try FrameList([folder("shot.%4d.png")]) }
  }

  @Test("a name that is not UTF-8 is an error") func strangeName() throws {
    let name = (Array((folder.path + "/a").utf8) + [0xFF] + Array(".png".utf8) + [0]).map { CChar(bitPattern: $0) }
    let descriptor = open(name, O_WRONLY | O_CREAT, 0o600)
    #expect(descriptor >= 0)
    close(descriptor)
    expectError(.input, mentioning: "UTF-8") { _ = try FrameList([folder.path]) }
    expectError(.input, mentioning: "UTF-8") { _ = try FrameList([folder("*.png")]) }
  }

  @Test("a pipe among pictures is skipped and reported, and not waited for") func pipe() throws {
    try folder.write("s/1.png")
    #expect(mkfifo(folder("s/2.png"), 0o600) == 0)
    for input in ["s", "s/*.png", "s/%d.png"] {
      let list = try FrameList([folder(input)])
      #expect(list.frames.map(\.path) == [folder("s/1.png")] && list.passedOver == [folder("s/2.png")], "\(input)")
    }
  }

  @Test("lists of pictures reject video, with a remedy") func video() throws {
    let y4m = try folder.write("clip.y4m", Array("YUV4MPEG2 W1 H1\n".utf8))
    for input in ["rtsp://camera/1", "/dev/zero", y4m] {
      expectError(.unsupported, mentioning: "convert it to PNG files") { _ = try FrameList([input]) }
    }
  }

  @Test("a selection takes frames with their index and number") func selection() throws {
    for number in 5...9 { try folder.write("f\(number).png") }
    let list = try FrameList([folder("f%d.png")])
    let chosen = try list.selecting(FrameSelection("2-4:2"))
    #expect(chosen.map(\.index) == [1, 3])
    #expect(chosen.map(\.number) == [6, 8])
  }
}

@Suite("Natural order") struct NaturalOrderTests {
  @Test(arguments: [
    ["frame1", "frame2", "frame9", "frame10", "frame100"], ["a", "a1", "a1b", "a2", "a10", "aa", "b"],
    ["1", "2", "10", "10a"], ["7", "18446744073709551615", "18446744073709551616", "999999999999999999999999"],
    ["take1/shot2", "take1/shot10", "take2/shot1", "take10/shot1"], ["take/1", "take-2/1", "take2/1"],
    ["f001", "f01", "f1", "f002", "f02"], ["shot.9.png", "shot.10.png", "shot.v2.png"], ["v1.2.10", "v1.10.2"],
    ["shot.-0010.png", "shot.-0009.png", "shot.-0001.png", "shot.0000.png", "shot.0001.png"],
    ["shot--10", "shot--9", "shot-0", "shot-1", "shot-10"], ["-2", "-1", "0", "1"], ["s/-2", "s/-1", "s/1"],
    // A dash behind a letter or a digit separates.
    ["shot-0001", "shot-0002", "shot-0010"], ["2026-01-02", "2026-01-10", "2026-11-01", "2026-11-26"],
    ["a)-1", "a)-2"], ["x.-2", "x.-1", "x.-0", "x.-a", "x..", "x.0", "x.a"],
  ])
  func namesAreInTheOrderInWhichPeopleCount(names: [String]) {
    #expect(NaturalOrder.sorted(names) == names)
    #expect(NaturalOrder.sorted(names.reversed()) == names)
    for (index, left) in names.enumerated() {
      for (other, right) in names.enumerated() {
        #expect(NaturalOrder.precedes(Array(left.utf8), Array(right.utf8)) == (index < other), "\(left) \(right)")
      }
    }
  }

  /// Of all names of a few characters, so that sorting never depends on the order before.
  @Test func theOrderIsTotal() {
    let characters: [[UInt8]] = ["-", ".", "/", "0", "1", "2", "a"].map { Array($0.utf8) }
    var names: [[UInt8]] = [[]]
    for _ in 0..<4 { names += names.flatMap { name in characters.map { name + $0 } } }
    let all = Set(names).sorted { $0.lexicographicallyPrecedes($1) }
    let sorted = all.sorted(by: NaturalOrder.precedes)
    for place in sorted.indices.dropFirst() {
      // Steps of several lengths: a cycle cannot hide from all.
      for other in [place - 1, place / 2, 0] {
        #expect(
          NaturalOrder.precedes(sorted[other], sorted[place]) && !NaturalOrder.precedes(sorted[place], sorted[other]),
          "\(String(decoding: sorted[other], as: UTF8.self)) \(String(decoding: sorted[place], as: UTF8.self))")
      }
    }
  }
}
