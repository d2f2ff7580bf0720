internal import CEGL
internal import CGLES
internal import Glibc
internal import SafelightImage
internal import Synchronization

/// libEGL, opened once per process, with the table of its entry points.
///
/// `@unchecked Sendable`: the table never changes after `init`, and EGL's entry points may be called from any thread
/// (EGL 1.5 §2.1).
@safe final class EGLLibrary: @unchecked Sendable {
  let egl: safelight_egl

  private init(egl: safelight_egl) { self.egl = egl }

  /// The library, or why it cannot be loaded.
  static let shared: Result<EGLLibrary, SafelightError> = open()

  private static func open() -> Result<EGLLibrary, SafelightError> {
    guard let library = unsafe dlopen("libEGL.so.1", RTLD_NOW | RTLD_LOCAL) else {
      let reason = unsafe dlerror().map { unsafe String(cString: $0) } ?? "no reason given"
      return .failure(
        SafelightError(
          .environment, "EGL library not found", why: reason,
          remedy: "apt-get install libegl1 libgles2 libegl-mesa0 libgl1-mesa-dri, or use the device 'cpu'"))
    }
    let table = UnsafeMutablePointer<safelight_egl>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    if let missing = unsafe safelight_egl_load(library, table) {
      return .failure(
        SafelightError(
          .environment, "EGL library too old", why: "libEGL.so.1 lacks \(unsafe String(cString: missing))",
          remedy: "upgrade libegl1"))
    }
    return .success(EGLLibrary(egl: unsafe table.pointee))
  }

  /// The client extensions (EGL_EXT_client_extensions), which need no display; empty if no driver is installed.
  var clientExtensions: Set<Substring> { unsafe extensions(of: nil) }

  /// Returns the extensions of a display, or of the client if `display` is nil.
  func extensions(of display: EGLDisplay?) -> Set<Substring> {
    guard let text = unsafe egl.eglQueryString(display, EGL_EXTENSIONS) else { return [] }
    return Set(unsafe String(cString: text).split(separator: " "))
  }

  /// Returns and clears the EGL error of this thread; `EGL_SUCCESS` after a failed call means that the driver gave no
  /// reason.
  func takeError() -> EGLError { EGLError(code: egl.eglGetError()) }

  /// Loads the OpenGL ES entry points of the installed drivers.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if an OpenGL ES 3.1 function is missing.
  func loadGLES() throws(SafelightError) -> GLFunctions {
    let table = UnsafeMutablePointer<safelight_gles>.allocate(capacity: 1)
    defer { unsafe table.deallocate() }
    // Since EGL 1.5 eglGetProcAddress also finds core functions; glvnd does so for every vendor.
    if let missing = unsafe safelight_gles_load(egl.eglGetProcAddress, table) {
      throw SafelightError(
        .environment, "OpenGL ES library too old", why: "the driver has no \(unsafe String(cString: missing))",
        remedy: "install a driver with OpenGL ES 3.1, such as Mesa's libgl1-mesa-dri, or use the device 'cpu'")
    }
    return GLFunctions(table: unsafe table.pointee)
  }
}

/// The code of a failed EGL call (EGL 1.5 §3.1).
struct EGLError: CustomStringConvertible {
  let code: Int32

  /// The names of the codes from `EGL_NOT_INITIALIZED` on.
  private static let names = [
    "NOT_INITIALIZED", "BAD_ACCESS", "BAD_ALLOC", "BAD_ATTRIBUTE", "BAD_CONFIG", "BAD_CONTEXT", "BAD_CURRENT_SURFACE",
    "BAD_DISPLAY", "BAD_MATCH", "BAD_NATIVE_PIXMAP", "BAD_NATIVE_WINDOW", "BAD_PARAMETER", "BAD_SURFACE",
    "CONTEXT_LOST",
  ]

  /// The name in the EGL registry; Mesa and NVIDIA are known to fail and leave `EGL_SUCCESS`.
  var description: String {
    let index = Int(code - EGL_NOT_INITIALIZED)
    if code == EGL_SUCCESS { return "the driver gave no reason" }
    if code == EGL_BAD_DEVICE_EXT { return "EGL_BAD_DEVICE_EXT" }
    return Self.names.indices.contains(index) ? "EGL_\(Self.names[index])" : "EGL error 0x\(String(code, radix: 16))"
  }
}

/// An initialized EGL display of one candidate.
///
/// Displays are global to the process and shared with other users of EGL in it, so none is ever terminated. `@safe`:
/// the handle stays valid for that reason.
@safe struct DisplayConnection {
  let library: EGLLibrary
  let display: EGLDisplay
  let extensions: Set<Substring>
  let version: (major: Int32, minor: Int32)
  /// The DRM node through which the display was opened; nil for platforms that need none.
  let node: RenderNode?

  /// Makes and initializes the display; call it on the context thread.
  ///
  /// - Throws: ``SafelightError`` of kind `environment` if the display does not start.
  init(_ candidate: DeviceCandidate) throws(SafelightError) {
    let library = try EGLLibrary.shared.get()
    EGLMessages.listen()
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
        let device = try GBMDevice.device(at: candidate.node ?? "/dev/null", for: .display)
        return unsafe get(EGLenum(EGL_PLATFORM_GBM_KHR), UnsafeMutableRawPointer(device.pointer), nil)
      case .surfaceless:
        return unsafe get(EGLenum(EGL_PLATFORM_SURFACELESS_MESA), nil, nil)
      case .device, .auto:
        let handles = unsafe library.deviceHandles()
        guard let number = candidate.eglDeviceIndex, unsafe handles.indices.contains(number) else { return nil }
        return unsafe get(EGLenum(EGL_PLATFORM_DEVICE_EXT), handles[number], nil)
      }
    }()
    // Some drivers fail here and leave EGL_SUCCESS, so check the handle.
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

  /// The error for a display that does not start, by the EGL error and the state of the system.
  private static func refused(_ candidate: DeviceCandidate, _ error: EGLError) -> SafelightError {
    let place = candidate.node.map { "\(candidate.name) at \($0)" } ?? candidate.name
    do throws(SafelightError) {
      if let node = candidate.node { close(try RenderNode(path: node).open()) }
    } catch {
      return error
    }
    let said = EGLMessages.last.map { " (\($0))" } ?? ""
    if unsafe !candidate.isSoftware && getenv("LIBGL_ALWAYS_SOFTWARE") != nil {
      return SafelightError(
        .environment, place, why: "the environment forces software rendering (LIBGL_ALWAYS_SOFTWARE)\(said)",
        remedy: "unset LIBGL_ALWAYS_SOFTWARE, or use the device 'software'")
    }
    switch error.code {
    case EGL_BAD_ACCESS:
      return SafelightError(
        .environment, place, why: "\(error): this GPU is in MIG mode or not assigned to this job\(said)",
        remedy: "use the GPU assigned to this job (the device 'auto'), a GPU without MIG, or the device 'software'")
    case EGL_BAD_ALLOC:
      return SafelightError(
        .environment, place, why: "\(error): out of GPU resources\(said)",
        remedy: "free GPU memory, or choose another device")
    default:
      return SafelightError(
        .environment, place, why: "the driver failed to start: \(error)\(said)",
        remedy: "run with EGL_LOG_LEVEL=debug LIBGL_DEBUG=verbose, and check the driver package")
    }
  }
}

/// The last warning or error that a driver reported through EGL_KHR_debug, to be quoted if a display does not start.
enum EGLMessages {
  private static let text = Mutex<String?>(nil)

  static var last: String? { text.withLock { $0 } }

  /// Forgets messages about other devices.
  static func clear() { text.withLock { $0 = nil } }

  /// Installs the callback once per process; without the extension there is nothing to quote.
  static func listen() { listening }

  private static let listening: Void = {
    guard let library = try? EGLLibrary.shared.get(), library.clientExtensions.contains("EGL_KHR_debug"),
      let control = unsafe library.egl.eglDebugMessageControlKHR
    else { return }
    // The default categories are critical and error messages.
    _ = unsafe control(
      { _, _, _, _, _, message in
        guard let message = unsafe message else { return }
        let line = unsafe String(cString: message)
        EGLMessages.text.withLock { $0 = line }
      }, nil)
  }()
}
