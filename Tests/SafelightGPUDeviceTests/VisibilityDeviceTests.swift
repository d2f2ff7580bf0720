import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

@Suite struct VisibilityDeviceTests {
  /// Draws that are visible, outside, discarded, two of which one is visible, and without a test.
  @Test(arguments: TestDevice.all)
  func drawsSayWhetherAnyPixelPassed(_ test: TestDevice) throws {
    let device = try test.open()
    let pipeline = try device.makeRenderPipelineState(DrawingFunctions.descriptor())
    let discarding = try device.makeRenderPipelineState(
      DrawingFunctions.descriptor(DrawingFunctions.flat, Self.discarding))
    let answers = try device.makeBuffer(length: 48)
    let texture = try device.makeTexture(Size(4, 4), .rgba8Unorm)
    var pass = RenderPassDescriptor(texture: texture, loadAction: .clear(0, 0, 0, 0))
    pass.visibilityResultBuffer = answers
    let inside = Corner.everywhere
    let outside = [Corner(2, 2), Corner(3, 2), Corner(2, 3)]
    try device.run {
      $0.blit { $0.fill(answers, range: 0..<48, value: 0xee) }
      let encoder = $0.makeRenderCommandEncoder(pass)
      encoder.draw(inside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 8)
      encoder.draw(inside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 16)
      encoder.draw(outside, with: pipeline)
      encoder.setVisibilityResultMode(.boolean, offset: 24)
      encoder.draw(inside, with: discarding)
      encoder.setVisibilityResultMode(.boolean, offset: 32)
      encoder.draw(inside, with: pipeline)
      encoder.draw(outside, with: pipeline)
      encoder.setVisibilityResultMode(.disabled, offset: 40)
      encoder.draw(inside, with: pipeline)
      encoder.endEncoding()
    }
    let unasked: UInt64 = 0xeeee_eeee_eeee_eeee
    #expect(try device.contents(of: answers).words(UInt64.self) == [unasked, 1, 0, 0, 1, unasked])
  }

  private static let discarding = ShaderFunction(
    "discarding",
    """
    flat in vec4 vertexColor;
    layout(location = 0) out vec4 color;
    void main() { if (vertexColor.a > 0.5) discard; color = vertexColor; }
    """, arguments: [],
    twin: ShaderTwin(fragment: { fragment in
      var output = FragmentOutput(fragment.varyings[0])
      output.isDiscarded = fragment.varyings[0].w > 0.5
      return output
    }))
}
