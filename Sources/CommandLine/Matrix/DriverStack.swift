import FoundationEssentials
import Safelight

/// An OpenGL ES driver with what it stands on: the packages to fetch, the variables that make programs use it, and the
/// name it must report.
///
/// Each stack is a JSON file; the tool contains those in `Stacks/`. In their texts `${tree}` stands for the folder of
/// the unpacked packages, and `${run}` for a folder that exists while a program runs.
struct DriverStack: Decodable, Sendable {
  /// A Debian package for 64-bit x86.
  struct Package: Decodable, Sendable {
    let name: String
    let version: String
    /// The suite that carries the version: `bookworm`, `bookworm-backports`.
    let suite: String
    /// The package's hash, 64 hexadecimal digits.
    let sha256: String
  }

  /// A program that must run while another program uses the stack.
  struct Server: Decodable, Sendable {
    let command: [String]
    let environment: [String: String]
    /// The file that the server makes when it is ready for clients.
    let ready: String
  }

  let name: String
  /// A phrase for the table.
  let summary: String
  /// A part of the driver's name or version; a driver without it is not this stack's.
  let reports: String
  /// The known failures of the stack, as a phrase; nil if everything is expected to run.
  let limits: String?
  /// The variables that make programs use the driver.
  let environment: [String: String]
  private let packagesIfAny: [Package]?
  private let linksIfAny: [String: String]?
  private let filesIfAny: [String: [String]]?
  let server: Server?

  /// The packages to fetch; empty if the stack uses the machine's own driver.
  var packages: [Package] { packagesIfAny ?? [] }
  /// Symbolic links to make in the tree, each with its target.
  var links: [String: String] { linksIfAny ?? [:] }
  /// Files to write into `${run}`, each with its lines.
  var files: [String: [String]] { filesIfAny ?? [:] }

  private enum CodingKeys: String, CodingKey {
    case name, summary, reports, limits, environment, server
    case packagesIfAny = "packages"
    case linksIfAny = "links"
    case filesIfAny = "files"
  }

  /// The stacks that the tool contains, in the order of the table.
  static var all: [DriverStack] {
    get throws { try recipes.map { try DriverStack(json: Array($0.text.utf8), path: $0.name) } }
  }

  private static let recipes: [(name: String, text: String)] = [
    ("llvmpipe", PackageTexts.llvmpipe_json),
    ("llvmpipe-25", PackageTexts.llvmpipe_25_json),
    ("llvmpipe-128", PackageTexts.llvmpipe_128_json),
    ("llvmpipe-512", PackageTexts.llvmpipe_512_json),
    ("llvmpipe-threads-0", PackageTexts.llvmpipe_threads_0_json),
    ("llvmpipe-threads-1", PackageTexts.llvmpipe_threads_1_json),
    ("llvmpipe-threads-2", PackageTexts.llvmpipe_threads_2_json),
    ("softpipe", PackageTexts.softpipe_json),
    ("angle-swiftshader", PackageTexts.angle_swiftshader_json),
    ("zink-22", PackageTexts.zink_22_json),
    ("zink-25", PackageTexts.zink_25_json),
    ("virgl", PackageTexts.virgl_json),
  ]

  /// Reads a stack.
  ///
  /// - Throws: ``SafelightError`` of kind `input` if the JSON does not describe a stack.
  init(json bytes: [UInt8], path: String) throws {
    do {
      self = try JSONDecoder().decode(DriverStack.self, from: Data(bytes))
    } catch {
      throw SafelightError(
        .input, path, why: "it does not describe a driver stack: \(Self.reason(error))",
        remedy: "write it as the article Conformance of the documentation describes")
    }
    for package in packages where package.sha256.count != 64 || !package.sha256.allSatisfy(\.isHexDigit) {
      throw SafelightError(
        .input, path, why: "the hash of \(package.name) is not 64 hexadecimal digits",
        remedy: "write its SHA-256 as 64 hexadecimal digits")
    }
  }

  /// The stacks that `selection` names, each once: `all`, names, and paths of JSON files.
  ///
  /// - Throws: ``SafelightError`` of kind `usage` that names the nearest stacks.
  static func stacks(_ selection: [String]) throws -> [DriverStack] {
    let known = try all
    var chosen: [DriverStack] = []
    for name in selection {
      let named: [DriverStack]
      if name == "all" {
        named = known
      } else if name.hasSuffix(".json") {
        named = [try DriverStack(json: readFile(name, limit: 1 << 20), path: name)]
      } else if let stack = known.first(where: { $0.name == name }) {
        named = [stack]
      } else {
        let nearest = NearestNames.find(name, among: known.map(\.name))
        throw SafelightError(
          .usage, "unknown driver stack '\(name)'",
          why: nearest.isEmpty
            ? "the stacks are \(known.map(\.name).joined(separator: ", "))"
            : "the nearest that exists is \(nearest.joined(separator: " or "))",
          remedy: "use one of them, or the path of a .json file; safelight matrix --stacks list shows all")
      }
      chosen += named.filter { stack in !chosen.contains { $0.name == stack.name } }
    }
    return chosen
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case DecodingError.keyNotFound(let key, _): "'\(key.stringValue)' is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "'\(context.codingPath.map(\.stringValue).joined(separator: "."))' has another type"
    default: "it is not valid JSON"
    }
  }
}
