import Foundation
import Safelight
import SafelightGPU
import SafelightImage
import TestSupport
import Testing

/// Second pictures that an app gives, in place of those that a chain names.
@Suite struct GivenPictureDeviceTests {
  private let frame = SyntheticImage.ramp.image(Size(33, 21), channels: .rgba, depth: .bits8)
  private let second = SyntheticImage.noise.image(Size(33, 21), channels: .rgb, depth: .bits8)
  private let small = SyntheticImage.noise.image(Size(7, 12), channels: .rgba, depth: .bits8)

  private func path(_ image: Image) throws -> String {
    let file = try PNGEncoder.encode(PNGFile(image: image), compression: .fast)
    return "'data:;base64,\(Data(file).base64EncodedString())'"
  }

  private func given(_ chain: String, _ pictures: [Image], on device: Device) async throws -> Image {
    let chain = try FilterChain(parsing: chain, givenSecondsOn: device)
    return try await FrameProcessor(device: device, chain: chain).process(frame, with: pictures)
  }

  /// Each goes to the first filter that lacks one.
  @Test(arguments: TestDevice.all) func theyAreThoseThatAChainCouldName(_ test: TestDevice) async throws {
    let device = try test.open()
    let (one, other) = (try path(second), try path(small))
    for (chain, pictures, named) in [
      ("blend=multiply", [second], "blend=multiply:with=\(one)"),
      ("over=x=5:y=3,add=fit=cover", [small, second], "over=x=5:y=3:with=\(other),add=fit=cover:with=\(one)"),
      (
        "average=fit=stretch:with=\(other),over=fit=contain", [small],
        "average=fit=stretch:with=\(other),over=fit=contain:with=\(other)"
      ),
      ("side-by-side=gap=2", [second], "side-by-side=gap=2:with=\(one)"),
      (
        "montage=columns=2:with='':with='':fit=cover", [second, small],
        "montage=columns=2:with=\(one):with=\(other):fit=cover"
      ),
      ("crossfade=length=9", [second], "crossfade=length=9:with=\(one)"),
    ] {
      let expected = try await FrameProcessor(named, on: device).process(frame)
      let made = try await given(chain, pictures, on: device)
      #expect(made.bytes == expected.bytes && made.size == expected.size, "\(chain)")
      #expect(made.bytes != frame.bytes, "\(chain)")
    }
  }

  @Test func othersAreRefused() async throws {
    let device = try Device.open(.cpu)
    for (chain, pictures, kind) in [
      ("blend", [], .usage), ("blend", [second, second], .usage), ("invert", [second], .usage),
      ("add", [small], .unsupported), ("over=x=99", [small], .unsupported),
      ("montage", [second], .usage), ("crossfade,add", [second, small], .unsupported),
    ] as [(String, [Image], SafelightError.Kind)] {
      await #expect("\(chain) of \(pictures.count)") {
        _ = try await given(chain, pictures, on: device)
      } throws: { ($0 as? SafelightError)?.kind == kind }
    }
  }
}
