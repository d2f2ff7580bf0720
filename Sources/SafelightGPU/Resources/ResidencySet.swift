internal import SafelightImage
internal import Synchronization

/// Names resources that a program will use, together; Metal's `MTLResidencySet`.
///
/// OpenGL ES moves memory to the device as commands need it, and offers no way to ask for that beforehand. What is left of Metal's
/// meaning is kept: committed members stay alive as long as the set, and their bytes are counted. Safe to use from any thread.
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

  /// Adds `texture` with the next ``commit()``; of a view it is the texture behind.
  public func addAllocation(_ texture: Texture) {
    let root = texture.root
    check(root.home, "texture '\(texture.label)'")
    state.withLock { $0.pending[root.lifetime.id] = Member(resource: root, bytes: root.descriptor.byteCount) }
  }

  /// Adds `buffer` with the next ``commit()``.
  public func addAllocation(_ buffer: Buffer) {
    check(buffer.home, "buffer '\(buffer.label)'")
    state.withLock { $0.pending[buffer.lifetime.id] = Member(resource: buffer, bytes: buffer.length) }
  }

  /// Takes `texture` out with the next ``commit()``.
  public func removeAllocation(_ texture: Texture) {
    _ = state.withLock { $0.pending.removeValue(forKey: texture.root.lifetime.id) }
  }

  /// Takes `buffer` out with the next ``commit()``.
  public func removeAllocation(_ buffer: Buffer) {
    _ = state.withLock { $0.pending.removeValue(forKey: buffer.lifetime.id) }
  }

  /// Takes all out with the next ``commit()``.
  public func removeAllAllocations() { state.withLock { $0.pending = [:] } }

  /// Makes the additions and removals since the last call count.
  public func commit() { state.withLock { $0.committed = $0.pending } }

  /// Accepted and without effect: drivers bring memory over as commands need it.
  public func requestResidency() {}

  /// Accepted and without effect.
  public func endResidency() {}

  /// Whether `texture`, or what it is a view of, was added, committed or not.
  public func containsAllocation(_ texture: Texture) -> Bool {
    state.withLock { $0.pending[texture.root.lifetime.id] != nil }
  }

  /// Whether `buffer` was added, committed or not.
  public func containsAllocation(_ buffer: Buffer) -> Bool { state.withLock { $0.pending[buffer.lifetime.id] != nil } }

  /// The number of resources, committed or not.
  public var allocationCount: Int { state.withLock { $0.pending.count } }

  /// Bytes of the committed members.
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
  /// Keeps the members of `set` alive as long as the queue, or until ``removeResidencySet(_:)``; nothing else has to be said here.
  public func addResidencySet(_ set: ResidencySet) { residencySets.withLock { $0[ObjectIdentifier(set)] = set } }

  /// Lets go of `set`.
  public func removeResidencySet(_ set: ResidencySet) {
    _ = residencySets.withLock { $0.removeValue(forKey: ObjectIdentifier(set)) }
  }
}

extension CommandBuffer {
  /// Keeps the members of `set` alive as long as the command buffer.
  public func useResidencySet(_ set: ResidencySet) { state.withLock { $0.residencySets.append(set) } }
}

/// What resources have contents on a device, and which contents went with a lost context.
package struct ResidentSet {
  private var residents: Set<ResourceID> = []
  /// Those that got storage since ``begin()``: they held nothing before.
  private var newcomers: Set<ResourceID> = []
  private var lost: Set<ResourceID> = []
  /// Those that were made zeros, as in a new context, and not used since.
  private var blank: Set<ResourceID> = []

  package init() {}

  /// The replay of `recording` begins.
  package mutating func begin(_ recording: Recording) {
    if !newcomers.isEmpty { newcomers = [] }
    guard !blank.isEmpty else { return }
    // They hold nothing before this replay either.
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

  /// It holds zeros by intention: nothing of it is missed.
  package mutating func erased(_ id: ResourceID) {
    lost.remove(id)
    blank.insert(id)
  }

  /// The context went: everything that was there before the current replay is lost.
  package mutating func loseAll() {
    lost.formUnion(residents.subtracting(newcomers).subtracting(blank))
    residents = []
    newcomers = []
    blank = []
  }

  /// The labels of resources but `dispensable` whose lost contents `recording` needs; told once, from then on they count as zeros.
  package mutating func takeLost(neededBy recording: Recording, except dispensable: Set<ResourceID> = []) -> [String] {
    guard !lost.isEmpty else { return [] }
    return recording.neededContents(among: lost.subtracting(dispensable)).filter { !$0.isHostMemory }.map { resource in
      lost.remove(resource.id)
      return resource.label
    }
  }

  /// `recording` was carried out: what it wrote wholly is no longer lost.
  mutating func restore(_ recording: Recording) {
    guard !lost.isEmpty else { return }
    lost.subtract(recording.replacedContents)
  }
}
