internal import SafelightImage

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
