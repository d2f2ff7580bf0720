import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Functions in which threads that run in step vote.
@Suite struct GroupVoteDeviceTests {
  /// Bit 0: any thread's threshold is reached; bit 1: every thread's is; bit 2: all agree. Threadgroups whose threads
  /// agree have one answer whatever the hardware's width; if they differ, a thread's own word decides which bits are
  /// tested.
  private static let vote = ShaderFunction(
    "vote",
    """
    #extension GL_EXT_shader_group_vote : require
    #include "Common/compute.glsl"
    layout(binding = 0) uniform highp usampler2D source;
    layout(r32ui, binding = 1) writeonly uniform highp uimage2D destination;
    void main() {
      ivec2 place = ivec2(gl_GlobalInvocationID.xy);
      bool mine = texelFetch(source, place, 0).r > 9u;
      bool some = anyInvocationEXT(mine);
      bool every = allInvocationsEXT(mine);
      bool alike = allInvocationsEqualEXT(mine) == (some == every);
      uint answer = uint(mine && some) | uint(!mine && !every) << 1u | uint(alike) << 2u;
      imageStore(destination, place, uvec4(answer));
    }
    """,
    twin: ShaderTwin { arguments in
      for y in 0..<arguments.grid.height {
        for x in 0..<arguments.grid.width {
          let isMine = arguments.texture(0).texel(x, y).x > 9
          arguments.texture(1).setTexel(SIMD4(isMine ? 5 : 6, 0, 0, 0), x, y)
        }
      }
    })

  @Test(arguments: TestDevice.all + [TestDevice(name: "cpu-minimum")])
  func threadsVoteOrAreRefused(_ test: TestDevice) throws {
    let device = try test.open()
    guard device.capabilities.features.contains(.groupVote) else {
      return expectError(
        .unsupported, why: .containing("GL_EXT_shader_group_vote"), remedy: .containing("threadgroup memory")
      ) { try device.makeComputePipelineState(Self.vote) }
    }
    // Whole threadgroups: one of 0, one of 20, one of both.
    let size = Size(24, 8)
    let values = (0..<192).map { place -> UInt32 in
      switch place % 24 {
      case 0..<8: 0
      case 8..<16: 20
      default: UInt32(place % 3 * 9)
      }
    }
    let source = try device.makeTexture(size, .r32Uint)
    let target = try device.makeTexture(size, .r32Uint)
    try source.replace(region: source.bounds, withBytes: values.withUnsafeBytes { Array<UInt8>($0) })
    try device.dispatch(Self.vote, size) {
      $0.setTexture(source, index: 0)
      $0.setTexture(target, index: 1)
    }
    #expect(try target.getBytes().words(UInt32.self) == values.map { $0 > 9 ? UInt32(5) : 6 })
  }
}
