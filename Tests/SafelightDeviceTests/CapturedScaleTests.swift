import Safelight
import SafelightImage
import TestSupport
import Testing

extension CapturedKernelTests {
  /// A picture that is scaled has the tables, the region and the textures of the call that its origin names.
  @Test func scaledPicturesMustFitTheirCalls() async throws {
    for (function, filter) in [("warp", "bilinear"), ("resample", "lanczos"), ("render", "")] {
      let capture = try await capture { device in
        let picture = SyntheticImage.noise.image(Size(17, 11), channels: .rgb, depth: .bits8)
        var scale: any ImageScale =
          filter == "lanczos" ? ImageLanczosScale(device: device) : ImageBilinearScale(device: device)
        scale.clipRect = Region(x: 1, y: 2, width: 9, height: 30)
        if !filter.isEmpty {
          scale.scaleTransform = ScaleTransform(scaleX: 1.5, scaleY: 1.5, translateX: -3, translateY: 2)
        }
        try device.run { buffer in
          let target = try device.makeTexture(Size(12, 23), .rgba8Unorm)
          try scale.encode(to: buffer, source: buffer.texture(picture), destination: target)
        }
      }
      // The pass that makes the destination.
      let place = try #require(capture.manifest.commands.lastIndex { $0.origin != nil })
      #expect(try capture.place(of: function) <= place)
      expectRefusal(ofUniforms: capture, place)
      let origin = try #require(capture.manifest.commands[place].origin)
      let half = String((1.5).bitPattern, radix: 16)
      var changes = [
        ("1 2 9 21", "1 2 9 20"), ("1 2 9 21", "1 2 9 22"), ("12 23", "12 24"), ("12 23", "0 0"),
        ("17 11 pass", "999999 999999 pass"), ("rgba8Unorm", "rg8Unorm"),
      ]
      if !filter.isEmpty {
        changes += [
          (half, String((1.25).bitPattern, radix: 16)), (half, String(Double.nan.bitPattern, radix: 16)), (half, "0"),
          (half, "1"), (filter, filter == "lanczos" ? "bilinear" : "lanczos"), (filter, "cubic"),
        ]
      }
      for change in changes {
        #expect(origin.contains(change.0), "\(origin)")
        var changed = capture
        changed.manifest.commands[place].origin = origin.replacing(change.0, with: change.1)
        #expect(throws: SafelightError.self, "\(function): \(change.1)") { try replay(changed) }
      }
    }
  }
}
