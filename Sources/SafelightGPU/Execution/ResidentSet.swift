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

  /// Returns the labels of lost contents that `recording` needs, which count as zeros from then on.
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
