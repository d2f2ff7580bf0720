internal import SafelightImage
internal import Synchronization

/// A set of resources that a program will use together; Metal's `MTLResidencySet`.
///
/// OpenGL ES moves memory to the device when commands need it, and offers no way to request it before. Otherwise as in
/// Metal: committed members exist as long as the set, and their bytes are counted. Safe to use from any thread.
public final class ResidencySet: Sendable {
  /// A name for messages.
  public let label: String
  /// The device of all members.
  public let device: Device

  private struct Member {
    let resource: any Sendable & AnyObject
    let bytes: Int
  }

  private struct State {
    var pending: [ResourceID: Member] = [:]
    var committed: [ResourceID: Member] = [:]
  }

  private let state = Mutex(State())

  init(device: Device, label: String) {
    self.device = device
    self.label = label
  }

  /// Adds `texture`, or the texture behind a view, at the next ``commit()``.
  public func addAllocation(_ texture: Texture) {
    let root = texture.root
    check(root.home, "texture '\(texture.label)'")
    state.withLock { $0.pending[root.lifetime.id] = Member(resource: root, bytes: root.descriptor.byteCount) }
  }

  /// Adds `buffer` at the next ``commit()``.
  public func addAllocation(_ buffer: Buffer) {
    check(buffer.home, "buffer '\(buffer.label)'")
    state.withLock { $0.pending[buffer.lifetime.id] = Member(resource: buffer, bytes: buffer.length) }
  }

  /// Removes `texture` at the next ``commit()``.
  public func removeAllocation(_ texture: Texture) {
    _ = state.withLock { $0.pending.removeValue(forKey: texture.root.lifetime.id) }
  }

  /// Removes `buffer` at the next ``commit()``.
  public func removeAllocation(_ buffer: Buffer) {
    _ = state.withLock { $0.pending.removeValue(forKey: buffer.lifetime.id) }
  }

  /// Removes all members at the next ``commit()``.
  public func removeAllAllocations() { state.withLock { $0.pending = [:] } }

  /// Applies the additions and removals since the last call.
  public func commit() { state.withLock { $0.committed = $0.pending } }

  /// Has no effect, as drivers move memory when commands need it.
  public func requestResidency() {}

  /// Has no effect.
  public func endResidency() {}

  /// Returns whether `texture`, or the texture behind a view, was added, committed or not.
  public func containsAllocation(_ texture: Texture) -> Bool {
    state.withLock { $0.pending[texture.root.lifetime.id] != nil }
  }

  /// Returns whether `buffer` was added, committed or not.
  public func containsAllocation(_ buffer: Buffer) -> Bool { state.withLock { $0.pending[buffer.lifetime.id] != nil } }

  /// The number of members, committed or not.
  public var allocationCount: Int { state.withLock { $0.pending.count } }

  /// The bytes of the committed members.
  public var allocatedSize: Int { state.withLock { $0.committed.values.reduce(0) { $0 + $1.bytes } } }

  private func check(_ home: DeviceThread?, _ subject: String) {
    trap(
      unless: home === device.thread,
      "\(subject) of another device was added to residency set '\(label)'; make a set for each")
  }
}

extension Device {
  /// Makes an empty residency set; Metal's `makeResidencySet(descriptor:)`.
  public func makeResidencySet(label: String = "residency set") -> ResidencySet {
    ResidencySet(device: self, label: label)
  }
}

extension CommandQueue {
  /// Keeps the members of `set` as long as the queue exists, or until ``removeResidencySet(_:)``.
  public func addResidencySet(_ set: ResidencySet) { residencySets.withLock { $0[ObjectIdentifier(set)] = set } }

  /// Releases `set`.
  public func removeResidencySet(_ set: ResidencySet) {
    _ = residencySets.withLock { $0.removeValue(forKey: ObjectIdentifier(set)) }
  }
}

extension CommandBuffer {
  /// Keeps the members of `set` as long as the command buffer exists.
  public func useResidencySet(_ set: ResidencySet) { state.withLock { $0.residencySets.append(set) } }
}

/// The resources with contents on a device, and those whose contents a lost context took.
package struct ResidentSet {
  private var residents: Set<ResourceID> = []
  /// Resources that got storage since ``begin(_:)`` and held nothing before.
  private var newcomers: Set<ResourceID> = []
  private var lost: Set<ResourceID> = []
  /// Resources that were erased, and not used since.
  private var blank: Set<ResourceID> = []

  package init() {}

  /// Notes the beginning of the replay of `recording`.
  package mutating func begin(_ recording: Recording) {
    if !newcomers.isEmpty { newcomers = [] }
    guard !blank.isEmpty else { return }
    // Erased resources hold nothing before this replay either.
    newcomers = blank.intersection(recording.resources)
    blank.subtract(newcomers)
  }

  package mutating func settle(_ id: ResourceID) {
    residents.insert(id)
    newcomers.insert(id)
  }

  mutating func release(_ id: ResourceID) {
    residents.remove(id)
    newcomers.remove(id)
    lost.remove(id)
    blank.remove(id)
  }

  /// Notes that a resource was erased on purpose, so that it is not lost.
  package mutating func erased(_ id: ResourceID) {
    lost.remove(id)
    blank.insert(id)
  }

  /// Notes that the context was lost, with all contents from before the current replay.
  package mutating func loseAll() {
    lost.formUnion(residents.subtracting(newcomers).subtracting(blank))
    residents = []
    newcomers = []
    blank = []
  }

  /// Returns the labels of resources, except `dispensable` ones, whose lost contents `recording` needs. From then on
  /// they count as zeros.
  package mutating func takeLost(neededBy recording: Recording, except dispensable: Set<ResourceID> = []) -> [String] {
    guard !lost.isEmpty else { return [] }
    return recording.neededContents(among: lost.subtracting(dispensable)).filter { !$0.isHostMemory }.map { resource in
      lost.remove(resource.id)
      return resource.label
    }
  }

  /// Notes that `recording` ran: resources that it overwrote are no longer lost.
  mutating func restore(_ recording: Recording) {
    guard !lost.isEmpty else { return }
    lost.subtract(recording.replacedContents)
  }
}
