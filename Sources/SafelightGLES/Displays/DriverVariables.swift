internal import Glibc
internal import SafelightImage

/// The variables of the environment that decide which driver EGL takes and what it shows of a machine.
package enum DriverVariables {
  /// Lists of files and of folders, each in place of the installed drivers (libglvnd, src/EGL/icd_enumeration.md).
  private static let vendors = ["__EGL_VENDOR_LIBRARY_FILENAMES", "__EGL_VENDOR_LIBRARY_DIRS"]

  private static let names =
    vendors + [
      "LIBGL_ALWAYS_SOFTWARE", "GBM_ALWAYS_SOFTWARE", "MESA_LOADER_DRIVER_OVERRIDE", "GALLIUM_DRIVER",
      "LIBGL_DRIVERS_PATH", "GBM_BACKEND", "GBM_BACKENDS_PATH", "EGL_PLATFORM", "MESA_GLES_VERSION_OVERRIDE",
      "MESA_EXTENSION_OVERRIDE", "VK_DRIVER_FILES", "VK_ICD_FILENAMES", "CUDA_VISIBLE_DEVICES", "SLURM_STEP_GPUS",
      "SLURM_JOB_GPUS", "NVIDIA_VISIBLE_DEVICES", "NVIDIA_DRIVER_CAPABILITIES", "LD_LIBRARY_PATH",
    ]

  /// Those that are set, each as `NAME=value`.
  package static var inForce: [String] { names.compactMap { name in value(name).map { "\(name)=\($0)" } } }

  /// The error for drivers that a variable takes the place of, of which none can be loaded; nil if none is set.
  static var hiding: SafelightError? {
    for name in vendors {
      guard let value = value(name) else { continue }
      let missing = value.split(separator: ":").map(String.init).filter { unsafe access($0, R_OK) != 0 }
      let fault =
        missing.isEmpty ? "nothing of \(value) can be loaded" : "\(missing.joined(separator: ", ")) cannot be read"
      return SafelightError(
        .environment, "no EGL driver", why: "\(name) takes the place of the installed drivers, and \(fault)",
        remedy: "unset \(name), or correct it, or use the device 'cpu'")
    }
    return nil
  }

  private static func value(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
  }
}
