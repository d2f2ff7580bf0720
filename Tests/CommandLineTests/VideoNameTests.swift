import Foundation
import SafelightFrames
import SafelightImage
import TestSupport
import Testing

/// Frames are named after their film, so that films do not overwrite each other; several films are one run.
@Suite struct VideoNameTests {
  let folder = TemporaryFolder()

  init() throws {
    try folder.shell(
      """
      for name in one.mp4 two.mkv; do
        ffmpeg -v error -f lavfi -i testsrc2=size=64x48:rate=25 -frames:v 2 -pix_fmt yuv420p -c:v mpeg4 $name
      done
      for name in rocket.jpg scan.tif; do ffmpeg -v error -f lavfi -i testsrc=size=64x48 -frames:v 1 $name; done
      """)
  }

  @Test func filmsAndPicturesKeepTheirNames() throws {
    let outcome = try folder.shell(
      "safelight process one.mp4 two.mkv rocket.jpg scan.tif -o out --report r.json --device cpu")
    let names = ["one.000001.png", "one.000002.png", "rocket.png", "scan.png", "two.000001.png", "two.000002.png"]
    #expect(try folder.names("out") == names, "\(outcome.errors)")
    #expect(outcome.errors.contains("6 frames"), "\(outcome.errors)")
    let frames = try folder.report("r.json").frames
    #expect(frames.map(\.index) == [0, 1, 2, 3, 4, 5])
    #expect(
      frames.map(\.output) == [
        "out/one.000001.png", "out/one.000002.png", "out/two.000001.png", "out/two.000002.png", "out/rocket.png",
        "out/scan.png",
      ])
    // One after the other makes the same files.
    try folder.shell(
      "for film in one.mp4 two.mkv rocket.jpg scan.tif; do safelight process $film -o each --device cpu; done")
    for name in names { #expect(try folder.bytes("each/\(name)") == folder.bytes("out/\(name)"), "\(name)") }
    #expect(try folder.shell("safelight process rocket.jpg -o r.png --device cpu; ls r.png").code == 0)
  }

  /// A camera turns its pictures by a word beside them (Exif 2.3, tag 274).
  @Test func picturesComeUpright() throws {
    try folder.shell(
      """
      python3 -c '
      jpeg = open("rocket.jpg", "rb").read()
      tiff = b"MM\\0*\\0\\0\\0\\10" + bytes([0, 1, 1, 18, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
      app = b"Exif\\0\\0" + tiff
      open("turned.jpg", "wb").write(jpeg[:2] + b"\\xff\\xe1" + (len(app) + 2).to_bytes(2, "big") + app + jpeg[2:])
      '
      ffmpeg -v error -i turned.jpg -pix_fmt rgb24 expected.png
      safelight process turned.jpg -o turned.png --device cpu
      """)
    let (turned, expected) = (try folder.image("turned.png"), try folder.image("expected.png"))
    #expect(turned.size == expected.size && turned.size.height == 64)
  }

  /// ffmpeg would take such a name for a pattern, and read another file.
  @Test(arguments: ["jpg", "tif", "bmp"]) func aPercentSignIsALetter(_ kind: String) throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=16x16 -frames:v 1 red.\(kind); cp red.\(kind) 'i%03d.\(kind)'
      ffmpeg -v error -f lavfi -i color=blue:size=16x16 -frames:v 1 i003.\(kind)
      safelight process 'i%03d.\(kind)' -o out --device cpu; safelight process red.\(kind) -o red.png --device cpu
      cp red.png out/red.png; safelight compare out/i%03d.png red.png
      safelight compare 'i%03d.\(kind)' i003.\(kind) && exit 1; [ $? -eq 1 ]
      """)
  }

  /// Other percent signs are no pattern, and AVIF is opened as a film.
  @Test func otherPercentSignsChangeNothing() throws {
    try folder.shell(
      """
      mkdir '50% off'; cp rocket.jpg '50% off/scan.tif'; cp \(Tool.fixture("golden/stills/waves.avif")) 'a%d.avif'
      safelight process '50% off/scan.tif' -o a.png --device cpu; safelight process rocket.jpg -o b.png --device cpu
      safelight compare a.png b.png
      safelight process 'a%d.avif' -o c.png --device cpu
      """)
  }

  /// ffmpeg reads no alpha of AVIF, here one that only says it has some.
  @Test func alphaOfAVIFIsTold() throws {
    try folder.shell(
      """
      cp \(Tool.fixture("golden/stills/waves.avif")) a.avif
      { printf '\\0\\0\\0\\64free'; printf 'urn:mpeg:mpegB:cicp:systems:auxiliary:alpha'; } >>a.avif
      safelight process a.avif -o a.png --device cpu
      """
    ).says("the alpha of a.avif is left out")
    try folder.shell("safelight compare a.png a.avif").says("the alpha of a.avif is left out")
  }

  /// A picture without a file extension gets one.
  @Test func aNameWithoutAnExtensionGetsOne() throws {
    try folder.shell(
      """
      safelight process rocket.jpg -o a.png --device cpu; cp a.png noext
      safelight process noext -o out --device cpu; safelight process out -o again --device cpu; ls again
      """
    ).prints("noext.png")
  }

  @Test func picturesAreNoFilmToSmoothOver() throws {
    try folder.shell("safelight equalize rocket.jpg scan.tif -o out --smooth 4 --device cpu", code: 64)
      .says("are single pictures; convert them")
  }

  @Test func twoFilmsForOneNameAreRefused() throws {
    try folder.shell("cp two.mkv one.mkv")
    try folder.shell("safelight process one.mp4 one.mkv -o out --device cpu", code: 64)
      .says("both one.mp4 and one.mkv would be written there")
    // Also in two runs, whatever is to become of outputs that exist, unless it is said that they are replaced.
    try folder.shell("safelight process one.mp4 -o out --device cpu")
    let made = try folder.bytes("out/one.000001.png")
    for existing in ["", "--existing skip"] {
      try folder.shell("safelight process one.mkv -o out \(existing) --device cpu", code: 73)
        .says("made it from one.mp4, and this run would make it from one.mkv")
    }
    #expect(try folder.bytes("out/one.000001.png") == made)
    try folder.safelight("process one.mp4 -o out")
    try folder.safelight("process one.mp4 -o out --existing skip")
    try folder.shell("safelight process one.mkv -o out --existing overwrite --device cpu")
    #expect(try folder.bytes("out/one.000001.png") != made)
    // A file that is named itself is the user's to replace.
    try folder.safelight("process rocket.jpg -o a.png")
    try folder.safelight("process scan.tif -o a.png")
  }

  @Test func picturesAreNumberedUnderAPattern() throws {
    try folder.shell("safelight process rocket.jpg scan.tif -o 'p/%03d.png' --device cpu")
    #expect(try folder.names("p") == ["001.png", "002.png"])
    try folder.shell("safelight process rocket.jpg scan.tif -o named --device cpu; cmp named/scan.png p/002.png")
  }

  @Test func aDamagedPictureIsOneOfMany() throws {
    try folder.shell("head -c 200 /dev/urandom >broken.jpg")
    try folder.safelight("process rocket.jpg broken.jpg scan.tif -o all --keep-going", code: 65).says("broken.jpg")
    #expect(try folder.names("all") == ["rocket.png", "scan.png"])
    let chosen = try folder.shell("safelight process rocket.jpg broken.jpg scan.tif -o two --frames 3- --device cpu")
    #expect(try folder.names("two") == ["scan.png"], "\(chosen.errors)")
  }

  @Test func filmsAreNotMixedWithPNGsAndDoNotBecomeOne() throws {
    try folder.shell("ffmpeg -v error -i rocket.jpg a.png")
    try folder.safelight("process a.png one.mp4 -o out", code: 64).says("a.png, named in the same run")
    try folder.shell("safelight process one.mp4 nope.mp4 -o out --device cpu", code: 66).says("nope.mp4: no such file")
    try folder.safelight("process one.mp4 two.mkv -o both.mkv", code: 64).says("2 films cannot become one")
    try folder.shell("cp rocket.jpg other.jpg")
    try folder.shell("safelight process rocket.jpg other.jpg -o both.mkv --device cpu", code: 64)
      .says("2 pictures that are no PNG files cannot become a film")
  }

  @Test func missingFoldersAreMade() throws {
    try folder.safelight("process one.mp4 -o a/b/x.mkv")
    try folder.safelight("process one.mp4 -o c/d/%04d.png")
    #expect(try folder.names("a/b") == ["x.mkv"] && folder.names("c/d") == ["0001.png", "0002.png"])
  }

  /// ffmpeg repeats the name in its messages, where a line end is no damage.
  @Test func aNameMayHoldALineEnd() throws {
    try folder.shell(
      """
      cp one.mp4 $'a\nb.mp4'; safelight process $'a\nb.mp4' -o out -q --device cpu
      safelight process out -o $'c\nd.mkv' --lossless -q --device cpu
      """)
    #expect(try folder.names("out").count == 2 && folder.names().contains("c\nd.mkv"))
  }

  /// `process` and `compare` name what ffmpeg does not read of a picture: further pages of a TIFF, and the orientation
  /// of a TIFF, a WebP or an AVIF.
  @Test func whatIsNotReadOfAPictureIsTold() throws {
    try folder.shell(
      """
      ffmpeg -v error -f lavfi -i color=red:size=8x4 -frames:v 1 -compression_algo raw plain.tif
      ffmpeg -v error -f lavfi -i color=red:size=8x4 -frames:v 1 -lossless 1 plain.webp
      ffmpeg -v error -f lavfi -i color=red:size=8x4 -frames:v 1 -pix_fmt yuv444p plain.avif
      python3 - <<'END'
      import struct
      data = bytearray(open("plain.tif", "rb").read())
      start = struct.unpack("<I", data[4:8])[0]
      count = struct.unpack("<H", data[start:start + 2])[0]
      entries = data[start + 2:start + 2 + 12 * count]
      # The orientation takes the place of the program's name, in the order of tags.
      kept = [entries[i:i + 12] for i in range(0, 12 * count, 12) if entries[i:i + 2] != b"\\x31\\x01"]
      kept.append(struct.pack("<HHIHH", 0x112, 3, 1, 6, 0))
      turned = b"".join(sorted(kept, key=lambda entry: struct.unpack("<H", entry[:2])))
      open("turned.tif", "wb").write(data[:start + 2] + turned + data[start + 2 + 12 * count:])
      pages = data + struct.pack("<H", count) + entries + struct.pack("<I", 0)
      pages[start + 2 + 12 * count:start + 6 + 12 * count] = struct.pack("<I", len(data))
      open("pages.tif", "wb").write(pages)
      data = open("plain.webp", "rb").read()
      exif = struct.pack("<2sHIHHHIHHI", b"II", 42, 8, 1, 0x112, 3, 1, 6, 0, 0)
      chunk = b"EXIF" + struct.pack("<I", len(exif)) + exif
      open("turned.webp", "wb").write(b"RIFF" + struct.pack("<I", len(data) - 8 + len(chunk)) + data[8:] + chunk)
      data = open("plain.avif", "rb").read()
      place = data.index(b"colr") - 4
      length = struct.unpack(">I", data[place:place + 4])[0]
      for name, box in [("turned", b"irot\\1"), ("mirrored", b"imir\\0"), ("kept", b"irot\\0")]:
          rest = length - 9
          boxes = struct.pack(">I", 9) + box + struct.pack(">I4s", rest, b"free") + bytes(rest - 8)
          open(name + ".avif", "wb").write(data[:place] + boxes + data[place + length:])
      END
      """)
    for (name, line) in [
      ("turned.tif", "the orientation of turned.tif is left out"),
      ("turned.webp", "the orientation of turned.webp is left out"),
      ("turned.avif", "the orientation of turned.avif is left out"),
      ("mirrored.avif", "the orientation of mirrored.avif is left out"),
      ("pages.tif", "the further pages of pages.tif are left out"),
    ] {
      try folder.shell("safelight process \(name) -o \(name).png --progress none --device cpu").says(line)
      try folder.shell("safelight compare \(name) \(name).png").prints("not compared: ")
    }
    for (name, isTurned) in [("turned.tif", true), ("turned.webp", true), ("turned.avif", false)] {
      let told = try folder.safelight("process \(name) -o turned.png --auto-orient --progress none")
      #expect(try folder.image("turned.png").size == (isTurned ? Size(4, 8) : Size(8, 4)))
      #expect(told.errors.contains("the orientation of \(name) is left out") == !isTurned)
    }
    for name in ["plain.tif", "plain.webp", "plain.avif", "kept.avif"] {
      let told = try folder.shell("safelight process \(name) -o \(name).png --progress none --device cpu")
      #expect(!told.errors.contains("left out"), "\(told.errors)")
    }
  }

  /// A report has the name of a frame to come, or of their folder.
  @Test func aReportTakesNoFramesPlace() throws {
    for (name, text) in [("p/one.000002.png", "it would hold JSON"), ("new", "the folder of the frames")] {
      let output = name == "new" ? name : "p"
      try folder.shell(
        "mkdir -p p; safelight process one.mp4 -o \(output) --report \(name) --device cpu", code: 64
      ).says(text)
    }
    let picture = Tool.fixture("haze/haze.png")
    try folder.safelight("process '\(picture)' -o new --report new", code: 64).says("the folder of the frames")
    #expect(try folder.names("p") == [] && !folder.names().contains("new"))
    try folder.shell("safelight process one.mp4 -o p --report p/one.json --device cpu")
  }
}
