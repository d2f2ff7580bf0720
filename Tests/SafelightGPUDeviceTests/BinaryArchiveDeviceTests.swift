import Glibc
import SafelightGLES
import SafelightGPU
import SafelightImage
import SafelightShaders
import TestSupport
import Testing

/// Devices whose drivers offer program binaries: Mesa does while its own shader cache is on.
@Suite struct BinaryArchiveDeviceTests {
  /// Opens a new device like `test` with an archive, or with the environment's if nil.
  private static func open(_ test: TestDevice, _ archive: BinaryArchive?) throws -> Device {
    try test.open(limits: test.name.hasSuffix("-minimum") ? .minimum : nil, archive: archive)
  }

  /// Fills four words with `value` and returns them.
  private static func fill(_ device: Device, value: Int = 7, index: Int = 0) throws -> [UInt32] {
    let function = function(value: value, index: index)
    let words = try device.makeBuffer(length: 16)
    try device.dispatch(function, Size(4, 1), group: Size(4, 1)) {
      $0.setBuffer(words, index: index)
      $0.setBytes(SIMD4<UInt32>(100, 0, 0, 0), index: 3)
    }
    return try device.contents(of: words).words(UInt32.self)
  }

  private static func function(value: Int = 7, index: Int = 0) -> ShaderFunction {
    ShaderFunction(
      name: "fill",
      assembly: ShaderAssembly(
        texts: [
          """
          #include "Common/compute.glsl"
          layout(std430, binding = INDEX) buffer Words { uint words[]; };
          layout(std140, binding = 3) uniform Parameters { uvec4 values; };
          void main() {
            if (isOutsideGrid()) return;
            words[gl_GlobalInvocationID.x] = uint(VALUE) + values.x;
          }
          """
        ], constants: [.init("VALUE", value), .init("INDEX", index)]))
  }

  private static var keeping: [TestDevice] { TestDevice.glesOnEveryPlatform.filter { !$0.name.hasSuffix("-minimum") } }

  @Test(arguments: keeping)
  func theSecondDeviceTakesWhatTheFirstCompiled(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let first = try BinaryArchive(folder: folder.path)
    #expect(try Self.fill(try Self.open(test, first)) == [107, 107, 107, 107])
    #expect(first.report == report { ($0.missing, $0.kept) = (1, 1) })
    let second = try BinaryArchive(folder: folder.path)
    #expect(try Self.fill(try Self.open(test, second)) == [107, 107, 107, 107])
    #expect(second.report == report { $0.restored = 1 })
    // Another text is another program.
    #expect(try Self.fill(try Self.open(test, second), value: 8) == [108, 108, 108, 108])
    #expect(second.report == report { ($0.restored, $0.missing, $0.kept) = (1, 1, 1) })
  }

  /// Files damaged in any part or cut short are compiled again and replaced.
  @Test(arguments: keeping)
  func damageIsCompiledAnewAndReplaced(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    _ = try Self.fill(try Self.open(test, try BinaryArchive(folder: folder.path)))
    let name = try #require(folder.visibleNames().first)
    let whole = try folder.bytes(name)
    let places = [0, 7, 8, 12, 16, 23, 24, 55, 56, 87, 88, whole.count / 2, whole.count - 1]
    let damages =
      places.map { place in
        var bytes = whole
        bytes[place] ^= 0x5A
        return bytes
      } + [0, 1, 87, 88, whole.count - 1].map { Array(whole[..<$0]) } + [whole + [0]]
    for (number, bytes) in damages.enumerated() {
      try folder.write(bytes, to: name)
      let archive = try BinaryArchive(folder: folder.path)
      #expect(try Self.fill(try Self.open(test, archive)) == [107, 107, 107, 107], "damage \(number)")
      #expect(archive.report == report { ($0.damaged, $0.kept) = (1, 1) }, "damage \(number)")
      #expect(try folder.bytes(name).count == whole.count)
      let next = try BinaryArchive(folder: folder.path)
      _ = try Self.fill(try Self.open(test, next))
      #expect(next.report == report { $0.restored = 1 }, "damage \(number)")
    }
  }

  /// An intact file whose program the driver refuses, as after an upgrade that kept the version.
  @Test(arguments: keeping)
  func aRefusalIsCompiledAnewAndReplaced(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    _ = try Self.fill(try Self.open(test, archive))
    let key = try #require(folder.keys().first)
    let kept = try #require(archive.binary(for: key))
    for refused in [
      ProgramBinary(format: kept.format ^ 0x1111, bytes: kept.bytes),
      ProgramBinary(format: kept.format, bytes: Array(kept.bytes.prefix(8))),
      ProgramBinary(format: kept.format, bytes: [UInt8](repeating: 0, count: kept.bytes.count)),
    ] {
      #expect(archive.keep(refused, for: key) == nil)
      let next = try BinaryArchive(folder: folder.path)
      #expect(try Self.fill(try Self.open(test, next)) == [107, 107, 107, 107])
      #expect(next.report == report { ($0.refused, $0.kept) = (1, 1) })
      #expect(next.binary(for: key)?.format == kept.format)
    }
  }

  /// An intact program under the name of another, which the driver links: its bindings reveal it.
  @Test(arguments: keeping)
  func anotherProgramIsCompiledAnewAndReplaced(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    let device = try Self.open(test, archive)
    _ = try Self.fill(device)
    let key = try #require(folder.keys().first)
    _ = try Self.fill(device, value: 9, index: 1)
    let other = try #require(folder.keys().first { $0 != key }.flatMap { archive.binary(for: $0) })
    #expect(archive.keep(other, for: key) == nil)
    let next = try BinaryArchive(folder: folder.path)
    #expect(try Self.fill(try Self.open(test, next)) == [107, 107, 107, 107])
    #expect(next.report == report { ($0.refused, $0.kept) = (1, 1) })
    #expect(next.binary(for: key) != other)
  }

  /// A program is valid only for the driver and version that made it.
  @Test(arguments: keeping)
  func theKeyNamesTheDriverAndItsVersion(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let device = try Self.open(test, try BinaryArchive(folder: folder.path))
    _ = try Self.fill(device)
    let variant = ComputeVariant(threadsPerThreadgroup: Size(4, 1))
    let text = try Self.function().assembly.shader(variant.constants).text
    let info = device.info
    func key(_ driver: String) -> BinaryArchive.Key {
      BinaryArchive.Key([info.vendor, info.name, driver, "compute", text])
    }
    #expect(try folder.keys() == [key(info.driver)])
    #expect(try folder.keys() != [key(info.driver + " of tomorrow")])
  }

  @Test(arguments: keeping)
  func renderPipelinesAreKeptToo(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let function = ShaderFunction("shade", "layout(location = 0) out vec4 color;\nvoid main() { color = vec4(1.0); }")
    for expected in [report { ($0.missing, $0.kept) = (1, 1) }, report { $0.restored = 1 }] {
      let archive = try BinaryArchive(folder: folder.path)
      let device = try Self.open(test, archive)
      let pipeline = try device.makeRenderPipelineState(fullScreen: function)
      let target = try device.makeTexture(Size(1, 1), .rgba8Unorm)
      try device.render(RenderPassDescriptor(texture: target), pipeline)
      #expect(try device.contents(of: target) == [255, 255, 255, 255])
      #expect(archive.report == expected)
    }
  }

  @Test(arguments: keeping)
  func asynchronousCompilationUsesTheArchive(_ test: TestDevice) async throws {
    let folder = TemporaryFolder()
    for expected in [report { ($0.missing, $0.kept) = (1, 1) }, report { $0.restored = 1 }] {
      let archive = try BinaryArchive(folder: folder.path)
      let device = try Self.open(test, archive)
      _ = try await device.makeComputePipelineState(ComputeFunctions.scale)
      #expect(archive.report == expected)
    }
  }

  /// With drivers that offer no program binaries everything compiles, and the report counts it.
  @Test(arguments: TestDevice.glesOnEveryPlatform)
  func withoutFormatsNothingIsKept(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    #expect(try Self.fill(try test.open(limits: .minimum, archive: archive)) == [107, 107, 107, 107])
    #expect(archive.report == report { $0.unsupported = 1 })
    #expect(try folder.visibleNames().isEmpty)
  }

  /// The driver itself without formats, like Mesa without its cache; other drivers have no such switch.
  @Test func aDriverWithoutFormatsIsServed() async throws {
    guard let test = TestDevice.glesOnEveryPlatform.first(where: { $0.name == "surfaceless" }),
      try test.open().info.driver.contains("Mesa")
    else { return }
    let folder = TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("MESA_SHADER_CACHE_DISABLE", "1", 1)
      let archive = try BinaryArchive(folder: path)
      let device = try Self.open(TestDevice(name: "surfaceless"), archive)
      #expect(device.capabilities.programBinaryFormats == 0)
      #expect(try Self.fill(device) == [107, 107, 107, 107])
      #expect(archive.report.unsupported == 1)
    }
    #expect(try folder.visibleNames().isEmpty)
  }

  @Test func theVariableNamesTheFolder() async throws {
    guard TestDevice.glesOnEveryPlatform.contains(where: { $0.name == "surfaceless" }) else { return }
    let folder = TemporaryFolder()
    await #expect(processExitsWith: .success) { [path = folder.path as String] in
      setenv("SAFELIGHT_CACHE", path, 1)
      _ = try Self.fill(try Self.open(TestDevice(name: "surfaceless"), nil))
      setenv("SAFELIGHT_CACHE", "/proc/safelight", 1)
      let error = #expect(throws: SafelightError.self) { try Self.open(TestDevice(name: "surfaceless"), nil) }
      #expect(error?.description.contains("/proc/safelight") == true)
    }
    #expect(try folder.visibleNames().count == 1)
  }

  /// Four processes fill and read one folder at once, while its files are damaged again and again: no result is ever
  /// wrong.
  @Test func processesShareAFolder() async throws {
    guard TestDevice.glesOnEveryPlatform.contains(where: { $0.name == "surfaceless" }) else { return }
    let folder = TemporaryFolder()
    await withTaskGroup(of: Void.self) { group in
      for process in 0..<4 {
        group.addTask { [path = folder.path] in
          await #expect(processExitsWith: .success) { [path = path as String, process = process as Int] in
            for round in 0..<6 {
              let archive = try BinaryArchive(folder: path, maximumLength: 40_000)
              let device = try Self.open(TestDevice(name: "surfaceless"), archive)
              for value in 0..<4 {
                #expect(try Self.fill(device, value: value) == [UInt32](repeating: UInt32(100 + value), count: 4))
              }
              #expect(archive.report.refused == 0)
              #expect(archive.report.failed == 0)
              if process == 0, round < 5, let name = try TemporaryFolder.visibleNames(in: path).first {
                // In place: what a broken disk does, not what a process does.
                let stream = try #require(fopen("\(path)/\(name)", "r+"))
                fseek(stream, 100, SEEK_SET)
                fputs("damage", stream)
                fclose(stream)
              }
            }
          }
        }
      }
    }
    let archive = try BinaryArchive(folder: folder.path)
    for value in 0..<4 { _ = try Self.fill(try Self.open(TestDevice(name: "surfaceless"), archive), value: value) }
    #expect(archive.report.restored + archive.report.kept == 4)
    #expect(try folder.visibleNames().allSatisfy { $0.hasSuffix(".program") })
  }

  private func report(_ change: (inout BinaryArchive.Report) -> Void) -> BinaryArchive.Report {
    var report = BinaryArchive.Report()
    change(&report)
    return report
  }
}

extension TemporaryFolder {
  /// The keys of the programs in it.
  fileprivate func keys() throws -> [BinaryArchive.Key] {
    try visibleNames().compactMap { name in
      let digits = Array(name.prefix(64))
      let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
      return bytes.count == 32 ? BinaryArchive.Key(digest: bytes) : nil
    }
  }
}
