import Foundation
import SafelightFrames
import SafelightImage
import Testing

@Suite struct FFmpegFailureTests {
  private let folder = TemporaryFolder()

  /// Replaces ffmpeg by a script, or by nothing.
  private func programs(ffmpeg: String?) throws -> String {
    try folder.writeProgram("bin/ffprobe", "exec /usr/bin/ffprobe \"$@\"")
    if let ffmpeg { try folder.writeProgram("bin/ffmpeg", ffmpeg) }
    return folder("bin")
  }

  private func film(_ options: FFmpegOptions) async throws -> FFmpegSource {
    try await Videos.open("film.mov", options)
  }

  /// Opens the film, to be read by a script in the place of ffmpeg.
  private func film(by ffmpeg: String?) async throws -> FFmpegSource {
    try await film(FFmpegOptions(programFolder: programs(ffmpeg: ffmpeg)))
  }

  @Test func missingFFmpegHasARemedy() async throws {
    let none = FFmpegOptions(programFolder: folder.path)
    await expectError(.environment, mentioning: "ffprobe", "apt-get install ffmpeg") { _ = try await film(none) }
    let source = try await film(by: nil)
    await expectError(.environment, mentioning: "ffmpeg", "apt-get install ffmpeg") { _ = try await source.collected() }
  }

  @Test func missingInputsAreNamed() async throws {
    let text = try folder.write("a.txt", Array("no film".utf8))
    let cases: [(SafelightError.Kind, FFmpegInput, String, String)] = [
      (.missingInput, .file("/no/such.mov"), "/no/such.mov", "no such file"),
      (.missingInput, .camera("/dev/video-none"), "/dev/video-none", "no such file or device"),
      (.missingInput, .file(folder.path), "folder", "FrameSequenceSource"),
      (.input, .file(text), text, "status 1"), (.input, .file(text), text, "Invalid data"),
      (.input, .lavfi("nonsense"), "lavfi nonsense", "nonsense"), (.usage, .stream("-i"), "-i", "not an address"),
    ]
    for (kind, input, name, why) in cases {
      await expectError(kind, mentioning: name, why) { _ = try await FFmpegSource(input) }
    }
  }

  @Test func soundAloneIsNotAFilm() async throws {
    var wave = Array("RIFF".utf8) + [0xA4, 0, 0, 0] + Array("WAVEfmt ".utf8)
    wave += [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x40, 0x1F, 0, 0, 1, 0, 8, 0]
    wave += Array("data".utf8) + [0x80, 0, 0, 0] + [UInt8](repeating: 128, count: 128)
    let path = try folder.write("a.wav", wave)
    await expectError(.input, mentioning: path, "no video track") { _ = try await FFmpegSource(.file(path)) }
  }

  /// The pipe breaks anywhere: complete frames but the last arrive, and the error says how far the next one got.
  @Test(arguments: [0, 10, 100, 300, 387, 388, 400, 3000, 3200, 4000, 7000])
  func endsWithinAFrameAreMeasured(_ bytes: Int) async throws {
    let whole = try await film(FFmpegOptions()).collected()
    let frames = try await film(by: "/usr/bin/ffmpeg \"$@\" | head -c \(bytes)")
    var count = 0
    let error = await expectError(.transfer, mentioning: "film.mov") {
      for try await frame in frames {
        #expect(frame.planes == whole[count].planes)
        count += 1
      }
    }
    #expect(count == (bytes < 7000 ? 0 : 1))
    let text = error?.description ?? ""
    #expect(text.contains("before its first frame") || text.contains("in the middle of"), "\(text)")
    if bytes == 3000 || bytes == 4000 {
      #expect(text.contains(/in the middle of frame [12]: [1-9]\d* of 2772 bytes came/), "\(text)")
    }
  }

  @Test func statusAndLastMessagesAreReported() async throws {
    let source = try await film(by: "/usr/bin/ffmpeg \"$@\"; echo first >&2; echo the camera is gone >&2; exit 3")
    // The last one may be decoded in part.
    #expect(await source.count(before: .input, mentioning: "status 3 after 12 frames", "the camera is gone") == 11)
    await expectError(.transfer, mentioning: "signal 9", "before its first frame") {
      _ = try await film(by: "kill -9 $$").collected()
    }
  }

  @Test func truncatedFilmIsAnError() async throws {
    let bytes = try Videos.bytes("gray8.mkv")
    let path = try folder.write("cut.mkv", Array(bytes.dropLast(80)))
    let source = try await FFmpegSource(.file(path), options: FFmpegOptions(layout: .gray8))
    #expect(await source.count(before: .input, mentioning: path, "ended prematurely", "sent 1 frame:") == 0)
  }

  /// Of a large picture in a truncated file ffmpeg sends what it could decode, before it reports the end.
  @Test func framesDecodedInPartAreNotDelivered() async throws {
    let noise = "testsrc2=size=640x360:rate=10,noise=alls=60:allf=t"
    try folder.ffmpeg("-f lavfi -i \(noise) -frames:v 6 -c:v ffv1 \(folder("whole.nut"))")
    let bytes = try folder.read("whole.nut")
    let whole = try await FFmpegSource(.file(folder("whole.nut"))).collected()
    for part in [0.5, 0.7, 0.9] {
      let path = try folder.write("cut.nut", Array(bytes.prefix(Int(part * Double(bytes.count)))))
      let source = try await FFmpegSource(.file(path))
      var count = 0
      await expectError(.input, mentioning: path) {
        for try await frame in source {
          #expect(frame.planes == whole[count].planes, "\(part): frame \(count + 1)")
          count += 1
        }
      }
      #expect(count > 0, "\(part)")
    }
  }

  /// A file that a disk returns only in part looks damaged too; the film is at fault only if all of it can be read.
  @Test func failingDiskIsNotDamage() async {
    #expect(await VideoDamage.isIn(Videos.path("film.mov"), by: ["film.mov: corrupt input packet in stream 0"]))
    #expect(await !VideoDamage.isIn(Videos.path("film.mov"), by: ["film.mov: Input/output error"]))
    // Reading unmapped memory of a process fails with EIO.
    #expect(await !VideoDamage.isIn("/proc/self/mem", by: ["mem: corrupt input packet in stream 0"]))
  }

  /// ffmpeg succeeds between two frames, but the film has announced more.
  @Test func fewerFramesThanAnnouncedAreAnError() async throws {
    let others = "$(for a; do [ \"$a\" = pipe:1 ] || printf '%s\\n' \"$a\"; done)"
    let folder = try programs(ffmpeg: "exec /usr/bin/ffmpeg \(others) -frames:v 7 pipe:1")
    let source = try await film(FFmpegOptions(programFolder: folder))
    #expect(
      await source.count(before: .transfer, mentioning: "film.mov", "sent 7 frames", "announces 12", "counts 12") == 7)
    // As many as requested are enough.
    #expect(try await film(FFmpegOptions(frameLimit: 7, programFolder: folder)).collected().count == 7)
  }

  /// An edit list shows only a part of the announced frames: no error.
  @Test func hiddenFramesAreNotMissing() async throws {
    let path = folder("cut.mov")
    let whole = folder("whole.mov")
    try folder.ffmpeg("-f lavfi -i testsrc2=size=32x32:rate=25 -frames:v 50 -c:v libx264 -bf 0 -g 50 \(whole)")
    try folder.ffmpeg("-ss 0.8 -i \(whole) -c copy \(path)")
    let source = try await FFmpegSource(.file(path))
    let frames = try await source.collected()
    #expect(frames.count > 0 && frames.count < 50)
  }

  /// Larger, smaller, or another shape of as many pixels; the frames before arrive, as of a film that ends there.
  @Test(arguments: ["96x64", "32x24", "48x64"]) func aFrameOfAnotherSizeIsRefused(_ size: String) async throws {
    // More than ffprobe inspects.
    try folder.ffmpeg("-f lavfi -i testsrc=size=64x48:rate=10:duration=12 -pix_fmt yuv420p -bf 0 \(folder("one.h264"))")
    let other = folder("other.h264")
    try folder.ffmpeg("-f lavfi -i testsrc=size=\(size):rate=10:duration=1 -pix_fmt yuv420p -bf 0 \(other)")
    try folder.write("both.h264", folder.read("one.h264") + folder.read("other.h264"))
    for name in ["one", "both"] {
      try folder.ffmpeg("-f h264 -framerate 10 -i \(folder("\(name).h264")) -c copy \(folder("\(name).ts"))")
    }
    let options = FFmpegOptions(layout: .yCbCr420Planar8)
    let whole = try await FFmpegSource(.file(folder("one.ts")), options: options).collected()
    let source = try await FFmpegSource(.file(folder("both.ts")), options: options)
    var planes: [[PixelPlane]] = []
    await expectError(
      .input, mentioning: "both.ts", "frame 121 is \(size.replacing("x", with: "×"))", "announces 64×48", "scale=64:48"
    ) {
      for try await frame in source { planes.append(frame.planes) }
    }
    #expect(planes == whole.map(\.planes) && planes.count == 120)
    // A requested size does not hide the change.
    let scaled = try await FFmpegSource(.file(folder("both.ts")), options: FFmpegOptions(size: Size(16, 16)))
    await expectError(.input, mentioning: "frame 121 is") { _ = try await scaled.collected() }
  }

  /// If ffprobe has seen the other size already, it announces that.
  @Test func aSizeThatChangesAtOnceIsRefused() async throws {
    for (size, name) in [("64x48", "one"), ("96x64", "other")] {
      let film = folder("\(name).h264")
      try folder.ffmpeg("-f lavfi -i testsrc=size=\(size):rate=10:duration=1 -pix_fmt yuv420p -bf 0 \(film)")
    }
    let both = try folder.write("both.h264", folder.read("one.h264") + folder.read("other.h264"))
    let source = try await FFmpegSource(.file(both))
    await expectError(.input, mentioning: "64×48", "96×64", "announces") { _ = try await source.collected() }
  }

  @Test func unexpectedStreamsAreRefused() async throws {
    await expectError(.transfer, mentioning: "4×3 instead of 33×21") {
      _ = try await film(by: "exec cat '\(Videos.path("stream.nut"))'").collected()
    }
    await expectError(.transfer, mentioning: "does not begin with the signature of NUT") {
      _ = try await film(by: "while :; do echo no film at all; done").collected()
    }
  }

  @Test(arguments: [
    ("rtsp://user:secret@host/a?token=hidden", "rtsp://host/a?…"), ("https://host:80/a", "https://host:80/a"),
    ("open 'http://a:secret@b' or \"ftp://c@d/e?hidden\" now", "open 'http://b' or \"ftp://d/e?…\" now"),
    ("tcp://u:sec@ret@host", "tcp://host"), ("no address: //x", "no address: //x"), ("x://", "x://"),
  ])
  func secretsAreLeftOut(_ text: String, _ shown: String) { #expect(AddressText.withoutSecrets(text) == shown) }

  @Test func messagesContainNoSecrets() async throws {
    let address = "http://user:secret@127.0.0.1:1/film?token=hidden"
    let error = await expectError(.input, mentioning: "http://127.0.0.1:1/film") {
      _ = try await FFmpegSource(.stream(address))
    }
    let text = error?.description ?? ""
    #expect(!text.contains("secret") && !text.contains("hidden"), "\(text)")
  }

  // MARK: The child's end

  @Test func leavingTheLoopEndsTheChild() async throws {
    let folder = try programs(ffmpeg: "echo $$ >'\(self.folder("pid"))'; exec /usr/bin/ffmpeg \"$@\"")
    let source = try await FFmpegSource(.lavfi("testsrc2=size=64x48"), options: FFmpegOptions(programFolder: folder))
    for try await frame in source where frame.index == 2 { break }
    try await waitForEnd(of: self.folder.process())
  }

  @Test func cancellingEndsTheChildAndTheWait() async throws {
    let source = try await film(by: "echo $$ >'\(folder("pid"))'; exec sleep 1000")
    let waiting = Task { try await source.collected().count }
    let process = try await folder.process()
    waiting.cancel()
    #expect(try await waiting.value == 0)
    try await waitForEnd(of: process)
  }

  @Test func theEndOfTheFilmEndsTheChild() async throws {
    let source = try await film(by: "echo $$ >'\(folder("pid"))'; exec /usr/bin/ffmpeg \"$@\"")
    #expect(try await source.collected().count == 12)
    try await waitForEnd(of: folder.process())
  }
}
