import Glibc
import Safelight
import SafelightGPU
import SafelightShaders
import Synchronization
import TestSupport
import Testing

@Suite("Huge frames in bands of rows: the files, the hashes and the words of whole ones")
struct FrameBandsDeviceTests {
  static let filters = ["saturation=1.5", "gamma=1.3,hue=40", "posterize=3,threshold", "passthrough", ""]

  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func filesAreThoseOfWholePictures(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let run = try BandedRun(test.open())
    for channels in [Channels.rgb, .gray, .rgba, .grayAlpha] {
      for (size, bands) in [
        (Size(17, 31), [7, 7, 7, 7, 3]), (Size(33, 5), [5]), (Size(1, 6), [4, 2]), (Size(9, 3), [1, 1, 1]),
      ] {
        try run.write("a.png", SyntheticImage.noise.image(size, channels: channels, depth: depth))
        for filter in Self.filters where !channels.isGray || !filter.contains("hue") {
          let label = Comment(rawValue: "\(channels) \(size) '\(filter)'")
          let whole = try await run.make(filter, isWhole: true)
          let banded = try await run.make(filter, rows: bands[0])
          #expect(whole.heights == [size.height] && banded.heights == bands, label)
          #expect(whole.files == banded.files && whole.pixels == banded.pixels, label)
          #expect(whole.files.count == 1 && whole.pixels.count == 1, label)
        }
      }
    }
  }

  @Test(arguments: TestDevice.all)
  func metadataAndWarningsTravel(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open())
    let image = SyntheticImage.ramp.image(Size(17, 31), channels: .rgb, depth: .bits8)
    var file = PNGFile(image: image)
    file.metadata.chunks = [PNGChunk(type: "tEXt", data: Array("a\0b".utf8))]
    file.metadata.trailingChunks = [PNGChunk(type: "abCd", data: [1, 2])]
    try run.write("a.png", PNGEncoder.encode(file) + [1, 2, 3], of: image)
    let whole = try await run.make("srgb-to-linear", isWhole: true)
    let banded = try await run.make("srgb-to-linear", rows: 4)
    #expect(banded.files == whole.files && banded.heights.count == 8)
    #expect(banded.warnings == whole.warnings && !banded.warnings.isEmpty)
  }

  @Test(arguments: TestDevice.all)
  func whatNeedsTheWholePictureGetsIt(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open(), over: .noise)
    for filter in [
      "flip=vertical", "orient=6", "equalize=smooth=3", "gamma=2,flip=vertical", "pad=top=1:edge=mirror",
      "pad=bottom=1:edge=wrap",
    ] {
      let made = try await run.make(filter, rows: 4)
      #expect(made.heights.count == 1, "\(filter)")
      // All of it is in memory, so the fast libraries write it.
      #expect(try await run.make(filter, codec: PNGCodec()).files == made.files, "\(filter)")
    }
  }

  /// Windows, statistics, sizes and second pictures: of each filter the first example on OpenGL ES, all on the CPU.
  @Test(arguments: TestDevice.all, SampleDepth.allCases)
  func everyFilterMakesTheFilesOfWholePictures(_ test: TestDevice, _ depth: SampleDepth) async throws {
    let run = try BandedRun(test.open())
    let (size, isCPU) = (Size(23, 150), try test.open().info.isCPU)
    try run.write("a.png", SyntheticImage.noise.image(size, channels: .rgba, depth: depth))
    for entry in FilterCatalogue.entries {
      let words = FilterWords.examples.filter { $0.hasPrefix("\(entry.description.name)=") }
      for example in entry.examples.prefix(isCPU ? .max : 1) + words.prefix(isCPU ? .max : 1) {
        let isSecond = entry.description.parameter("with") != nil && !example.contains("image=")
        let separator = example.contains("=") ? ":" : "="
        let call = (isSecond ? "\(example)\(separator)with=\(run.path(of: "a.png"))" : example)
          .replacing("MASK.png", with: run.path(of: "a.png"))
        let whole = try await run.make(call, isWhole: true)
        let banded = try await run.make(call, rows: 11)
        #expect(banded.files == whole.files && banded.pixels == whole.pixels, "\(call)")
        #expect(banded.measured == whole.measured && banded.errors == whole.errors, "\(call)")
        // Results of few rows are one band.
        guard whole.errors.isEmpty, whole.heights.allSatisfy({ $0 > 22 }) else { continue }
        #expect((banded.heights.count == 1) == Self.whole.contains(call), "\(call) \(banded.heights)")
      }
    }
  }

  /// Those of which a row of the result needs rows from below, or more than a quarter of the picture, or other frames.
  private static let whole: Set = [
    "blur=9:rule=fine", "box=301", "equalize=smooth=3", "equalize=rule=ffmpeg:strength=1:intensity=0.1:smooth=2",
    "flip=vertical", "orient=3", "orient=4", "orient=5", "orient=6", "orient=7", "orient=8", "rotate=90", "rotate=180",
    "rotate=-90", "transpose", "pad=left=30:top=50:right=20:bottom=70:edge=mirror",
    "pad=left=2:top=100:right=50:bottom=3:edge=wrap", "crop=percent=150:gravity=center:pad=mirror",
    "affine='0.9 0.3 -2.4 -0.2 1.1 3.6'", "affine='0.9 0.3 -2.4 -0.2 1.1 3.6':mode=nearest:color=white",
    "affine='0.4 0.1 3 0.2 0.3 2':edge=mirror:width=29:height=31:alpha=as-is", "affine='1 0 3 0 1 -2'",
    "perspective=to='3/1 40/9 36/25 1/30':mode=bicubic:color=gray",
    "perspective=to='2/9 30/8 60/40 -20/40':mode=lanczos:edge=mirror:width=33:height=30",
    "rotate=30", "rotate=200:mode=bicubic:edge=mirror", "rotate=45:size=keep:mode=lanczos:alpha=as-is",
    "rotate=90:size=keep", "undistort=k1=-0.3:k2=0.1:p1=0.01:p2=-0.02:k3=0.05:fx=20",
    "undistort=k1=0.4:fx=15:fy=25:cx=7:cy=3.5:mode=nearest:edge=clamp",
    "undistort=k1=-0.2:k2=0.05:p1=0.1:fx=30:mode=bicubic:color=gray",
    "undistort=k1=-0.5:p2=0.05:fx=18:mode=lanczos:edge=mirror",
    "undistort=k1=3:k2=-2:k3=1:fx=40:edge=mirror:alpha=as-is",
    "redact=pixelate:region=90x90-2+1:block=128",
  ]

  /// Rows around a region are asked for in time, also where the probes of a huge picture's rows miss it.
  @Test(
    arguments: TestDevice.all,
    [
      "blur=7:region=11x90+3+200", "blur=7:region=9x9+0+100:opacity=0.5", "median=7:region=9x20-3+381",
      "redact=blur:region=9x40+3+202:sigma=4", "blur=3:region=9x9+0+0:mask=MASK", "stretch=region=9x30+0+77,blur=2",
      "equalize=opacity='0.5@1 1@4'", "box=5:region=12x50+0+100:opacity='0.2@1 0@4'",
    ])
  func regionsLieAnywhere(_ test: TestDevice, _ filter: String) async throws {
    let run = try BandedRun(test.open(), over: .noise, Size(23, 400))
    try run.write("mask.png", SyntheticImage.ramp.image(Size(23, 400), channels: .gray, depth: .bits8))
    let filter = filter.replacing("MASK", with: "'\(run.path(of: "mask.png"))'")
    let whole = try await run.make(filter, isWhole: true)
    for rows in [3, 11, 60] {
      let banded = try await run.make(filter, rows: rows)
      #expect(banded.files == whole.files && banded.heights.count > 2 && whole.errors.isEmpty, "\(rows) rows")
    }
  }

  @Test(
    "chains with several surveys",
    arguments: TestDevice.all,
    [
      "blur=2,stretch,median=3", "stretch,equalize=channels=each,mean", "sobel,clahe",
      "mean,box=5,stretch,mean,crop=x=2:y=31:width=9:height=40",
    ])
  func chains(_ test: TestDevice, _ filter: String) async throws {
    let run = try BandedRun(test.open(), over: .noise, Size(23, 150))
    let whole = try await run.make(filter, isWhole: true)
    let banded = try await run.make(filter, rows: 11)
    #expect(banded.files == whole.files && banded.pixels == whole.pixels && banded.measured == whole.measured)
    #expect(banded.heights.count > 2 && whole.files.count == 1)
  }

  @Test(arguments: TestDevice.all)
  func bandsWiderThanATextureLieInTiles(_ test: TestDevice) async throws {
    let device = try test.open()
    let width = min(device.capabilities.maximumTextureSize, 16384) + 20
    let run = try BandedRun(device, over: .noise, Size(width, 40))
    for filter in ["blur=1,stretch,median=3", "flip=horizontal"] {
      let whole = try await run.make(filter, isWhole: true)
      let banded = try await run.make(filter, rows: 9)
      #expect(banded.files == whole.files && banded.heights.count > 2 && whole.files.count == 1, "\(filter)")
    }
  }

  @Test(arguments: TestDevice.all)
  func framesGoOneAtATime(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open())
    // Their widths tell them apart.
    for index in 0..<4 {
      try run.write("\(index).png", SyntheticImage.noise.image(Size(20 + index, 31), channels: .rgb, depth: .bits8))
    }
    let whole = try await run.make("saturation=1.5", isWhole: true)
    let banded = try await run.make("saturation=1.5", rows: 4)
    #expect(whole.files == banded.files && banded.files.count == 4)
    let frames = banded.sizes.map(\.width).reduce(into: [Int]()) { if $0.last != $1 { $0.append($1) } }
    #expect(banded.heights.count == 32 && frames.count == 4, "\(banded.sizes)")
  }

  @Test(arguments: TestDevice.all)
  func existingFilesAreKnownAgain(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open(), over: .noise)
    let filter = "saturation=1.5"
    let first = try await run.make(filter, isWhole: true)
    for rule in [FramePipeline.Existing.verify, .skip] {
      let again = try await run.make(filter, rows: 4, existing: rule)
      #expect(again.statuses == [.skipped] && again.heights.isEmpty && again.files == first.files)
    }
    try run.write("a.png", SyntheticImage.flat.image(Size(17, 31), channels: .rgb, depth: .bits8))
    let changed = try await run.make(filter, rows: 4, existing: .verify)
    #expect(changed.statuses == [.done] && changed.files != first.files)
    #expect(changed.warnings == ["made anew: the existing file was made from other input"])
    #expect(try await run.make(filter, isWhole: true, existing: .verify).statuses == [.skipped])
    await #expect(throws: SafelightError.self) { _ = try await run.make(filter, rows: 4, existing: .fail) }
  }

  @Test(arguments: TestDevice.all)
  func failuresAreThoseOfWholePictures(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open())
    let image = SyntheticImage.noise.image(Size(70, 60), channels: .rgba, depth: .bits8)
    let sound = try PNGEncoder.encode(PNGFile(image: image), compression: .store)
    var flipped = sound
    flipped[sound.count - 1000] ^= 1
    for (bytes, filter) in [
      (sound.dropLast(1000), "saturation=1.5"), (flipped, "saturation=1.5"), (sound, "premultiply"),
      (sound.dropLast(1000), "blur=1"), (sound.dropLast(1000), "stretch,median=3"), (flipped, "crop=height=7"),
    ] {
      try run.write("a.png", bytes, of: image)
      let whole = try await run.make(filter, isWhole: true)
      let banded = try await run.make(filter, rows: 4)
      #expect(whole.errors == banded.errors && banded.errors.count == 1, "\(banded.errors)")
      #expect(try run.outputs().isEmpty, "no part of a file stays")
    }
    // Damage that only the last rows have is found behind bands that were written.
    try run.write("a.png", flipped, of: image)
    #expect(try await run.make("saturation=1.5", rows: 4).heights.count > 5)
  }

  @Test(arguments: TestDevice.gles)
  func theTwinsNameThePlaceInThePicture(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open(), over: .flat, Size(9, 31))
    let whole = try await run.make("invert", isWhole: true, twin: Device.open(.cpu))
    #expect(whole.errors.isEmpty)
    #expect(try await run.make("invert", rows: 4, twin: Device.open(.cpu)).files == whole.files)
    let wrong = CopyStage(failsAt: 5) { $0.dispatchOnce(wrongSample, storingInto: $1) }
    let differing = try await run.make("", rows: 4, twin: Device.open(.cpu), more: [wrong])
    #expect(differing.errors.first?.kind == .difference)
    #expect(differing.errors.first?.why.contains("(5, 22) green") == true, "\(differing.errors)")
    #expect(try run.outputs().isEmpty)
  }
}

extension FrameBandsDeviceTests {
  @Test("frames that do not fit into the budget go in bands, to the same files", arguments: TestDevice.all)
  func budget(_ test: TestDevice) async throws {
    let run = try BandedRun(test.open(), over: .noise, Size(100, 150))
    let filter = "median=3,stretch"
    let whole = try await run.make(filter, codec: PNGCodec())
    #expect(whole.heights == [150])
    let banded = try await run.make(filter, rows: 11, codec: PNGCodec(), memory: .bytes(30000))
    #expect(banded.heights.count > 2 && banded.files == whole.files && banded.files.count == 1)
  }

  @Test("what fits into no budget and goes in no bands is refused by name, and others go on")
  func refusals() async throws {
    let run = try BandedRun(Device.open(.cpu))
    for (name, size) in [("a.png", Size(100, 150)), ("b.png", Size(10, 15)), ("c.png", Size(100, 150))] {
      try run.write(name, SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8))
    }
    let made = try await run.make("flip=vertical", codec: PNGCodec(), memory: .bytes(30000))
    #expect(made.statuses == [.failed, .done, .failed] && made.files.keys.sorted() == ["b.png"])
    for (error, name) in zip(made.errors, ["a.png", "c.png"]) {
      #expect(error.kind == .resources && error.what.hasSuffix(name), "\(error)")
      #expect(error.why.contains("filter 'flip=axis=vertical' needs all of it"), "\(error)")
      #expect(error.setting == .memory)
    }
    // An existing output is kept, whatever memory its frame would take.
    _ = try await run.make("flip=vertical", codec: PNGCodec())
    let kept = try await run.make("flip=vertical", existing: .skip, codec: PNGCodec(), memory: .bytes(30000))
    #expect(kept.statuses == [.skipped, .skipped, .skipped])
  }

  @Test("a picture whose file changes between its readings leaves no output")
  func changes() async throws {
    let run = try BandedRun(Device.open(.cpu), over: .noise, Size(17, 90))
    let path = run.path(of: "a.png")
    // The last reading has begun when the stage behind the survey works.
    let touch = CopyStage(failsAt: 0) { _, _ in utime(path, nil) }
    let made = try await run.make("stretch", rows: 9, more: [touch])
    #expect(made.errors.first?.why.contains("written or replaced") == true, "\(made.errors)")
    #expect(try run.outputs().isEmpty)
  }

  @Test("frames wait until there is room for them")
  func room() async throws {
    let run = try BandedRun(Device.open(.cpu))
    for index in 0..<9 {
      try run.write("\(index).png", SyntheticImage.noise.image(Size(100, 150), channels: .rgb, depth: .bits8))
    }
    // Room for one frame, which takes five times its pixels, and its file.
    let made = try await run.make("flip=vertical", codec: PNGCodec(), memory: .bytes(6 * 60000))
    #expect(made.files.count == 9 && made.errors.isEmpty)
    #expect(made.endedBefore == Array(0..<9))
  }
}

/// The device and the twin make a different pixel of it.
private let wrongSample = ShaderFunction(
  name: "wrong",
  assembly: ShaderAssembly(texts: [
    """
    #include "Common/compute.glsl"
    layout(binding = 1, rgba8ui) writeonly uniform uimage2D destination;
    void main() {
      if (isOutsideGrid()) return;
      imageStore(destination, ivec2(5, 2), uvec4(1, 9, 3, 255));
    }
    """
  ]), arguments: [.storageTexture(1)],
  twin: ShaderTwin { arguments in
    let texture = arguments.texture(1)
    texture.withMutableSamples(of: UInt8.self) { samples in
      for (index, value) in [UInt8(1), 2, 3, 255].enumerated() {
        samples[(2 * texture.size.width + 5) * 4 + index] = value
      }
    }
  })

/// Runs over a folder of files that count as huge.
private final class BandedRun {
  /// The result of a run.
  struct Result {
    let files: [String: [UInt8]]
    let pixels: [Int: String]
    let sizes: [Size]
    /// The frames that had ended when each was on the device.
    let endedBefore: [Int]
    /// The numbers that filters found.
    let measured: [String]
    let ledger: FrameLedger
    var statuses: [FrameLedger.Status] { ledger.entries.map(\.status) }
    var warnings: [String] { ledger.entries.flatMap(\.warnings) }
    var errors: [SafelightError] { ledger.errors }
    var heights: [Int] { sizes.map(\.height) }
  }

  private let device: Device
  private let scratch = TemporaryFolder()
  private var bytesPerRow: [String: Int] = [:]

  init(_ device: Device) throws {
    self.device = device
    try scratch.make("out")
  }

  func write(_ name: String, _ image: Image) throws {
    try write(name, PNGEncoder.encode(PNGFile(image: image)), of: image)
  }

  /// A new run over one picture of three channels of 8 bits.
  convenience init(_ device: Device, over input: SyntheticImage, _ size: Size = Size(17, 31)) throws {
    try self.init(device)
    try write("a.png", input.image(size, channels: .rgb, depth: .bits8))
  }

  func write(_ name: String, _ bytes: [UInt8], of image: Image) throws {
    try scratch.write(bytes, to: "in/\(name)")
    bytesPerRow[name] = image.bytesPerRow
  }

  func path(of name: String) -> String { scratch.path("in/\(name)") }

  /// Returns the names of the files that a run left, with hidden ones.
  func outputs() throws -> [String] { try scratch.names("out") }

  /// Takes all files through `filter` and `more`: whole, or in bands of `rows` rows of the widest file.
  func make(
    _ filter: String, isWhole: Bool = false, rows: Int = 1, existing: FramePipeline.Existing = .overwrite,
    twin: Device? = nil, more: [any ImageStage] = [], codec: PNGCodec = PNGCodec(.auto, largestWrittenWhole: 0),
    memory: MemoryBudget = .automatic
  ) async throws -> Result {
    if existing == .overwrite { for name in try outputs() { try scratch.remove("out/\(name)") } }
    var options = FramePipeline.Options(jobs: 2, inFlight: 3)
    options.existing = existing
    options.pngCodec = codec
    options.memory = memory
    options.keepsGoing = memory != .automatic
    let (witness, turns) = (CopyStage(), TurnStage())
    let pixels = Mutex<[Int: String]>([:])
    let measured = Mutex<[String]>([])
    var chain = filter.isEmpty ? try FilterChain([], device: device) : try FilterChain(parsing: filter, device: device)
    chain.filters += more + [turns, witness]
    options.bandByteCount = rows * (bytesPerRow.values.max() ?? 1) * (chain.filters.count + 1)
    var observer = FramePipeline.Observer()
    observer.pixelsMade = { frame, hash in pixels.withLock { $0[frame.index] = hash } }
    observer.frameEnded = { _ in turns.ended.add(1, ordering: .relaxed) }
    observer.measured = { _, found in measured.withLock { $0 += found.map { "\($0)" } } }
    // An observer of pictures gets whole ones.
    if isWhole { observer.pictures = { _, _, _ in } }
    let frames = try FrameList([scratch.path("in")]).frames
    let processor = FrameProcessor(device: device, chain: chain, verifying: twin)
    let ledger = try await FramePipeline(processor, options: options)
      .run(frames.map { ($0, .file(scratch.path("out/\($0.name)"))) }, observer: observer)
    return Result(
      files: try Dictionary(uniqueKeysWithValues: outputs().map { ($0, try scratch.bytes("out/\($0)")) }),
      pixels: pixels.withLock { $0 }, sizes: witness.sizes.withLock { $0 },
      endedBefore: turns.endedBefore.withLock { $0 }, measured: measured.withLock { $0 }, ledger: ledger)
  }
}

/// Notes how many frames had ended when each was recorded.
private final class TurnStage: ImageStage {
  let isPointwise = true
  let ended = Atomic(0)
  let endedBefore = Mutex<[Int]>([])

  func encode(to buffer: CommandBuffer, source: TiledTexture, input: StageInput?, destination: TiledTexture) {
    buffer.copy(source, to: destination)
    endedBefore.withLock { $0.append(ended.load(ordering: .relaxed)) }
  }
}
