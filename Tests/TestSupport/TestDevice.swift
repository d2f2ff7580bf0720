import Glibc
public import Logging
public import SafelightGPU
import SafelightImage
import Synchronization
public import Testing

/// The devices that device suites run on, each opened once in a process.
///
/// Most suites take ``all``: the Swift twins, llvmpipe, and llvmpipe with the limits that OpenGL ES 3.1 guarantees.
/// Suites about displays, contexts and memory shared through them take ``onEveryPlatform``; what a command computes
/// does not depend on how EGL was reached. `SAFELIGHT_TEST_DEVICES` lists other devices for both, separated by commas.
/// A device of the list that does not open fails its tests: none is skipped in silence.
public struct TestDevice: Sendable, CustomTestStringConvertible {
  /// `cpu`, an EGL platform, with `-minimum` where limits are clamped to those of OpenGL ES 3.1, or `node=` and the
  /// path of a DRM node, such as `node=/dev/dri/renderD128`, which is reached through GBM.
  public let name: String

  /// Names a device; see ``name``.
  public init(name: String) { self.name = name }

  /// What a test of this device is listed as.
  public var testDescription: String { name }

  /// The Swift twins, llvmpipe, and llvmpipe at minimum limits.
  public static let all = listed ?? ["cpu", "device", "device-minimum"].map(TestDevice.init(name:))

  /// ``all``, and the Swift twins at minimum limits.
  public static let allAndMinimumCPU = all + [TestDevice(name: "cpu-minimum")]

  /// ``all``, and llvmpipe through EGL's other platforms.
  public static let onEveryPlatform = listed ?? all + ["surfaceless", "gbm"].map(TestDevice.init(name:))

  /// Those of ``all`` with a GL context.
  public static var gles: [TestDevice] { all.filter(\.hasContext) }

  /// Those of ``onEveryPlatform`` with a GL context.
  public static var glesOnEveryPlatform: [TestDevice] { onEveryPlatform.filter(\.hasContext) }

  /// The first of ``all`` with a GL context, and the Swift twins, both at the limits that OpenGL ES 3.1 guarantees.
  public static var atMinimumLimits: [TestDevice] {
    let first = gles.first?.name ?? "device"
    return [first.hasSuffix("-minimum") ? first : first + "-minimum", "cpu-minimum"].map(TestDevice.init(name:))
  }

  private var hasContext: Bool { !name.hasPrefix("cpu") }

  /// The devices that the environment lists; nil if it lists none.
  private static let listed: [TestDevice]? = getenv("SAFELIGHT_TEST_DEVICES").map { list in
    String(cString: list).split(separator: ",").map { TestDevice(name: String($0)) }
  }

  private static let opened = Mutex<[String: Device]>([:])

  /// The device itself.
  public func open() throws -> Device {
    try Self.opened.withLock { devices in
      if let device = devices[name] { return device }
      let device = try openAnother()
      devices[name] = device
      return device
    }
  }

  /// Another device of the same kind, for tests that close it; the caller's alone.
  public func openAnother() throws -> Device { try open(limits: limits) }

  /// The DRM node that the name gives.
  private var node: String? {
    guard name.hasPrefix("node=") else { return nil }
    return String(name.dropFirst(5).dropLast(limits == nil ? 0 : "-minimum".count))
  }

  private var limits: Capabilities? { name.hasSuffix("-minimum") ? .minimum : nil }

  /// A device like it with other limits or another priority, or whose messages go elsewhere; opened anew.
  public func open(
    limits: Capabilities?, archive: BinaryArchive? = nil, priority: DevicePriority = .medium,
    logger: Logger = Logger(label: "safelight")
  ) throws -> Device {
    func options(_ platform: DevicePlatform = .auto) -> DeviceOptions {
      DeviceOptions(
        platform: platform, limits: limits, isDebugging: true, archive: archive, priority: priority, logger: logger)
    }
    if let node { return try Device.open(.node(node), options: options(.gbm)) }
    let parts = name.split(separator: "-")
    switch parts.first {
    case "cpu": return try Device.open(.cpu, options: options())
    case "gbm":
      // Mesa renders in software through any node then; must be set before the first call of GBM. What is set already
      // is left, since other threads may read it.
      setenv("GBM_ALWAYS_SOFTWARE", "1", 0)
      return try Device.open(.node("/dev/null"), options: options(.gbm))
    default:
      guard let platform = parts.first.flatMap({ DevicePlatform(rawValue: String($0)) }) else {
        throw SafelightError(.usage, "SAFELIGHT_TEST_DEVICES", why: "there is no device '\(name)'")
      }
      return try Device.open(.auto, options: options(platform))
    }
  }
}
