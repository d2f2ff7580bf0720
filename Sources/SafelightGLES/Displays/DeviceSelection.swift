package import SafelightImage

/// The candidates in the order in which a selector wants them tried; a pure function of the list.
package enum DeviceSelection {
  /// Ranks `candidates` for `selector`; throws where nothing matches, naming what there is.
  package static func order(
    _ candidates: [DeviceCandidate], selector: DeviceSelector, platform: DevicePlatform
  ) throws(SafelightError) -> [DeviceCandidate] {
    let reachable = candidates.filter { platform == .auto || $0.platform == platform }
    let matching = reachable.filter { matches($0, selector) }
    guard !matching.isEmpty else { throw noMatch(selector, platform: platform, candidates: candidates) }
    return switch selector {
    case .software: matching.filter(\.isSoftware) + matching.filter { !$0.isSoftware }
    default: matching.sorted { (rank($0), $0.index) < (rank($1), $1.index) }
    }
  }

  /// GPUs that EGL names come first, then nodes, then software; the surfaceless platform, where Mesa chooses, is last.
  private static func rank(_ candidate: DeviceCandidate) -> Int {
    switch candidate.platform {
    case .device, .auto: candidate.isSoftware ? 2 : 0
    case .gbm: 1
    case .surfaceless: 3
    }
  }

  private static func matches(_ candidate: DeviceCandidate, _ selector: DeviceSelector) -> Bool {
    switch selector {
    case .auto: candidate.duplicateOf == nil
    case .hardware: candidate.duplicateOf == nil && !candidate.isSoftware
    // A display that does not say what it is may turn out to be software; a listed GPU will not.
    case .software: candidate.isSoftware || (candidate.platform != .device && candidate.duplicateOf == nil)
    case .cpu: false
    case .index(let number): candidate.index == number
    case .node(let path): candidate.node == path
    case .pci(let address): candidate.pciAddress == address
    case .cuda(let number): candidate.cudaIndex == number
    }
  }

  private static func noMatch(
    _ selector: DeviceSelector, platform: DevicePlatform, candidates: [DeviceCandidate]
  ) -> SafelightError {
    let asked = platform == .auto ? "\(selector)" : "\(selector) on platform \(platform.rawValue)"
    let listed = candidates.map {
      "\($0.index): \($0.name) (\($0.platform.rawValue)\($0.node.map { ", " + $0 } ?? ""))"
    }
    let found = listed.isEmpty ? "EGL lists no device" : "there are \(listed.joined(separator: "; "))"
    return SafelightError(
      .environment, "no device matches \(asked)", why: found,
      remedy: selector == .hardware
        ? "give this machine or container a GPU (docker --device /dev/dri or --gpus all), or use --device software or cpu"
        : "choose one of these, or use --device auto")
  }
}
