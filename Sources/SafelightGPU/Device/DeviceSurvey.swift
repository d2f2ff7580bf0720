public import SafelightGLES
public import SafelightImage

/// Every way to a device on this machine, tried: what works, what was chosen and why the others were not.
public struct DeviceSurvey: Sendable {
  /// One candidate and what became of it.
  public struct Entry: Sendable {
    /// What the system lists.
    public let candidate: DeviceCandidate
    /// What it turned out to be; nil where it does not work.
    public let info: DeviceInfo?
    /// What it can do; nil where it does not work.
    public let capabilities: Capabilities?
    /// True for the one that the selector means.
    public let isChosen: Bool
    /// Why it was chosen or not.
    public let reason: String
  }

  /// All candidates in the order of their numbers.
  public let entries: [Entry]
  /// Why the selector means none of them; nil where it means one.
  public let failure: SafelightError?

  /// Opens every candidate in turn and closes it again.
  public init(selector: DeviceSelector, options: DeviceOptions) throws(SafelightError) {
    let candidates = try DeviceEnumeration.candidates(for: selector)
    var opened: [Int: Result<Device, SafelightError>] = [:]
    for candidate in candidates {
      do throws(SafelightError) {
        let device = try Device.open(candidate, selector: .index(candidate.index), options: options)
        device.close()
        opened[candidate.index] = .success(device)
      } catch {
        opened[candidate.index] = .failure(error)
      }
    }
    var order: [DeviceCandidate] = []
    var failure: SafelightError?
    if selector != .cpu {
      do throws(SafelightError) {
        order = try DeviceSelection.order(candidates, selector: selector, platform: options.platform)
      } catch {
        failure = error
      }
    }
    let chosen = order.first { candidate in
      guard case .success(let device)? = opened[candidate.index] else { return false }
      return switch selector {
      case .hardware: !device.info.isSoftware
      case .software: device.info.isSoftware
      default: true
      }
    }
    if chosen == nil && failure == nil && selector != .cpu {
      failure = SafelightError(
        .environment, "no usable device for \(selector)", why: "none of the candidates works as asked",
        remedy: "see the reasons above, or use --device cpu")
    }
    self.failure = failure
    entries = candidates.map { candidate in
      let device = opened[candidate.index].flatMap { try? $0.get() }
      return Entry(
        candidate: candidate, info: device?.info, capabilities: device?.capabilities,
        isChosen: candidate == chosen,
        reason: Self.reason(candidate, opened[candidate.index], chosen: chosen, selector: selector, order: order))
    }
  }

  private static func reason(
    _ candidate: DeviceCandidate, _ outcome: Result<Device, SafelightError>?, chosen: DeviceCandidate?,
    selector: DeviceSelector, order: [DeviceCandidate]
  ) -> String {
    if case .failure(let error)? = outcome { return error.description }
    let isSoftware = (try? outcome?.get())?.info.isSoftware ?? candidate.isSoftware
    if candidate == chosen {
      return switch selector {
      case .auto:
        isSoftware ? "no hardware GPU works, so the first software renderer is taken" : "the first hardware GPU"
      default: "asked for by \(selector)"
      }
    }
    if let other = candidate.duplicateOf { return "another entry of device \(other)" }
    if selector == .cpu { return "the CPU executor was asked for" }
    if !order.contains(candidate) { return "not what \(selector) means" }
    if isSoftware && selector == .hardware { return "a software renderer" }
    return "works; device \(chosen?.index ?? 0) comes first"
  }
}
