import FoundationEssentials
import Testing

@Suite struct ImportTests {
  @Test func everyFolderOfSourcesHasARow() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: "\(Checkout.root)/Sources").filter {
      !$0.hasPrefix(".")
    }
    #expect(folders.count >= 10)
    for folder in folders {
      let module = ModuleTable.folders[folder] ?? folder
      #expect(ModuleTable.allowed[module] != nil, "Sources/\(folder) has no row in ModuleTable")
    }
  }

  @Test func modulesImportWhatTheTableAllows() throws {
    var imports = 0
    for (module, file) in try Self.sources() {
      let allowed = ModuleTable.allowed[module, default: []].union(ModuleTable.toolchain(of: module))
      for imported in file.text.importedModules {
        imports += 1
        #expect(allowed.contains(imported), "\(file) imports \(imported), which \(module) may not know")
      }
    }
    #expect(imports > 100)
  }

  /// The C fence also holds in tests and examples.
  @Test func cModulesStayBehindTheirFence() throws {
    var seen: Set<String> = []
    for folder in ["Sources", "Shaders", "Tests", "Examples/Sources", "Examples/Tests"] {
      for file in try Checkout.files(folder, endingIn: [".swift"]) {
        for imported in file.text.importedModules {
          guard let owner = ModuleTable.fence[imported] else { continue }
          seen.insert(imported)
          let isOwn = file.path.hasPrefix("Sources/\(owner)/") || file.path.hasPrefix("Tests/\(owner)Tests/")
          #expect(isOwn, "\(file) imports \(imported); only \(owner) may")
        }
      }
    }
    #expect(
      seen == [
        "CProcess", "CCrypto", "CEGL", "CGLES", "CGBM", "CHarfBuzz", "CLinux", "CMalloc", "CPNGShim", "CPNGRows",
        "CDeflate", "CGoldenRows", "CKernelRows",
      ])
  }

  @Test func jumpsStayInTheShim() throws {
    var seen = 0
    for folder in ["Sources", "Shaders", "Tests"] {
      for file in try Checkout.files(folder, endingIn: [".swift", ".c", ".h"])
      where file.path != "Tests/ArchitectureTests/ImportTests.swift" {
        guard file.text.withoutComments.contains(/\b(setjmp|longjmp|png_jmpbuf)\b/) else { continue }
        seen += 1
        #expect(file.path.hasPrefix("Sources/CPNGShim/"), "\(file) jumps")
      }
    }
    #expect(seen > 0)
  }

  @Test(arguments: [
    ("import A", ["A"]), ("  internal import A\npublic import B", ["A", "B"]), ("package import struct A.Thing", ["A"]),
    ("@_exported public import enum A.Thing", ["A"]), ("@testable import A", ["A"]), ("@_spi(X) import A", ["A"]),
    ("// import A", []), ("let important = 1", []), ("text.import A", []), ("import A // import B", ["A"]),
  ])
  func everyFormOfImportIsSeen(_ text: String, _ modules: [String]) { #expect(text.importedModules == modules) }

  /// Every Swift file that is part of a module, with the module's name.
  static func sources() throws -> [(module: String, file: Checkout.File)] {
    let own = try Checkout.files("Sources", endingIn: [".swift"]).map { file in
      let folder = file.path.split(separator: "/")[1]
      return (ModuleTable.folders[String(folder)] ?? String(folder), file)
    }
    return try own + Checkout.files("Shaders", endingIn: [".swift"]).map { ("SafelightShaders", $0) }
  }
}
