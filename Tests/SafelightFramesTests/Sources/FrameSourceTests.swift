import SafelightFrames
import SafelightImage
import Testing

@Suite struct FrameSequenceSourceTests {
  private let folder = TemporaryFolder()
  private static let duration = MediaTime(value: 1001, timescale: 30000)

  private func frames(_ images: [Image]) throws -> [Frame] {
    for (index, image) in images.enumerated() { try PNGFile(image: image).write(to: folder("f\(index).png")) }
    return try FrameList([folder.path]).frames
  }

  private func noise(_ count: Int, _ channels: Channels, _ depth: SampleDepth) -> [Image] {
    let all = SyntheticImage.noise.image(Size(5, 3 * count), channels: channels, depth: depth)
    let byteCount = 3 * all.bytesPerRow
    return (0..<count).map { index in
      let bytes = Array(all.bytes[index * byteCount..<(index + 1) * byteCount])
      return Image(size: Size(5, 3), channels: channels, depth: depth, bytes: bytes)
    }
  }

  @Test(arguments: [
    (Channels.rgb, SampleDepth.bits8, PixelLayout.rgba8), (.rgba, .bits16, .rgba16), (.gray, .bits8, .gray8),
    (.gray, .bits16, .gray16),
  ])
  func picturesFollowOneAnother(_ channels: Channels, _ depth: SampleDepth, _ layout: PixelLayout) async throws {
    let images = noise(4, channels, depth)
    let source = try FrameSequenceSource(frames(images), frameDuration: Self.duration)
    #expect(source.format.layout == layout && source.format.size == Size(5, 3))
    #expect(source.format.timeBase == MediaTime(value: 1, timescale: 30000))
    let frames = try await source.collected()
    var color = ColorDescription(
      matrix: .identity, range: .full, alpha: channels.hasAlpha ? .straight : channels.isGray ? .unspecified : .opaque)
    #expect(source.format.color == color)
    // A picture without alpha is described by its channels.
    if color.alpha == .opaque { color.alpha = .unspecified }
    #expect(
      frames.map { $0.image(channels: channels == .gray ? .rgba : channels) }
        == images.map { $0.replacing(bytes: $0.bytes, color: color) })
    #expect(frames.map(\.presentationTime.value) == [0, 1001, 2002, 3003])
    #expect(frames.allSatisfy { $0.duration == Self.duration && $0.presentationTime.timescale == 30000 })
    #expect(frames.map(\.index) == [0, 1, 2, 3])
  }

  @Test func otherLayoutsHoldTheSameSamples() async throws {
    let colors = noise(1, .rgba, .bits8)
    let blueFirst = try FrameSequenceSource(frames(colors), frameDuration: Self.duration, layout: .bgra8)
    let pixel = try #require(try await blueFirst.collected().first?.planes[0].bytes.prefix(4))
    #expect(Array(pixel) == [colors[0].bytes[2], colors[0].bytes[1], colors[0].bytes[0], colors[0].bytes[3]])

    let gray = noise(1, .gray, .bits8)
    let wide = try FrameSequenceSource(frames(gray), frameDuration: Self.duration, layout: .rgba8)
    #expect(try await wide.collected().first?.planes[0].bytes == gray[0].bytes.flatMap { [$0, $0, $0, 255] })

    let deep = noise(1, .gray, .bits16)
    let wideDeep = try FrameSequenceSource(frames(deep), frameDuration: Self.duration, layout: .rgba16)
    let (low, high) = (deep[0].bytes[0], deep[0].bytes[1])
    #expect(
      try await wideDeep.collected().first?.planes[0].bytes.prefix(8) == [low, high, low, high, low, high, 255, 255])
  }

  @Test func layoutsThatLoseAreRefused() throws {
    let frames = try frames(noise(1, .rgb, .bits16))
    expectError(.unsupported, mentioning: "rgba16", "bgra8") {
      _ = try FrameSequenceSource(frames, frameDuration: Self.duration, layout: .bgra8)
    }
    expectError(.usage, mentioning: "0/30 s") {
      _ = try FrameSequenceSource(frames, frameDuration: MediaTime(value: 0, timescale: 30))
    }
    expectError(.missingInput, mentioning: "empty") { _ = try FrameSequenceSource([], frameDuration: Self.duration) }
  }

  @Test func changesOfSizeOrLayoutAreErrors() async throws {
    let small = SyntheticImage.ramp.image(Size(4, 3), channels: .rgb, depth: .bits8)
    let source = try FrameSequenceSource(frames(noise(2, .rgb, .bits8) + [small]), frameDuration: Self.duration)
    #expect(await source.count(before: .input, mentioning: "f2.png", "4×3", "5×3") == 2)
    let deep = try FrameSequenceSource(
      frames(noise(1, .rgb, .bits8) + noise(1, .rgb, .bits16)), frameDuration: Self.duration, layout: .rgba8)
    await expectError(.unsupported, mentioning: "f1.png", "rgba16", "rgba8") { _ = try await deep.collected() }
  }

  /// The kind that loses nothing is known before the first frame, whatever comes first.
  @Test(arguments: [
    ([(Channels.gray, SampleDepth.bits8), (.rgb, .bits8)], PixelLayout.rgba8, AlphaMode.opaque),
    ([(.rgb, .bits8), (.rgba, .bits8), (.gray, .bits8)], .rgba8, .straight),
    ([(.gray, .bits8), (.gray, .bits16)], .gray16, .unspecified),
    ([(.gray, .bits16), (.rgb, .bits8)], .rgba16, .opaque),
    ([(.grayAlpha, .bits8), (.rgb, .bits16)], .rgba16, .straight),
  ])
  func picturesAreMadeOfOneKind(
    _ kinds: [(Channels, SampleDepth)], _ layout: PixelLayout, _ alpha: AlphaMode
  ) async throws {
    let images = kinds.map { noise(1, $0.0, $0.1)[0] }
    let source = try FrameSequenceSource(frames(images), frameDuration: Self.duration)
    #expect(source.format.layout == layout && source.format.color.alpha == alpha)
    let read = try await source.collected()
    #expect(read.count == images.count)
    for (frame, image) in zip(read, images) {
      let made = try #require(frame.image())
      for (x, y) in [(0, 0), (4, 2), (2, 1)] {
        let factor = made.depth == image.depth ? 1 : 257
        for sample in 0..<made.pixelFormat.samplesPerPixel {
          let isAlpha = sample == 3
          let largest = made.depth == .bits8 ? 255 : 65535
          let wanted =
            isAlpha && !image.channels.hasAlpha
            ? largest : factor * image[x: x, y: y, sample: image.channels == .gray ? 0 : sample]
          #expect(made[x: x, y: y, sample: sample] == wanted)
        }
      }
    }
  }

  @Test func missingFilesAreErrors() async throws {
    let frames = try frames(noise(1, .rgb, .bits8)) + [Frame(index: 1, number: 2, path: folder("gone.png"))]
    let source = try FrameSequenceSource(frames, frameDuration: Self.duration)
    await expectError(.missingInput, mentioning: "gone.png") { _ = try await source.collected() }
  }

  @Test func timesOutOfRangeAreErrors() async throws {
    let source = try FrameSequenceSource(
      frames(noise(3, .gray, .bits8)), frameDuration: MediaTime(value: .max / 2 + 1, timescale: 1))
    await expectError(.limit, mentioning: "f2.png", "out of range") { _ = try await source.collected() }
  }
}

@Suite struct EvenSourceTests {
  /// Times in thirtieths, one per frame: a frame that is a whole frame late or early is not even.
  @Test func framesAreHeldToTheirPlaces() async throws {
    for (times, uneven) in [([5, 6, 7, 8], nil), ([0, 1, 3], 2), ([0, 1, 1], 2), ([0, 1, 2, 2, 4], 3)] {
      let script = ScriptedSource()
      for (index, time) in times.enumerated() { script.give(index, at: Int64(time)) }
      script.end()
      let even = try EvenSource(script, name: "script")
      var came = 0
      do throws(SafelightError) {
        for try await _ in even { came += 1 }
        #expect(uneven == nil, "\(times)")
      } catch {
        #expect(error.kind == .unsupported && error.why.contains("frame \(came + 1) is shown"), "\(error)")
        #expect(came == uneven, "\(times)")
      }
    }
  }
}

@Suite struct TimedFramesTests {
  private func time(_ thirtieths: Int64) -> MediaTime { MediaTime(value: thirtieths, timescale: 30) }

  @Test func theLastFrameThatHasBegunIsShown() async throws {
    let source = ScriptedSource()
    for (index, time) in [(0, 2), (1, 4), (2, 5), (3, 9)] as [(Int, Int64)] { source.give(index, at: time) }
    source.end()
    var frames = TimedFrames(source)
    for (now, index) in [(1, nil), (2, 0), (3, 0), (5, 2), (4, 2), (8, 2), (9, 3), (100, 3)] as [(Int64, Int?)] {
      #expect(try await frames.frame(at: time(now))?.index == index, "at \(now)")
    }
  }

  @Test func oneFrameIsReadAhead() async throws {
    let source = ScriptedSource()
    for index in 0..<5 { source.give(index) }
    var frames = TimedFrames(source)
    #expect(source.asked.value == 0)
    _ = try await frames.frame(at: time(1))
    #expect(source.asked.value == 3)
    _ = try await frames.frame(at: time(1))
    #expect(source.asked.value == 3)
  }

  @Test func failuresComeThrough() async throws {
    let source = ScriptedSource()
    source.give(0)
    source.fail("the cable is out")
    var frames = TimedFrames(source)
    await #expect(throws: SafelightError.self) { try await frames.frame(at: time(0)) }
  }
}

@Suite struct HandoverTests {
  @Test func elementsKeepTheirOrder() async throws {
    let handover = Handover<Int>(capacity: 2)
    let producer = Task {
      for number in 0..<1000 { guard await handover.send(number) else { return false } }
      handover.finish()
      return true
    }
    var next = 0
    while let number = try await handover.next() {
      #expect(number == next)
      next += 1
    }
    #expect(next == 1000)
    #expect(await producer.value)
    #expect(try await handover.next() == nil)
  }

  @Test func remainingElementsPrecedeTheFailure() async throws {
    let handover = Handover<Int>(capacity: 2)
    #expect(await handover.send(7))
    handover.finish(SafelightError(.transfer, "source", why: "it died"))
    #expect(try await handover.next() == 7)
    await expectError(.transfer, mentioning: "it died") { _ = try await handover.next() }
    #expect(try await handover.next() == nil)
    #expect(await handover.send(8) == false)
  }

  /// No more than the capacity is accepted while nothing is consumed.
  @Test func theProducerWaits() async throws {
    let handover = Handover<Int>(capacity: 3)
    let sent = Counter()
    let producer = Task {
      for number in 0..<10 where await handover.send(number) { sent.increment() }
    }
    await sent.wait(until: 3)
    for _ in 0..<100 { await Task.yield() }
    #expect(sent.value == 3)
    #expect(try await handover.next() == 0)
    await sent.wait(until: 4)
    #expect(handover.close() == [1, 2, 3])
    await producer.value
    #expect(sent.value == 4)
  }

  @Test func cancellingTheConsumerEndsBoth() async throws {
    let handover = Handover<Int>(capacity: 1)
    let consumer = Task { try await handover.next() }
    consumer.cancel()
    #expect(try await consumer.value == nil)
    #expect(await handover.send(1) == false)
  }

  @Test func memoryIsReused() {
    let memory = PlanePool(byteCounts: [4, 2], limit: 1)
    var planes = memory.take()
    #expect(planes.map(\.isEmpty) == [true, true])
    #expect(planes[0].capacity >= 4)
    planes[0] = [1, 2, 3, 4]
    var lease: FrameLease? = memory.lease(planes)
    planes = memory.take()
    #expect(memory.allocations == 2)
    let second = memory.lease(planes)
    #expect(lease != nil)
    lease = nil
    #expect(memory.take().map(\.isEmpty) == [true, true])
    #expect(memory.allocations == 2)
    withExtendedLifetime(second) {}
  }
}
