public import SafelightGLES

/// What a device is.
public struct DeviceInfo: Hashable, Sendable {
  /// The renderer's name, such as `llvmpipe (LLVM 15.0.6, 256 bits)`.
  public let name: String
  /// The driver and its version, such as `OpenGL ES 3.2 Mesa 22.3.6`.
  public let driver: String
  /// Who wrote the driver.
  public let vendor: String
  /// How EGL reached it; nil for the CPU.
  public let platform: DevicePlatform?
  /// Its number in the list of `safelight devices`; nil for the CPU.
  public let index: Int?
  /// Its DRM node, where it has one.
  public let node: String?
  /// The same number in every process until the machine restarts; Metal's `registryID`. 0 where the system has none for it: a software
  /// renderer without a node, and the CPU.
  public let registryID: UInt64
  /// True for renderers that run on the CPU.
  public let isSoftware: Bool
  /// True for the Swift twins.
  public let isCPU: Bool
  /// How its work ranks among that of others, as the driver says; `medium` where it does not.
  public let priority: DevicePriority

  /// The names of the driver workarounds in force; the symptom and the test of each stand in the source under its name.
  public var workarounds: [String] {
    var names: [String] = []
    if isLlvmpipe { names += ["loop limit", "one llvmpipe context at a time"] }
    if isSoftware && !isCPU && node != nil { names.append("unmappable imports") }
    if isSoftware && name.contains("zink") { names.append("lavapipe imports") }
    if miscountsInOwnArrays { names += ["own arrays", "late drawing"] }
    if driver.contains("Mesa") { names.append("subpixel bits") }
    return names
  }

  /// True for Mesa's software renderer.
  var isLlvmpipe: Bool { name.lowercased().contains("llvmpipe") }

  /// Driver workaround "own arrays": nothing may count in an array of a lane's own.
  ///
  /// Symptom: `++counts[i]` with an index that differs by lane counts in the wrong places. Driver: softpipe, Mesa
  /// 22.3.6. Test: MatrixTests.softpipeCountsHistograms. Remove it once softpipe of every supported Mesa counts right.
  package var miscountsInOwnArrays: Bool { name == "softpipe" }

  /// The Swift twins.
  static let cpu = DeviceInfo(
    name: "CPU", driver: "Swift twins", vendor: "Safelight", platform: nil, index: nil, node: nil, registryID: 0,
    isSoftware: true, isCPU: true, priority: .medium)
}
