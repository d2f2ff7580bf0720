import Foundation
import Safelight
import TestSupport
import Testing

/// Captured passes that read second pictures: their origin says of which sizes, and what a position is to them.
@Suite struct CapturedSecondPictureTests {
  private func capture(_ chain: String) async throws -> Capture {
    let collector = CaptureCollector()
    let device = try Device.open(.cpu, options: DeviceOptions(capture: collector))
    let image = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
    _ = try await FrameProcessor(chain, on: device).process(image)
    return try #require(collector.captures.last)
  }

  private func replay(_ capture: Capture) throws {
    _ = try CaptureReplay(capture, device: Device.open(.cpu), twins: .kernels).run()
  }

  @Test func aPassNeedsItsSecondPictures() async throws {
    func named(_ size: Size) throws -> String {
      let image = SyntheticImage.noise.image(size, channels: .rgb, depth: .bits8)
      let file = try PNGEncoder.encode(PNGFile(image: image), compression: .fast)
      return "with='data:;base64,\(Data(file).base64EncodedString())'"
    }
    let (same, small) = (try named(Size(17, 11)), try named(Size(5, 4)))
    for (chain, function, origin, others) in [
      ("over=x=2:y=1:\(small)", "render", " with 5x4 ", [" with 5x5 ", " with 5x0 ", " "]),
      (
        "montage=\(same):\(same)", "render", " with 17x11,17x11 ",
        [" with 17x11 ", " with 17x11,17x11,17x11,17x11 ", " with 17x11,17 ", " with 17x11,5x4 "]
      ),
      ("side-by-side=\(same)", "render", " with 17x11 ", [" with 17x11,17x11 "]),
      ("montage=\(same)", "render", " with 17x11 ", [" ", " with 17x11,17x11 "]),
      ("crossfade=length=9:\(same)", "crossfade", " at 4 ", [" at 5 ", " at 0 ", " at 9 "]),
    ] {
      let capture = try await capture(chain)
      #expect(throws: Never.self, "\(chain)") { try replay(capture) }
      let place = try capture.place(of: function)
      let own = try #require(capture.manifest.commands[place].origin)
      #expect(own.contains(origin), "\(own)")
      for other in others {
        var changed = capture
        changed.manifest.commands[place].origin = own.replacing(origin, with: other)
        #expect(throws: SafelightError.self, "\(function)\(other)") { try replay(changed) }
      }
    }
  }
}
