import SafelightGLES
import Testing

/// Values are those of the EGL registry, written out: the header is what the code under test uses.
@Suite struct ContextRequestTests {
  private static let version: Set<Substring> = ["EGL_KHR_create_context"]
  private static let all: Set<Substring> = ["EGL_KHR_create_context", "EGL_EXT_create_context_robustness"]

  @Test func everythingIsTriedFromTheBestDown() {
    let ladder = ContextRequest.ladder(extensions: Self.all, isDebugging: true)
    #expect(
      ladder.map { [$0.isDebugging ? 1 : 0, $0.isRobust ? 1 : 0, $0.minor] } == [
        [1, 1, 2], [1, 1, 1], [1, 0, 2], [1, 0, 1], [0, 1, 2], [0, 1, 1], [0, 0, 2], [0, 0, 1],
      ])
  }

  @Test func nothingIsAskedThatTheDisplayDoesNotOffer() {
    #expect(ContextRequest.ladder(extensions: [], isDebugging: true).map(\.attributes) == [[0x3098, 3, 0x3038]])
    let versions = ContextRequest.ladder(extensions: Self.version, isDebugging: false)
    #expect(versions.map(\.attributes) == [[0x3098, 3, 0x30FB, 2, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3038]])
    let robust = ContextRequest.ladder(extensions: ["EGL_EXT_create_context_robustness"], isDebugging: true)
    #expect(robust.map(\.minor) == [0, 0])
    #expect(robust.map(\.isRobust) == [true, false])
    #expect(robust.allSatisfy { !$0.isDebugging })
  }

  @Test func aPlainContextIsAlwaysTheLastTry() {
    for extensions in [[], Self.version, Self.all] {
      for isDebugging in [false, true] {
        let last = ContextRequest.ladder(extensions: extensions, isDebugging: isDebugging).last
        #expect(last?.isRobust == false && last?.isDebugging == false)
      }
    }
  }

  @Test func attributesOfTheFullRequest() {
    let request = ContextRequest(minor: 2, isRobust: true, isDebugging: true)
    #expect(request.attributes == [0x3098, 3, 0x30FB, 2, 0x30FC, 1, 0x30BF, 1, 0x3138, 0x31BF, 0x3038])
  }

  /// A GBM display of Mesa 22.3 is EGL 1.4: the names that EGL 1.5 gave these attributes where it changed their values
  /// (robustness, debugging) are refused. Flags that say nothing are refused by others.
  @Test func attributesOfEGL14AloneAndNoEmptyFlags() {
    let of15: Set<Int32> = [0x31B0, 0x31B1, 0x31B2, 0x31BD]
    for request in ContextRequest.ladder(extensions: Self.all, isDebugging: true) {
      let names = stride(from: 0, to: request.attributes.count - 1, by: 2).map { request.attributes[$0] }
      #expect(of15.isDisjoint(with: names))
      #expect(names.contains(0x30FC) == request.isDebugging)
      #expect(request.attributes.last == 0x3038)
      #expect(request.attributes.count % 2 == 1)
    }
  }

  /// Ranks are asked for only where they can be, and given up before anything else is: a driver may refuse the context over them.
  @Test func aPriorityIsAskedForFirst() {
    let ranked = Self.version.union(["EGL_IMG_context_priority"])
    let high = ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .high).map(\.attributes)
    #expect(
      high == [
        [0x3098, 3, 0x30FB, 2, 0x3100, 0x3101, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3100, 0x3101, 0x3038],
        [0x3098, 3, 0x30FB, 2, 0x3038], [0x3098, 3, 0x30FB, 1, 0x3038],
      ])
    let low = ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .low)
    #expect(low.first?.attributes == [0x3098, 3, 0x30FB, 2, 0x3100, 0x3103, 0x3038])
    let plain = ContextRequest.ladder(extensions: ranked, isDebugging: false)
    #expect(ContextRequest.ladder(extensions: ranked, isDebugging: false, priority: .medium) == plain)
    #expect(ContextRequest.ladder(extensions: Self.version, isDebugging: false, priority: .high) == plain)
    #expect(DevicePriority.allCases.allSatisfy { DevicePriority(level: $0.level) == $0 })
    #expect(DevicePriority(level: 0x3357) == .medium)
  }
}
