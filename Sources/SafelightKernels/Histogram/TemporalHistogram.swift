package import SafelightImage
internal import SafelightShaders

/// The sum of the histograms of the last pictures of a film, since the last scene cut, for temporal equalization.
///
/// The sum for a picture is that of its own histogram and those before it, `length` at most, back to the last cut. The
/// first picture is a cut, and so is one of which a share of the samples above ``cut`` moved to another of 64 groups of
/// neighboring entries, in which noise between neighboring values counts little; the page Equalization has the formula.
/// Pictures of another size or format begin a new scene too. The sum depends on no more than `length − 1` pictures
/// before its own, whenever counting began. Sums must stay below 2³² (``check(_:)``).
package struct TemporalHistogram: Hashable, Sendable {
  /// The number of pictures that are summed, 2 at least.
  package let length: Int
  /// The share of samples in another group, from 0 to 1 in 1/65536, above which a picture begins a new scene.
  package let cut: Double

  /// The possible lengths.
  package static let lengths = 2...240

  package init(length: Int, cut: Double) {
    trap(
      unless: Self.lengths.contains(length) && (0...1).contains(cut),
      "the histogram of a film sums 2 to 240 pictures with a cut from 0 to 1; \(length) and \(cut) were given")
    self.length = length
    self.cut = cut
  }

  /// - Throws: ``SafelightError`` of kind `limit` if sums of pictures of `size` could reach 2³².
  package func check(_ size: Size) throws(SafelightError) {
    // Distances count each sample of four planes twice.
    let pictures = Int(UInt32.max) / max(1, size.area)
    try ensure(
      pictures >= max(length, 8), .limit, "a sum of \(length) histograms",
      why: "the counts of pictures of \(size) could exceed 32 bits",
      remedy: pictures < 8 ? "use smaller pictures" : "sum at most \(pictures) histograms")
  }

  /// The numbers of ``passes(planes:entries:)``.
  private enum Numbers {
    static let counts = 0, distance = 1, scene = 2, change = 3
  }

  /// The number under which the sum is made.
  package static let sum = 4

  /// Makes passes that sum `planes` of `entries` counts, which numbers 0 are.
  package func passes(planes: Int, entries: Int) -> [Pass] {
    let count = planes * entries
    let perCount = Size(count / 64, 1)
    let cutBlock = SIMD4<UInt32>(UInt32((cut * 65536).rounded()), 0, 0, 0)
    return [
      Pass(
        DistanceFunction(entries: entries),
        inputs: [.numbers("current", Numbers.counts), .earlier("previous", Numbers.counts, pictures: 1)],
        output: .numbers(Numbers.distance, [.init(.sum, count: 2)]), threadgroups: Size(planes, 1)),
      Pass(
        SceneFunction(length: length), uniforms: .block(cutBlock),
        inputs: [.numbers("apart", Numbers.distance), .earlier("before", Numbers.scene, pictures: 1)],
        output: .numbers(Numbers.scene, [.init(.single, count: 2)])),
      Pass(
        ChangeFunction(),
        inputs: [
          .numbers("current", Numbers.counts), .earlier("oldest", Numbers.counts, pictures: length),
          .numbers("scene", Numbers.scene),
        ], output: .numbers(Numbers.change, [.init(.single, count: count)]), threadgroups: perCount),
      Pass(
        SumFunction(),
        inputs: [
          .numbers("change", Numbers.change), .earlier("before", Self.sum, pictures: 1),
          .numbers("scene", Numbers.scene),
        ], output: .numbers(Self.sum, [.init(.single, count: count)]), threadgroups: perCount),
    ]
  }
}

/// `temporal_distance.glsl`: how far the histograms of two pictures lie apart.
private struct DistanceFunction: BuiltInPassFunction {
  let entries: Int

  var name: String { "temporal_distance" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] { [.init("ENTRIES", entries)] }

  func make(_ memory: PassMemory) {
    let (current, previous) = unsafe (memory.inputs[0].words, memory.inputs[1].words)
    let group = entries / 64
    for first in stride(from: 0, to: current.count, by: group) {
      let now = unsafe current[first..<first + group].reduce(0, &+)
      let before = unsafe previous[first..<first + group].reduce(0, &+)
      unsafe memory.words[0] &+= max(now, before) - min(now, before)
      unsafe memory.words[1] &+= now &+ before
    }
  }
}

/// `temporal_scene.glsl`: whether a picture begins a scene.
private struct SceneFunction: BuiltInPassFunction {
  let length: Int

  var name: String { "temporal_scene" }
  var kind: Pass.Kind { .threadgroups }
  var constants: [ShaderAssembly.Constant] { [.init("LENGTH", length)] }

  func make(_ memory: PassMemory) {
    let (apart, summed) = unsafe (memory.inputs[0].words, memory.inputs[1].words[0])
    let distance = unsafe UInt64(apart[0]) * 65536
    let isCut = unsafe summed == 0 || distance > UInt64(apart[1]) * UInt64(memory.block(SIMD4<UInt32>.self).x)
    unsafe memory.words[0] = isCut ? 1 : min(summed &+ 1, UInt32(length))
    unsafe memory.words[1] = isCut || summed < length ? 0 : 1
  }
}

/// `temporal_change.glsl`: what a picture changes of the sum.
private struct ChangeFunction: BuiltInPassFunction {
  var name: String { "temporal_change" }
  var kind: Pass.Kind { .threadgroups }

  func make(_ memory: PassMemory) {
    let (current, oldest) = unsafe (memory.inputs[0].words, memory.inputs[1].words)
    let leaves = unsafe memory.inputs[2].words[1] != 0
    for word in 0..<current.count {
      unsafe memory.words[word] = leaves ? current[word] &- oldest[word] : current[word]
    }
  }
}

/// `temporal_sum.glsl`: the sum for a picture.
private struct SumFunction: BuiltInPassFunction {
  var name: String { "temporal_sum" }
  var kind: Pass.Kind { .threadgroups }

  func make(_ memory: PassMemory) {
    let (change, before) = unsafe (memory.inputs[0].words, memory.inputs[1].words)
    let begins = unsafe memory.inputs[2].words[0] == 1
    for word in 0..<change.count {
      unsafe memory.words[word] = begins ? change[word] : before[word] &+ change[word]
    }
  }
}
