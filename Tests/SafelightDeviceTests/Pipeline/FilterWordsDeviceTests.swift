import Foundation
import Safelight
import SafelightGPU
import SafelightImage
import SafelightKernels
import TestSupport
import Testing

/// The words that every filter takes. The pixels of regions, masks and opacity are those of NumPy in
/// fixtures/golden/tone; here is what depends on a frame's place in a sequence.
@Suite struct FilterWordsDeviceTests {
  private let picture = SyntheticImage.noise.image(Size(37, 23), channels: .rgb, depth: .bits8)

  /// 5×4 pixels of eight alphas.
  private let speck =
    "'data:;base64,iVBORw0KGgoAAAANSUhEUgAAAAUAAAAECAYAAABGM/VAAAAAX0lEQVR42gFUAKv/AAAo/wAlg/L/St7lAW852P6"
    + "UlMuAALnvvn/eSrFAA6WkyCgAlwBNW4r/AHK2fQGXEXD+vGxjgOHHVn8GIklAACt9PMhQ2C8AdTMi/5qOFQG/6Qj+lmombyYDc18"
    + "AAAAASUVORK5CYII='"

  private func made(_ chain: String, at position: Int?, _ device: Device) async throws -> Image {
    let processor = try FrameProcessor(chain, on: device)
    return try await processor.process(picture, of: FrameIdentity(name: "a.png", position: position))
  }

  /// A value over time is that which a chain without time could name.
  @Test(arguments: TestDevice.all) func valuesOverTimeAreThoseOfTheirFrames(_ test: TestDevice) async throws {
    let device = try test.open()
    for (chain, position, expected) in [
      ("gamma='1@1 2@5'", 2, "gamma=1.5"), ("gamma='1@1 2@5'", 0, "gamma=1"), ("gamma='1@1 2@5'", 9, "gamma=2"),
      ("gamma='3@1 2@5'", nil, "gamma=3"), ("invert=opacity='0@1 1@5'", 1, "invert=opacity=0.25"),
      ("blur=2:opacity='0@1 1@5'", 0, "passthrough"), ("blur=2:opacity='0@1 1@5'", 7, "blur=2"),
      ("crop=width=9:height=8:x='0@1 20@11':y=3", 5, "crop=width=9:height=8:x=10:y=3"),
      ("rotate='0@1 30@4':size=keep", 2, "rotate=20:size=keep"),
      ("saturation='0@1 2@3',gamma='1@1 2@3'", 1, "saturation=1,gamma=1.5"),
      ("stretch=low='0.1@1 0.3@3':region=20x20+0+0", 1, "stretch=low=0.20001220703125:region=20x20+0+0"),
      ("text='x':x='1@1 9@9':opacity='1@1 0@9'", 4, "text='x':x=5:opacity=0.5"),
      // Text and pictures that move may begin outside the frame.
      ("text='x':size=20:y='900@1 0@9'", 0, "passthrough"), ("text='x':y='900@1 0@9'", 8, "text='x'"),
      ("over=image=\(speck):x='60@1 0@9'", 0, "passthrough"),
      ("over=image=\(speck):x='60@1 4@9'", 8, "over=\(speck):x=4"),
      ("over=with=\(speck):y='-9@1 0@9'", 0, "passthrough"),
      ("over=with=\(speck):y='-9@1 2@9'", 8, "over=\(speck):y=2"),
    ] as [(String, Int?, String)] {
      let images = (try await made(chain, at: position, device), try await made(expected, at: position, device))
      #expect(images.0 == images.1, "\(chain) at \(position ?? -1)")
    }
  }

  /// Frames go through one chain, as in a run, whose stages keep plans and memory.
  @Test(arguments: TestDevice.all) func framesOfOneChainHaveTheirOwnValues(_ test: TestDevice) async throws {
    let device = try test.open()
    let processor = try FrameProcessor("blur=1.5:opacity='0@1 1@40':frames='3-30,35',exposure='-1@2 1@20'", on: device)
    for position in [0, 1, 17, 33, 34, 25, 2, 39, 17] {
      let made = try await processor.process(picture, of: FrameIdentity(name: "a.png", position: position))
      let stop = min(max(-1 + 2 * Double(position - 1) / 18, -1), 1)
      let exposure = "exposure=\((stop * 65536 + 0.5).rounded(.down) / 65536)"
      let share = ((Double(position) / 39) * 65536 + 0.5).rounded(.down) / 65536
      let isChosen = (2...29).contains(position) || position == 34
      let expected = try await self.made(
        isChosen ? "blur=1.5:opacity=\(share),\(exposure)" : exposure, at: nil, device)
      #expect(made == expected, "\(position)")
    }
  }

  /// A filter that remembers frames remembers none across a gap of those on which it works.
  @Test(arguments: TestDevice.all) func gapsBeginAnew(_ test: TestDevice) async throws {
    let device = try test.open()
    let frames = (0..<6).map { number in
      SyntheticImage.noise.image(Size(37, 23 + number), channels: .rgb, depth: .bits8)
    }.map { Image(size: Size(37, 23), channels: .rgb, depth: .bits8, bytes: Array($0.bytes.suffix(37 * 23 * 4))) }
    func made(_ chain: String, _ positions: Range<Int>) async throws -> [Image] {
      let processor = try FrameProcessor(chain, on: device)
      var made: [Image] = []
      for position in positions {
        made.append(try await processor.process(frames[position], of: FrameIdentity(name: "f", position: position)))
      }
      return made
    }
    let whole = try await made("equalize=smooth=3:frames='1-2,5-6'", 0..<6)
    #expect(whole[2] == frames[2] && whole[3] == frames[3])
    #expect(try await made("equalize=smooth=3", 0..<2) == Array(whole[..<2]))
    #expect(try await made("equalize=smooth=3", 4..<6) == Array(whole[4...]))
  }

  /// A region is measured like a picture of its own, its alpha too.
  @Test(arguments: TestDevice.all) func regionsAreMeasuredAlone(_ test: TestDevice) async throws {
    let device = try test.open()
    let whole = SyntheticImage.noise.image(Size(37, 23), channels: .rgba, depth: .bits8)
    let part = try await FrameProcessor("crop=width=9:height=7:x=5:y=3", on: device).process(whole)
    let means = try [("mean=region=9x7+5+3", whole), ("mean", part)].map { chain, image in
      let mean = try #require(try FilterChain(parsing: chain, device: device).filters.first?.measurement)
      let readback = try device.run { buffer in
        let source = TiledTexture(image, edge: 4096, label: "measured picture")
        let memory = try device.makeBuffer(length: mean.byteCount(of: source))
        mean.encode(to: buffer, source: source, into: memory, offset: 0)
        return buffer.blit { $0.read(memory, range: 0..<memory.length) }
      }
      return mean.values(try readback.contents(), of: image.descriptor).map(\.value)
    }
    #expect(means[0] == means[1] && means[0].count == 4)
  }

  /// Numbers that change what a picture's size or a window is, and words that contradict a filter, are refused before
  /// anything is made.
  @Test(
    arguments: [
      ("blur=sigma='2@1 4@9'", .usage, "sigma changes how far it looks around a pixel"),
      ("median='3@1 5@9'", .usage, "diameter=4"),
      ("resize=width='20@1 30@9'", .usage, "width changes the size of its result from 20×12 to 21×13"),
      ("invert=opacity=0.5:region=8x8+37+0", .unsupported, "outside"),
      ("mean=opacity=0.5", .unsupported, "it only measures"),
      ("mean=mask=MASK:region=2x2+0+0", .unsupported, "measures"),
      ("crop=width=8:opacity=0.5", .unsupported, "opacity keeps pixels of both"),
      ("srgb-to-linear=region=8x8+0+0", .unsupported, "another meaning"),
      ("clahe=region=9x9+0+0", .unsupported, "tiles"),
      ("crossfade=length='1@1 2@2':with=MASK", .usage, "by their positions itself"),
      ("resize=percent=50:frames=2", .unsupported, "have another size"),
      ("orient=6:frames=2", .unsupported, "have another size"),
      ("premultiply=frames=2", .unsupported, "another meaning"),
      ("rotate='0@1 360@10'", .usage, "at position 2"),
      ("pad=left='0@1 5@3':right='5@1 0@3'", .usage, "left and right change the size"),
      ("box='1@1 3@2 5@3'", .usage, "looks around a pixel"),
      ("equalize=smooth=0.1s:rate='20@1 48@5'", .usage, "remembers"),
      ("equalize=table=TABLE:opacity=0.5", .usage, "made already"),
      ("levels=black='0.1@1 0.6@9':white='0.9@1 0.5@9'", .usage, "black"),
    ] as [(String, SafelightError.Kind, String)])
  func contradictionsAreRefused(_ chain: String, _ kind: SafelightError.Kind, _ text: String) async throws {
    let device = try Device.open(.cpu)
    let file = try PNGEncoder.encode(PNGFile(image: picture), compression: .fast)
    let chain = chain.replacing("MASK", with: "'data:;base64,\(Data(file).base64EncodedString())'")
    await #expect("\(chain)") {
      _ = try await self.made(chain, at: 9, device)
    } throws: { error in
      guard let error = error as? SafelightError else { return false }
      return error.kind == kind && "\(error)".contains(text)
    }
  }
}
