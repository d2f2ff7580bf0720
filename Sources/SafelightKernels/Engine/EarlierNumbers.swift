internal import SafelightGPU
internal import SafelightImage
internal import Synchronization

/// The numbers of earlier pictures of a sequence that passes of later ones read.
package final class EarlierNumbers: Sendable {
  private struct Sequence {
    /// The size and the format of its pictures.
    var shape: PassPlan.Shape
    var count = 0
    /// By the number of an output, a buffer for each of the last pictures, used in turn.
    var rings: [Int: [Buffer]] = [:]
  }

  private let sequence = Mutex<Sequence?>(nil)

  package init() {}

  /// Begins another sequence.
  package func reset() { sequence.withLock { $0 = nil } }

  /// Returns the buffers into which the passes of `plan` put the next picture's numbers for later pictures, and those
  /// of the earlier pictures that they read. A picture of another size or format begins another sequence. Pictures'
  /// command buffers must be committed in the order of the calls.
  package func next(_ plan: PassPlan) -> PassRecorder.Resources {
    let read = Set(plan.nodes.flatMap { $0.group.inputs.map(\.resource) })
    let depths = Dictionary(
      read.compactMap { if case .earlier(let number, let pictures) = $0 { (number, pictures) } else { nil } },
      uniquingKeysWith: max)
    if depths.isEmpty { return [:] }
    return sequence.withLock { sequence in
      let shape = PassPlan.Shape(plan.source)
      var current = sequence.flatMap { $0.shape == shape ? $0 : nil } ?? Sequence(shape: shape)
      defer {
        current.count += 1
        sequence = current
      }
      var resources: PassRecorder.Resources = [:]
      for (number, depth) in depths {
        let length = 4 * (plan.shape(of: .numbers(number))?.size.width ?? 1)
        let ring =
          current.rings[number]
          ?? (0...depth).map { Buffer(length: length, label: "numbers \(number) of picture \($0) of \(plan.name)") }
        current.rings[number] = ring
        func words(_ before: Int) -> PassStorage {
          .words(ring[(current.count + ring.count - before) % ring.count], offset: 0)
        }
        resources[.numbers(number)] = words(0)
        for pictures in 1...depth { resources[.earlier(number, pictures: pictures)] = words(pictures) }
      }
      return resources
    }
  }
}
