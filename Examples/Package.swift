// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let argumentParser = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let safelight = Target.Dependency.product(name: "Safelight", package: "safelight")
let goldenTesting = Target.Dependency.product(name: "GoldenTesting", package: "safelight")

/// The headless forms of six classic programs for Metal, each a folder of `Sources`, with the shaders of its own.
let programs: KeyValuePairs = [
  "HistogramCamera": [], "PassthroughCamera": ["passthrough.glsl"], "SaturationSlider": ["saturation.glsl"],
  "TextureView": ["texture_view.glsl"], "YCbCrCamera": ["camera.glsl"], "MovieCompositor": [],
]

let package = Package(
  name: "Examples",
  dependencies: [
    .package(name: "safelight", path: ".."),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.0"),
  ],
  targets: [.target(name: "Running", dependencies: [argumentParser, safelight], swiftSettings: strict)]
    + programs.map { name, shaders in
      .executableTarget(
        name: name, dependencies: ["Running", argumentParser, safelight],
        resources: shaders.map { .embedInCode($0) }, swiftSettings: strict)
    }
    + [
      // A kernel of one's own, and the tool with it.
      .target(
        name: "Solarize", dependencies: [safelight], resources: [.embedInCode("solarize.glsl")], swiftSettings: strict),
      .executableTarget(
        name: "OwnTool", dependencies: ["Solarize", .product(name: "SafelightCommandLine", package: "safelight")],
        swiftSettings: strict),
      .testTarget(
        name: "SolarizeTests", dependencies: ["Solarize", safelight, goldenTesting], exclude: ["Goldens"],
        swiftSettings: strict),
      .testTarget(
        name: "EqualizationTests", dependencies: [safelight, goldenTesting], exclude: ["Goldens"], swiftSettings: strict
      ),
    ]
)
