internal import CEGL
internal import Glibc
internal import SafelightImage
internal import Synchronization

/// An initialised EGL display of one candidate.
///
/// Displays are global to the process and shared with whoever else uses EGL in it, so none is ever terminated:
/// `eglTerminate` would pull the display from under every other user. `@safe`: the handle stays valid for that reason.
@safe struct DisplayConnection {
  let library: EGLLibrary
  let display: EGLDisplay
  let extensions: Set<Substring>
  let version: (major: Int32, minor: Int32)
  /// The DRM node that it was opened through; nil for a platform that needs none.
  let node: RenderNode?

  /// Makes and initialises the display; call on the context thread.
  init(_ candidate: DeviceCandidate) throws(SafelightError) {
    let library = try EGLLibrary.shared.get()
    EGLMessages.listen(library)
    EGLMessages.clear()
    guard let get = unsafe library.egl.eglGetPlatformDisplayEXT else {
      throw SafelightError(
        .environment, candidate.name, why: "EGL_EXT_platform_base is missing", remedy: "upgrade libegl1 to 1.3 or newer"
      )
    }
    let display: EGLDisplay? = try {
      () throws(SafelightError) -> EGLDisplay? in
      switch candidate.platform {
      case .gbm:
        let device = try GBMDevice.device(at: candidate.node ?? "/dev/null")
        return unsafe get(EGLenum(EGL_PLATFORM_GBM_KHR), UnsafeMutableRawPointer(device.pointer), nil)
      case .surfaceless:
        return unsafe get(EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil, nil)
      case .device, .auto:
        let handles = unsafe library.deviceHandles()
        guard let number = candidate.eglDeviceIndex, unsafe handles.indices.contains(number) else { return nil }
        return unsafe get(EGLenum(EGL_PLATFORM_DEVICE_EXT), handles[number], nil)
      }
    }()
    // Drivers are known to fail here and leave EGL_SUCCESS, so the handle is what is tested.
    guard let display = unsafe display else { throw Self.refused(candidate, library.takeError()) }
    var major: EGLint = 0
    var minor: EGLint = 0
    guard unsafe library.egl.eglInitialize(display, &major, &minor) != 0 else {
      throw Self.refused(candidate, library.takeError())
    }
    self.library = library
    unsafe self.display = unsafe display
    self.extensions = unsafe library.extensions(of: display)
    self.version = (major, minor)
    self.node = candidate.platform == .gbm ? candidate.node.map { RenderNode(path: $0) } : nil
  }

  /// Why a display did not start, by the code and by what the system shows.
  private static func refused(_ candidate: DeviceCandidate, _ error: EGLError) -> SafelightError {
    let place = candidate.node.map { "\(candidate.name) at \($0)" } ?? candidate.name
    if let node = candidate.node, let denied = permissionError(node) { return denied }
    let said = EGLMessages.last.map { " (\($0))" } ?? ""
    if unsafe !candidate.isSoftware && getenv("LIBGL_ALWAYS_SOFTWARE") != nil {
      return SafelightError(
        .environment, place, why: "the environment forces software rendering (LIBGL_ALWAYS_SOFTWARE)\(said)",
        remedy: "unset LIBGL_ALWAYS_SOFTWARE, or use the device software")
    }
    switch error {
    case .badAccess:
      return SafelightError(
        .environment, place, why: "\(error): this GPU is in MIG mode or not given to this job\(said)",
        remedy: "use the GPU of the allocation (the device auto), one without MIG, or the device software")
    case .badAlloc:
      return SafelightError(
        .environment, place, why: "\(error): out of GPU resources\(said)",
        remedy: "free GPU memory, or choose another device")
    default:
      return SafelightError(
        .environment, place, why: "the driver failed to start: \(error)\(said)",
        remedy: "run with EGL_LOG_LEVEL=debug LIBGL_DEBUG=verbose, and check the driver package")
    }
  }

  private static func permissionError(_ node: String) -> SafelightError? {
    do throws(SafelightError) {
      close(try RenderNode(path: node).open())
      return nil
    } catch {
      return error
    }
  }
}

/// The last warning or error that a driver gave through EGL_KHR_debug, to be quoted when a display does not start.
enum EGLMessages {
  private static let text = Mutex<String?>(nil)
  private static let isListening = Mutex(false)

  static var last: String? { text.withLock { $0 } }

  /// Forgets what was said of another device.
  static func clear() { text.withLock { $0 = nil } }

  /// Installs the callback once in a process; without the extension nothing is quoted.
  static func listen(_ library: EGLLibrary) {
    let isFirst = isListening.withLock { listening -> Bool in
      defer { listening = true }
      return !listening
    }
    guard isFirst, library.clientExtensions.contains("EGL_KHR_debug"),
      let control = unsafe library.egl.eglDebugMessageControlKHR
    else { return }
    // Unknown or unsupported categories leave the default, critical and error messages, in force.
    _ = unsafe control(
      { _, _, _, _, _, message in
        guard let message = unsafe message else { return }
        let line = unsafe String(cString: message)
        EGLMessages.text.withLock { $0 = line }
      }, nil)
  }
}
