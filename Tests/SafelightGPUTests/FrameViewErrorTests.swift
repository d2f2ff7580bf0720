import SafelightGPU
import SafelightImage
import Testing

@Suite struct FrameViewErrorTests {
  @Test func whoeverWaitsHearsWhyADelegateCouldNotDraw() async throws {
    let view = try FrameView(device: Device.open(.cpu), size: Size(4, 2), sink: CollectingFrameSink())
    let first = SafelightError(.unsupported, "layer", why: "it has two channels")
    view.note(first)
    view.note(SafelightError(.unsupported, "layer", why: "another"))
    #expect(throws: first) { try view.waitUntilPresented() }
    try await view.presented()
  }
}
