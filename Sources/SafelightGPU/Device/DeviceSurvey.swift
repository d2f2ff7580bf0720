public import SafelightGLES
public import SafelightImage
internal import SafelightShaders

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
  public init(selector: DeviceSelector, options: DeviceOptions) {
    var candidates: [DeviceCandidate] = []
    var order: [DeviceCandidate] = []
    var failure: SafelightError?
    do throws(SafelightError) {
      candidates = try DeviceEnumeration.candidates(for: selector)
      if selector != .cpu {
        order = try DeviceSelection.order(candidates, selector: selector, platform: options.platform)
      }
    } catch {
      // The CPU needs none of them.
      failure = selector == .cpu ? nil : error
    }
    var opened: [Int: Result<DeviceInfo, SafelightError>] = [:]
    var capabilities: [Int: Capabilities] = [:]
    for candidate in candidates {
      do throws(SafelightError) {
        let started = try Device.start(candidate, selector: .auto, options: options)
        started.thread.close()
        opened[candidate.index] = .success(started.info)
        capabilities[candidate.index] = started.capabilities
      } catch {
        opened[candidate.index] = .failure(error)
      }
    }
    for candidate in order {
      guard case .success(let info)? = opened[candidate.index] else { continue }
      let refusal = DeviceSelection.refusal(
        candidate, renderer: info.name, isSoftware: info.isSoftware, selector: selector,
        softwareIsForced: Device.isSoftwareForced(candidate.platform))
      if let refusal { opened[candidate.index] = .failure(refusal) }
    }
    let working = order.filter { candidate in
      if case .success? = opened[candidate.index] { true } else { false }
    }
    let chosen =
      working.first { candidate in
        guard selector == .auto, case .success(let info)? = opened[candidate.index] else { return true }
        return candidate.isSoftware || !info.isSoftware
      } ?? working.first
    if chosen == nil && failure == nil && selector != .cpu {
      failure = SafelightError(
        .environment, "no usable device for \(selector)", why: "none of the candidates works as asked",
        remedy: "see the reasons above, or use the device cpu")
    }
    self.failure = failure
    entries = candidates.map { candidate in
      let outcome = opened[candidate.index]
      return Entry(
        candidate: candidate, info: outcome.flatMap { try? $0.get() }, capabilities: capabilities[candidate.index],
        isChosen: candidate == chosen,
        reason: Self.reason(candidate, outcome, chosen: chosen, selector: selector, order: order))
    }
  }

  private static func reason(
    _ candidate: DeviceCandidate, _ outcome: Result<DeviceInfo, SafelightError>?, chosen: DeviceCandidate?,
    selector: DeviceSelector, order: [DeviceCandidate]
  ) -> String {
    if case .failure(let error)? = outcome { return error.description }
    let isSoftware = (try? outcome?.get())?.isSoftware ?? candidate.isSoftware
    if candidate == chosen {
      return switch selector {
      case .auto:
        isSoftware
          ? "no hardware GPU works; the first software renderer, for what needs OpenGL ES" : "the first hardware GPU"
      default: "asked for by \(selector)"
      }
    }
    if let other = candidate.duplicateOf { return "another entry of device \(other)" }
    if selector == .cpu { return "the CPU was asked for" }
    if !order.contains(candidate) { return "not what \(selector) means" }
    if isSoftware && selector == .hardware { return "a software renderer" }
    return "works; device \(chosen?.index ?? 0) comes first"
  }
}

/// What an empty dispatch costs on the CPU side, in seconds of CPU time for each: not what the GPU does with it.
package struct DispatchCost: Sendable {
  /// The GL calls alone, `glUseProgram`, `glUniform2ui` and `glDispatchCompute`; nil on the CPU, which makes none.
  package let bare: Double?
  /// Recording it, on the caller's thread.
  package let recording: Double
  /// Replaying it, on the device's thread.
  package let replaying: Double

  /// What recording and replaying add to the bare calls.
  package var added: Double { recording + replaying - (bare ?? 0) }
}

extension Device {
  /// Measures `count` empty dispatches in one command buffer, and the bare calls just after it.
  package func measureDispatch(count: Int) throws(SafelightError) -> DispatchCost {
    trap(unless: count > 0, "measureDispatch(count: \(count)) needs at least one dispatch")
    let pipeline = ComputePipelineState(Self.emptyFunction)
    try thread.prepare(.compute(pipeline, ComputeVariant(threadsPerThreadgroup: Size(1, 1))))
    let buffer = makeCommandQueue(label: "bench").makeCommandBuffer(label: "empty dispatches")
    let start = ThreadClock.now
    let encoder = buffer.makeComputeCommandEncoder()
    encoder.setComputePipelineState(pipeline)
    for _ in 0..<count { encoder.dispatchThreads(Size(1, 1), threadsPerThreadgroup: Size(1, 1)) }
    encoder.endEncoding()
    let recording = ThreadClock.now - start
    buffer.commit()
    try buffer.waitUntilCompleted()
    let bare = try thread.bareDispatches(pipeline, count: count)
    return DispatchCost(
      bare: bare.map { $0 / Double(count) }, recording: recording / Double(count),
      replaying: buffer.kernelCPUTime / Double(count))
  }

  private static let emptyFunction = ShaderFunction(
    name: "empty", assembly: ShaderAssembly(texts: ["#include \"Common/compute.glsl\"\nvoid main() {}\n"]),
    arguments: [],
    twin: ShaderTwin { _ in })
}
