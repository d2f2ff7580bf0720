import SafelightShaders
import Testing

@Suite struct ShaderAssemblyTests {
  @Test func orderIsVersionConstantsPreludeTexts() throws {
    let assembly = ShaderAssembly(
      texts: ["first", "second"], constants: [.init("B", 2), .init("A", true), .init("OFF", false)])
    let expected = [
      "#version 310 es", "#define B 2", "#define A 1", "#define OFF 0", "#define EXTRA (-7)", ShaderSource.prelude.text,
      "first", "second",
    ]
    #expect(try assembly.text([.init("EXTRA", -7)]) == expected.joined(separator: "\n"))
  }

  @Test(arguments: ShaderSource.allCases.filter { $0 != .prelude })
  func nothingIsLeftToInclude(_ source: ShaderSource) throws {
    let text = try ShaderAssembly([source], constants: [.init("SAMPLE_BITS", 8)]).text()
    #expect(!text.contains("#include"))
    #expect(text.hasPrefix("#version 310 es\n#define SAMPLE_BITS 8\n"))
    #expect(text.occurrences(of: "#version") == 1)
    #expect(text.occurrences(of: "precision highp usampler2D;") == 1)
    for marker in [
      "bool isOutsideGrid()", "uvec4 fetchPixel(sampler2D", "uint binOf(uint value, uint plane) {\n  return value",
    ] {
      #expect(text.occurrences(of: marker) <= 1, "\(marker) in \(source.rawValue)")
    }
  }

  @Test func includesAreResolvedInPlaceAndOnce() throws {
    let twice = "int a;\n#include \"Common/compute.glsl\"\nint b;\n#include \"Common/compute.glsl\"\nint c;"
    let text = try ShaderAssembly(texts: [twice, "#include \"Common/compute.glsl\"\nint d;"]).text()
    #expect(!text.contains("#include"))
    #expect(text.occurrences(of: "bool isOutsideGrid()") == 1)
    let order = ["int a;", "bool isOutsideGrid()", "int b;", "int c;", "int d;"].compactMap {
      text.firstRange(of: $0)?.lowerBound
    }
    #expect(order.count == 5)
    #expect(order == order.sorted())
  }

  /// The compiler must read back the very value.
  @Test func constantsAreWrittenAsTheirTypesAre() {
    #expect(ShaderAssembly.Constant("A", true).text == "1")
    #expect(ShaderAssembly.Constant("A", -7).text == "(-7)")
    #expect(ShaderAssembly.Constant("A", UInt32.max).text == "4294967295u")
    #expect(ShaderAssembly.Constant("A", Float(0.1)).text == "0.1")
    #expect(ShaderAssembly.Constant("A", Float(-3)).text == "(-3.0)")
    #expect(ShaderAssembly.Constant("A", Float(1e-20)).text == "1e-20")
    #expect(ShaderAssembly.Constant("A", Float.infinity).text == "uintBitsToFloat(0x7f800000u)")
    #expect(ShaderAssembly.Constant("A", Float.greatestFiniteMagnitude).text == "uintBitsToFloat(0x7f7fffffu)")
  }
}

extension String {
  fileprivate func occurrences(of part: String) -> Int {
    split(separator: part, omittingEmptySubsequences: false).count - 1
  }
}
