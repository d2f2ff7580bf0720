internal import SafelightImage

/// What resources have contents on a device, and which contents went with a lost context.
struct ResidentSet {
  private var residents: Set<ResourceID> = []
  /// Those that got storage since ``begin()``: they held nothing before.
  private var newcomers: Set<ResourceID> = []
  private var lost: Set<ResourceID> = []

  /// A replay begins.
  mutating func begin() { if !newcomers.isEmpty { newcomers = [] } }

  mutating func settle(_ id: ResourceID) {
    residents.insert(id)
    newcomers.insert(id)
  }

  mutating func release(_ id: ResourceID) {
    residents.remove(id)
    newcomers.remove(id)
    lost.remove(id)
  }

  /// It holds zeros by intention: nothing of it is missed.
  mutating func erased(_ id: ResourceID) { lost.remove(id) }

  /// The context went: everything that was there before the current replay is lost.
  mutating func loseAll() {
    lost.formUnion(residents.subtracting(newcomers))
    residents = []
    newcomers = []
  }

  /// The labels of resources whose lost contents `recording` needs; told once, from then on they count as zeros.
  mutating func takeLost(neededBy recording: Recording) -> [String] {
    guard !lost.isEmpty else { return [] }
    return recording.neededContents(among: lost).filter { !$0.isHostMemory }.map { resource in
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
