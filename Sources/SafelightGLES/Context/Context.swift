internal import CEGL
internal import CGLES
package import Logging
package import SafelightImage

/// An OpenGL ES context, current on its thread from `init` to ``close()``.
///
/// Not `Sendable`: make, use and close it on one ``ContextThread``. Release all objects made from it before closing it.
@safe package final class Context {
  /// The driver's name of the device (`GL_RENDERER`).
  package let renderer: String
  /// The author of the driver (`GL_VENDOR`).
  package let vendor: String
  /// The version text (`GL_VERSION`), such as `OpenGL ES 3.2 Mesa 22.3.6`.
  package let version: String
  /// The limits and features of the device.
  package private(set) var capabilities: Capabilities
  /// The extensions of the context (`GL_EXTENSIONS`).
  package let extensions: Set<String>
  /// The features that may be used: the device's own, or fewer if it was opened with limits.
  package var features: DeviceFeatures
  /// True if the driver reports a GPU reset.
  private let reportsResets: Bool
  /// The rank of the context's work that the driver granted; medium if it does not report one.
  package let priority: DevicePriority

  let gl: GLFunctions
  let connection: DisplayConnection
  let handle: EGLContext
  private let surface: EGLSurface?
  private let messages: DebugMessages
  /// The alignment in bytes of a uniform buffer's offset; at most 256.
  package private(set) lazy var uniformBufferAlignment = max(4, gl.integer(GL_UNIFORM_BUFFER_OFFSET_ALIGNMENT))
  /// The way each pixel format is read back, determined at its first readback.
  package var readbackFormats: [PixelFormat: ReadbackFormat] = [:]
  /// Pixels that a driver returns in a wider format; reused by every readback.
  private var readbackMemory: [UInt8] = []

  /// Opens `candidate` and makes its context current on this thread.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if the display, the context or OpenGL ES 3.1 is not available.
  package init(_ candidate: DeviceCandidate, options: ContextOptions) throws(SafelightError) {
    let connection = try DisplayConnection(candidate)
    let egl = connection.library.egl
    guard egl.eglBindAPI(EGLenum(EGL_OPENGL_ES_API)) != 0 else {
      throw Self.noES(candidate, "the driver has no OpenGL ES at all (\(connection.library.takeError()))")
    }
    let config = unsafe try Self.config(connection, candidate)
    let made = unsafe try Self.context(connection, config, candidate, options)
    let surface = unsafe Self.surface(connection, config)
    guard unsafe egl.eglMakeCurrent(connection.display, surface, surface, made.context) != 0 else {
      let error = connection.library.takeError()
      _ = unsafe egl.eglDestroyContext(connection.display, made.context)
      throw SafelightError(
        .environment, candidate.name, why: "the context cannot be made current without a window: \(error)",
        remedy: "upgrade the driver (EGL_KHR_surfaceless_context), or use the device 'cpu'")
    }
    let gl: GLFunctions
    do throws(SafelightError) {
      gl = try connection.library.loadGLES()
      gl.checksEveryCall = options.isDebugging
      let (major, minor) = (gl.integer(GL_MAJOR_VERSION), gl.integer(GL_MINOR_VERSION))
      guard major * 10 + minor >= 31 else {
        throw Self.noES(candidate, "\(gl.string(GL_RENDERER)) offers OpenGL ES \(major).\(minor); compute needs 3.1")
      }
      gl.loadExtensions(connection.library)
    } catch {
      _ = unsafe egl.eglMakeCurrent(connection.display, nil, nil, nil)
      _ = unsafe egl.eglDestroyContext(connection.display, made.context)
      throw error
    }
    ContextThreads.stopAtExit()
    self.connection = connection
    unsafe handle = unsafe made.context
    unsafe self.surface = unsafe surface
    self.gl = gl
    self.renderer = gl.string(GL_RENDERER)
    self.vendor = gl.string(GL_VENDOR)
    self.version = gl.string(GL_VERSION)
    self.capabilities = Capabilities(gl)
    self.features = capabilities.features
    self.extensions = gl.extensions
    self.reportsResets = unsafe made.request.isRobust
    self.priority = unsafe Self.priority(connection, made.context)
    self.messages = DebugMessages(logger: options.logger)
    // Messages take time in the driver, so they are enabled only if they are logged.
    if options.isDebugging || options.logger.logLevel <= .debug {
      messages.listen(gl, synchronously: options.isDebugging)
    }
    gl.setInitialState()
    if (try? EGLImage.checkImport(self)) != nil { capabilities.features.insert(.dmaBufferImport) }
    if (try? EGLImage.checkExport(self)) != nil { capabilities.features.insert(.dmaBufferExport) }
    features = capabilities.features
  }

  /// Calls `body` with `count` bytes of reused memory with arbitrary contents; not reentrant.
  func withReadbackMemory(
    _ count: Int, _ body: (UnsafeMutableRawPointer) throws(SafelightError) -> Void
  ) throws(SafelightError) {
    if readbackMemory.count < count { readbackMemory = [UInt8](repeating: 0, count: count) }
    unsafe try readbackMemory.withUnsafeMutableBufferPointer { bytes throws(SafelightError) in
      guard let base = bytes.baseAddress else { return }
      unsafe try body(UnsafeMutableRawPointer(base))
    }
  }

  /// Makes the first context of the ladder that the driver supports.
  private static func context(
    _ connection: DisplayConnection, _ config: EGLConfig?, _ candidate: DeviceCandidate, _ options: ContextOptions
  ) throws(SafelightError) -> (context: EGLContext, request: ContextRequest) {
    let ladder = ContextRequest.ladder(
      extensions: connection.extensions, isDebugging: options.isDebugging, priority: options.priority)
    var lastError = EGLError(code: EGL_SUCCESS)
    for request in ladder {
      let made = unsafe connection.library.egl.eglCreateContext(connection.display, config, nil, request.attributes)
      if let context = unsafe made { return unsafe (context, request) }
      lastError = connection.library.takeError()
    }
    throw noES(candidate, "no context of OpenGL ES 3.1 or newer could be made (\(lastError))")
  }

  /// Makes this context current, so that its objects can be used and deleted on this thread.
  package func makeCurrent() {
    _ = unsafe connection.library.egl.eglMakeCurrent(connection.display, surface, surface, handle)
  }

  /// Destroys the context and releases the thread from EGL. The display stays, as it belongs to the process.
  package func close() {
    messages.stop(gl)
    let egl = connection.library.egl
    _ = unsafe egl.eglMakeCurrent(connection.display, nil, nil, nil)
    _ = unsafe egl.eglDestroyContext(connection.display, handle)
    if let surface = unsafe surface { _ = unsafe egl.eglDestroySurface(connection.display, surface) }
    _ = egl.eglReleaseThread()
  }

  /// True if the renderer runs on the CPU, regardless of what the display reported.
  package var isSoftware: Bool {
    let name = renderer.lowercased()
    return ["llvmpipe", "softpipe", "swrast", "swiftshader", "lavapipe"].contains { name.contains($0) }
  }

  /// Throws an error that names `command` if the GL error flag is set; outside debugging the only check of a command.
  package func check(_ command: String) throws(SafelightError) { try gl.check(command) }

  // MARK: Steps of opening

  private static func priority(_ connection: DisplayConnection, _ context: EGLContext) -> DevicePriority {
    guard connection.extensions.contains("EGL_IMG_context_priority") else { return .medium }
    var level: EGLint = EGL_CONTEXT_PRIORITY_MEDIUM_IMG
    let isKnown = unsafe connection.library.egl.eglQueryContext(
      connection.display, context, EGL_CONTEXT_PRIORITY_LEVEL_IMG, &level)
    return isKnown != 0 ? DevicePriority(level: level) : .medium
  }

  /// Returns no config if the display supports contexts without one, else one that needs no window (`EGL_SURFACE_TYPE`
  /// defaults to windows).
  private static func config(
    _ connection: DisplayConnection, _ candidate: DeviceCandidate
  ) throws(SafelightError) -> EGLConfig? {
    if connection.extensions.contains("EGL_KHR_no_config_context") { return nil }
    for surfaceType in [EGL_PBUFFER_BIT, 0] {
      let wanted: [EGLint] = [EGL_SURFACE_TYPE, surfaceType, EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE]
      var config: EGLConfig?
      var count: EGLint = 0
      if unsafe connection.library.egl.eglChooseConfig(connection.display, wanted, &config, 1, &count) != 0, count > 0 {
        return unsafe config
      }
    }
    throw noES(candidate, "no configuration offers OpenGL ES 3 (\(connection.library.takeError()))")
  }

  /// Makes a pbuffer for displays that require a surface; nil if none is required or possible.
  private static func surface(_ connection: DisplayConnection, _ config: EGLConfig?) -> EGLSurface? {
    guard !connection.extensions.contains("EGL_KHR_surfaceless_context"), unsafe config != nil else { return nil }
    let egl = connection.library.egl
    for edge: EGLint in [1, 32] {
      let attributes = [EGL_WIDTH, edge, EGL_HEIGHT, edge, EGL_NONE]
      if let surface = unsafe egl.eglCreatePbufferSurface(connection.display, config, attributes) {
        return unsafe surface
      }
    }
    return nil
  }

  private static func noES(_ candidate: DeviceCandidate, _ reason: String) -> SafelightError {
    SafelightError(
      .environment, candidate.name, why: reason,
      remedy:
        "upgrade the driver or choose another device; the GPUs of Raspberry Pi up to 3 and Mali T600 to T720 do not "
        + "suffice"
    )
  }
}

/// Loss of a context: a GPU reset destroys contexts and everything in them (KHR_robustness).
extension Context {
  /// Why the context is permanently lost; nil while it works. Queries the driver.
  package var lossReason: String? {
    // The driver reports a reset once and may recover from it; the context stays lost.
    if gl.lossReason == nil { gl.lossReason = reportsResets ? resetReason : nil }
    return gl.lossReason
  }

  /// Throws an error of kind `driver` if the context is lost.
  package func checkReset() throws(SafelightError) {
    guard let reason = lossReason else { return }
    throw SafelightError(
      .driver, renderer, why: reason,
      remedy: "run again; if it repeats, use the device 'software' or 'cpu', and see dmesg")
  }

  /// Makes the context behave as if the GPU had been reset, a fault that tests cannot provoke in a driver.
  package func simulateLoss() { gl.lossReason = "the GPU was reset by a simulation" }

  private var resetReason: String? {
    guard let status = gl.table.glGetGraphicsResetStatus?() else { return nil }
    switch Int32(status) {
    case GL_GUILTY_CONTEXT_RESET: return "the GPU was reset by this work"
    case GL_INNOCENT_CONTEXT_RESET: return "the GPU was reset by other work"
    case GL_UNKNOWN_CONTEXT_RESET: return "the GPU was reset for an unknown reason"
    // Some drivers return other values, so only the three defined ones count.
    default: return nil
    }
  }
}

/// Options for opening a context.
package struct ContextOptions: Sendable {
  /// True if to request a debug context, read the error flag after every call and log every message of the driver.
  package var isDebugging: Bool
  /// The requested rank of the work among that of others.
  package var priority: DevicePriority
  /// The destination of the driver's messages.
  package var logger: Logger

  /// Makes options; `SAFELIGHT_DEBUG=1` sets `isDebugging`.
  package init(isDebugging: Bool, priority: DevicePriority = .medium, logger: Logger) {
    self.isDebugging = isDebugging
    self.priority = priority
    self.logger = logger
  }
}

/// How the GPU's scheduler ranks the work of a device among other work (EGL_IMG_context_priority).
///
/// A request: if the driver lacks the extension or denies the rank to this user, the device reports the rank that it
/// grants instead.
public enum DevicePriority: String, CaseIterable, Sendable {
  /// Below all other work, for long jobs that must not disturb anyone.
  case low
  /// The default.
  case medium
  /// Above other work; many systems grant it to privileged users only.
  case high

  /// The value of `EGL_CONTEXT_PRIORITY_LEVEL_IMG`.
  package var level: Int32 {
    switch self {
    case .low: EGL_CONTEXT_PRIORITY_LOW_IMG
    case .medium: EGL_CONTEXT_PRIORITY_MEDIUM_IMG
    case .high: EGL_CONTEXT_PRIORITY_HIGH_IMG
    }
  }

  /// Makes the rank with this EGL value; medium for unknown values.
  package init(level: Int32) { self = Self.allCases.first { $0.level == level } ?? .medium }
}

/// One set of attributes for creating a context.
///
/// All are from EGL_KHR_create_context: a GBM display of Mesa 22.3 is EGL 1.4 and rejects those of EGL 1.5.
package struct ContextRequest: Hashable {
  package var minor: Int32
  package var isRobust: Bool
  package var isDebugging: Bool
  /// The requested priority; nil requests none, which means medium.
  var priority: DevicePriority?

  /// Returns the requests to try on a display with `extensions`, best first: newer versions first, ever fewer extras.
  package static func ladder(
    extensions: Set<Substring>, isDebugging: Bool, priority: DevicePriority = .medium
  ) -> [ContextRequest] {
    // The extension lowers a priority that is denied; some drivers deny the context instead.
    let canRank = priority != .medium && extensions.contains("EGL_IMG_context_priority")
    let canBeRobust = extensions.contains("EGL_EXT_create_context_robustness")
    let canSayVersion = extensions.contains("EGL_KHR_create_context")
    var requests: [ContextRequest] = []
    for rank in canRank ? [priority, nil] : [nil] {
      for debug in isDebugging && canSayVersion ? [true, false] : [false] {
        for robust in canBeRobust ? [true, false] : [false] {
          for minor: Int32 in canSayVersion ? [2, 1] : [0] {
            requests.append(ContextRequest(minor: minor, isRobust: robust, isDebugging: debug, priority: rank))
          }
        }
      }
    }
    return requests
  }

  /// The attribute list for `eglCreateContext`. Flags that are zero are left out, as some drivers reject an empty set.
  package var attributes: [Int32] {
    var list: [Int32] = [EGL_CONTEXT_CLIENT_VERSION, 3]
    if minor > 0 { list += [EGL_CONTEXT_MINOR_VERSION_KHR, minor] }
    if isDebugging { list += [EGL_CONTEXT_FLAGS_KHR, EGL_CONTEXT_OPENGL_DEBUG_BIT_KHR] }
    if isRobust {
      list += [
        EGL_CONTEXT_OPENGL_ROBUST_ACCESS_EXT, EGLint(EGL_TRUE),
        EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY_EXT, EGL_LOSE_CONTEXT_ON_RESET_EXT,
      ]
    }
    if let priority { list += [EGL_CONTEXT_PRIORITY_LEVEL_IMG, priority.level] }
    return list + [EGL_NONE]
  }
}
