import SafelightGPU
import SafelightImage
import TestSupport
import Testing

@Suite struct LibraryDeviceTests {
  /// Each function with all values of its constants: the driver's bindings are compared with the reflection.
  @Test(arguments: TestDevice.gles)
  func theDriverAgreesOnTheBindingsOfEveryBuiltInFunction(_ test: TestDevice) throws {
    let device = try test.open()
    let library = try device.makeDefaultLibrary()
    var compiled = 0
    for name in library.functionNames where name != "full_screen" {
      for (bits, variant, isSet) in [(8, 1, true), (16, 3, false), (8, 0, false)] {
        var values = FunctionConstantValues()
        values.setConstantValue(Int32(bits), withName: "SAMPLE_BITS")
        for name in ["VARIANT", "FILTER"] { values.setConstantValue(Int32(variant), withName: name) }
        for name in ["HAS_ALPHA", "HAS_COLORS", "PLANAR", "SOURCE_IS_GRAY"] {
          values.setConstantValue(isSet, withName: name)
        }
        values.setConstantValue(bits == 8, withName: "TARGET_IS_NORMALIZED")
        let function = try library.makeFunction(name: name, constantValues: values)
        #expect(!function.arguments.isEmpty)
        if function.functionType == .fragment {
          _ = try device.makeRenderPipelineState(fullScreen: function)
        } else {
          _ = try device.makeComputePipelineState(function, threadsPerThreadgroup: Size(8, 1))
        }
        compiled += 1
      }
    }
    #expect(compiled == 3 * 2 * 7)
  }

  /// Every type of constant reaches both bodies of the function.
  @Test(arguments: TestDevice.all)
  func constantsHaveTheirValues(_ test: TestDevice) throws {
    let device = try test.open()
    let library = try device.makeLibrary(
      source: """
        layout(local_size_x = 1) in;
        layout(std430, binding = 0) buffer Words { uint words[]; };
        void main() {
          words[0] = uint(WHOLE);
          words[1] = NATURAL;
          words[2] = floatBitsToUint(REAL);
          words[3] = bool(FLAG) ? 1u : 0u;
        #if FLAG && WHOLE < 0
          words[4] = 5u;
        #endif
        }
        """)
    for (whole, natural, real, flag) in [
      (Int32.min + 1, UInt32.max, Float(0.1), true), (3, 0, -.greatestFiniteMagnitude, false),
      (-1, 1, Float.leastNormalMagnitude, true), (0, 7, .infinity, false),
    ] {
      var values = FunctionConstantValues()
      values.setConstantValue(whole, withName: "WHOLE")
      values.setConstantValue(natural, withName: "NATURAL")
      values.setConstantValue(real, withName: "REAL")
      values.setConstantValue(flag, withName: "FLAG")
      let expected = [
        UInt32(bitPattern: whole), natural, real.bitPattern, flag ? 1 : 0, flag && whole < 0 ? 5 : 0,
      ]
      let function = try library.makeFunction(name: "source", constantValues: values).withTwin { arguments in
        arguments.buffer(0).withWords { words in for i in 0..<5 { words[i] = expected[i] } }
      }
      let words = try device.makeBuffer(length: 20)
      try device.dispatch(function, Size(1, 1), group: Size(1, 1)) { $0.setBuffer(words, index: 0) }
      let found = try device.contents(of: words).words(UInt32.self)
      #expect(found == expected, "\(found) for \(expected)")
    }
  }

  /// Functions with equal values have equal texts and compile once: an archive is read once for each.
  @Test(arguments: TestDevice.gles)
  func equalConstantsShareAProgram(_ test: TestDevice) throws {
    let folder = TemporaryFolder()
    let archive = try BinaryArchive(folder: folder.path)
    let device = try test.open(limits: test.name.hasSuffix("-minimum") ? .minimum : nil, archive: archive)
    let library = try device.makeLibrary(
      source: "layout(local_size_x = 1) in;\nvoid main() { uint a = uint(VALUE); }")
    for value: Int32 in [1, 2, 1, 2, 1] {
      var values = FunctionConstantValues()
      values.setConstantValue(value, withName: "VALUE")
      _ = try device.makeComputePipelineState(try library.makeFunction(name: "source", constantValues: values))
    }
    #expect(device.statistics.programs == 2)
    #expect(archive.report.missing + archive.report.unsupported == 2)
    #expect(archive.report.restored == 0)
  }

  @Test(arguments: TestDevice.gles)
  func errorsPointIntoIncludedFiles(_ test: TestDevice) throws {
    let folder = try TemporaryFolder([
      "main.comp": "#include \"Common/compute.glsl\"\n#include \"tool.glsl\"\nvoid main() { tool(); }",
      "tool.glsl": "// a tool\nvoid tool() {\n  int a = nonsense;\n}",
    ])
    let device = try test.open()
    let function = try device.makeLibrary(filepath: "\(folder.path)/main.comp").makeFunction(name: "main")
    expectError(
      why: .containing(
        "at \(folder.path)/tool.glsl:3, included from \(folder.path)/main.comp:2",
        "  2 | void tool() {\n  3 |   int a = nonsense;\n  4 | }")
    ) { try device.makeComputePipelineState(function) }
  }
}
