// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target: language mode 6, warnings are errors, imports say who may see them.
let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

/// Targets that touch C or raw memory also mark every unsafe expression.
let strictMemory: [SwiftSetting] = strict + [.strictMemorySafety()]

let package = Package(
  name: "safelight",
  products: [
    .executable(name: "safelight", targets: ["safelight"]),
    .library(name: "Safelight", targets: ["Safelight"]),
    .library(name: "SafelightCommandLine", targets: ["SafelightCommandLine"]),
    .library(name: "SafelightGPU", targets: ["SafelightGPU"]),
    .library(name: "SafelightGolden", targets: ["SafelightGolden"]),
    .library(name: "GoldenTesting", targets: ["GoldenTesting"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
    // Without its Foundation trait: children are started by libraries, which do without Foundation.
    .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-system", from: "1.5.0"),
  ],
  targets: [
    // System: headers only. EGL, GLES, GBM and HarfBuzz are opened at run time, so that a machine without them gets
    // our message instead of the loader's, and can still use the CPU.
    .systemLibrary(name: "CEGL", providers: [.apt(["libegl-dev"])]),
    .systemLibrary(name: "CGLES", providers: [.apt(["libgles-dev"])]),
    .systemLibrary(name: "CGBM", providers: [.apt(["libgbm-dev"])]),
    .systemLibrary(name: "CHarfBuzz", providers: [.apt(["libharfbuzz-dev"])]),
    .systemLibrary(name: "CLinux", providers: [.apt(["linux-libc-dev"])]),
    .systemLibrary(name: "CMalloc", providers: [.apt(["libc6-dev"])]),
    .systemLibrary(name: "CCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    .systemLibrary(name: "CDeflate", pkgConfig: "libdeflate", providers: [.apt(["libdeflate-dev"])]),
    .target(name: "CPNGRows"),
    .target(name: "CKernelRows"),
    .target(name: "CGoldenRows"),
    .target(name: "CPNGShim", dependencies: ["CPNG", "CPNGRows"]),
    .target(name: "CProcess"),

    // Texts that targets have in their folders become strings in their binaries.
    .plugin(name: "EmbedTexts", capability: .buildTool()),

    // Facts.
    .target(name: "SafelightImage", dependencies: ["CCrypto"], swiftSettings: strictMemory),
    .target(name: "SafelightMachine", swiftSettings: strictMemory),
    .target(
      name: "SafelightShaders",
      path: "Shaders",
      swiftSettings: strict,
      plugins: ["EmbedTexts"]),

    // Binding.
    .target(
      name: "SafelightGLES",
      dependencies: [
        "CEGL", "CGLES", "CGBM", "CLinux", "SafelightImage", "SafelightMachine", "SafelightShaders",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strictMemory),

    // Device.
    .target(
      name: "SafelightGPU",
      dependencies: [
        "SafelightGLES", "SafelightImage", "SafelightMachine", "SafelightShaders",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strictMemory),

    // Meaning.
    .target(
      name: "SafelightKernels",
      dependencies: ["CKernelRows", "SafelightGPU", "SafelightImage", "SafelightMachine", "SafelightShaders"],
      swiftSettings: strictMemory),
    .target(
      name: "SafelightFrames",
      dependencies: [
        "CPNGShim", "CPNGRows", "CDeflate", "SafelightImage",
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      swiftSettings: strictMemory),

    .target(
      name: "SafelightFonts", dependencies: ["CHarfBuzz", "SafelightImage"], swiftSettings: strictMemory),

    .target(
      name: "SafelightGolden",
      dependencies: ["CGoldenRows", "SafelightFrames", "SafelightImage", "SafelightMachine"],
      swiftSettings: strictMemory,
      plugins: ["EmbedTexts"]),

    // Workflow.
    .target(
      name: "Safelight",
      dependencies: [
        "SafelightKernels", "SafelightFonts", "SafelightFrames", "SafelightGPU", "SafelightImage",
        "SafelightMachine", "SafelightShaders",
      ],
      resources: [.embedInCode("Conformance/frame.rgb")],
      swiftSettings: strict),

    // Programs.
    .target(
      name: "SafelightCommandLine",
      dependencies: [
        "CMalloc", "CProcess", "Safelight", "SafelightGolden",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "Subprocess", package: "swift-subprocess"),
        .product(name: "SystemPackage", package: "swift-system"),
      ],
      path: "Sources/CommandLine",
      swiftSettings: strict,
      plugins: ["EmbedTexts"]),
    .executableTarget(
      name: "safelight", dependencies: ["SafelightCommandLine"], path: "Sources/Program", swiftSettings: strict),

    .target(
      name: "GoldenTesting",
      dependencies: ["SafelightGolden", "SafelightGPU", "SafelightFrames", "SafelightImage"],
      swiftSettings: strictMemory),

    // Tests: XTests need no device, XDeviceTests run on every executor, those of contexts on every platform.
    .target(
      name: "TestSupport",
      dependencies: [
        "SafelightFrames", "SafelightGPU", "SafelightGLES", "SafelightImage", "SafelightShaders",
        .product(name: "Logging", package: "swift-log"),
      ],
      path: "Tests/TestSupport",
      swiftSettings: strict),
    .testTarget(name: "ArchitectureTests", swiftSettings: strict),
    // What has threads of its own: scripts/check-threads runs these suites under Thread Sanitizer too.
    .testTarget(
      name: "ConcurrencyTests",
      dependencies: [
        "Safelight", "SafelightKernels", "SafelightGPU", "SafelightGLES", "SafelightImage", "SafelightShaders",
        "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(name: "SafelightShadersTests", dependencies: ["SafelightShaders"], swiftSettings: strict),
    .testTarget(
      name: "SafelightGLESTests",
      dependencies: ["SafelightGLES", "SafelightImage", "SafelightShaders", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightGLESDeviceTests",
      dependencies: [
        "SafelightGLES", "SafelightGPU", "SafelightImage", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightGPUTests",
      dependencies: ["SafelightGPU", "SafelightGLES", "SafelightImage", "SafelightShaders", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightGPUDeviceTests",
      dependencies: [
        "SafelightGPU", "SafelightImage", "SafelightShaders", "TestSupport",
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightKernelsDeviceTests",
      dependencies: ["SafelightKernels", "SafelightGPU", "SafelightImage", "SafelightShaders", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightKernelsTests", dependencies: ["CKernelRows", "SafelightKernels", "SafelightImage"],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightDeviceTests", dependencies: ["Safelight", "SafelightGolden", "GoldenTesting", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "SafelightImageTests", dependencies: ["SafelightImage"], swiftSettings: strict),
    .testTarget(name: "SafelightMachineTests", dependencies: ["SafelightMachine"], swiftSettings: strict),
    .testTarget(
      name: "SafelightFramesTests", dependencies: ["SafelightFrames", "SafelightImage"], swiftSettings: strict),
    .testTarget(
      name: "SafelightFontsTests", dependencies: ["SafelightFonts", "SafelightImage"], swiftSettings: strict),
    .testTarget(
      name: "SafelightGoldenTests",
      dependencies: ["SafelightGolden", "SafelightFrames", "SafelightImage", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "GoldenTestingTests",
      dependencies: [
        "GoldenTesting", "SafelightGolden", "SafelightGPU", "SafelightFrames", "SafelightImage", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "SafelightTests", dependencies: ["Safelight", "SafelightImage", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "CommandLineTests",
      dependencies: ["safelight", "SafelightFrames", "SafelightImage", "TestSupport"],
      swiftSettings: strict),
  ]
)

// A build that runs a few suites, as those of the sanitizers do, needs no other test target.
if let chosen = Context.environment["SAFELIGHT_TEST_TARGETS"]?.split(separator: ",").map(String.init), !chosen.isEmpty {
  if let unknown = Set(chosen).subtracting(package.targets.filter(\.isTest).map(\.name)).min() {
    fatalError("SAFELIGHT_TEST_TARGETS: there is no test target \(unknown); Tests/ has their names")
  }
  package.targets.removeAll { $0.isTest && !chosen.contains($0.name) }
}
