/// Which module may know which: the arrows of the design, downward only.
enum ModuleTable {
  /// The package's own modules, the C modules and packages of others; a module without a row may not exist.
  static let allowed: [String: Set<String>] = [
    // The build.
    "EmbedTexts": [],
    // System.
    "CProcess": [], "CCrypto": [], "CEGL": [], "CGLES": [], "CGBM": [], "CHarfBuzz": [], "CLinux": [], "CMalloc": [],
    "CPNG": [], "CPNGRows": [], "CPNGShim": ["CPNG", "CPNGRows"], "CDeflate": [], "CGoldenRows": [],
    "CKernelRows": [],
    // Facts.
    "SafelightImage": ["CCrypto"], "SafelightMachine": [], "SafelightShaders": [],
    // Binding.
    "SafelightGLES": [
      "CEGL", "CGLES", "CGBM", "CLinux", "SafelightImage", "SafelightMachine", "SafelightShaders", "Logging",
    ],
    // Device.
    "SafelightGPU": ["SafelightGLES", "SafelightImage", "SafelightMachine", "SafelightShaders", "Logging"],
    // Meaning.
    "SafelightKernels": ["CKernelRows", "SafelightGPU", "SafelightImage", "SafelightMachine", "SafelightShaders"],
    "SafelightFrames": [
      "CPNGShim", "CPNGRows", "CDeflate", "SafelightImage", "Subprocess", "SystemPackage",
    ],
    "SafelightFonts": ["CHarfBuzz", "SafelightImage"],
    "SafelightGolden": ["CGoldenRows", "SafelightFrames", "SafelightImage", "SafelightMachine"],
    // Workflow.
    "Safelight": [
      "SafelightKernels", "SafelightFonts", "SafelightFrames", "SafelightGolden", "SafelightGPU", "SafelightImage",
      "SafelightMachine", "SafelightShaders",
    ],
    // Programs.
    "safelight": ["SafelightCommandLine"],
    "SafelightCommandLine": [
      "CProcess", "CMalloc", "Safelight", "SafelightGolden", "ArgumentParser", "Logging", "Subprocess",
      "SystemPackage",
    ],
    "GoldenTesting": ["Safelight", "SafelightGolden", "SafelightFrames", "SafelightGPU", "SafelightImage", "Testing"],
  ]

  /// Parts of the toolchain that any module may use.
  static let toolchain: Set<String> = ["Glibc", "Dispatch", "Synchronization"]

  /// Foundation is large: programs and what reads and writes JSON alone may use its small half.
  static let toolchainOfPrograms: Set<String> = ["FoundationEssentials"]

  /// C modules and the folder of the one module that may see each; its tests may too.
  static let fence: [String: String] = [
    "CEGL": "SafelightGLES", "CGLES": "SafelightGLES", "CGBM": "SafelightGLES", "CLinux": "SafelightGLES",
    "CHarfBuzz": "SafelightFonts",
    "CProcess": "CommandLine", "CMalloc": "CommandLine", "CCrypto": "SafelightImage",
    "CPNGShim": "SafelightFrames", "CPNGRows": "SafelightFrames", "CDeflate": "SafelightFrames",
    "CGoldenRows": "SafelightGolden", "CKernelRows": "SafelightKernels",
    "CPNG": "CPNGShim",
  ]

  static func toolchain(of module: String) -> Set<String> {
    ["SafelightCommandLine", "Safelight", "SafelightGolden"].contains(module)
      ? toolchain.union(toolchainOfPrograms) : toolchain
  }

  /// The folders of modules whose folder has another name.
  static let folders = ["CommandLine": "SafelightCommandLine", "Program": "safelight"]
}
