import ArgumentParser
import FoundationEssentials
import Safelight

struct NewKernelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new-kernel",
    abstract: "Write a kernel to start from: a Swift package that works, or a GLSL file alone.",
    discussion: """
      The package has a kernel with its twin for the CPU, one Swift file and one shader, and the tool with that kernel \
      as a filter; conform proves that both give the same bytes:

        safelight new-kernel glow --shape window
        cd glow
        swift run -c release glow conform glow
        swift run -c release glow process ../in/ -o ../out/ --filter glow

      With a name that ends in .glsl only the shader is written, which needs no build and has no twin:

        safelight new-kernel glow.glsl
        safelight process in/ -o out/ --filter shader=glow.glsl:amount=0.5

      point makes each pixel of the pixel at its place, window of those around it, two-pass of sums down the columns \
      and along the rows, two-pictures of the frame and of the one that with= names, and statistics of numbers of the \
      whole picture. Shaders alone are point or window.
      """)

  @Argument(help: "The kernel's name, or the path of its folder, or of a .glsl file.") var name: String

  @Option(help: "point, window, two-pass, two-pictures or statistics.") var shape = KernelTemplate.point

  func run() throws {
    if fileExists(name) {
      throw SafelightError(.output, name, why: "it exists already", remedy: "choose another name, or remove it")
    }
    if name.hasSuffix(".glsl") { return try writeShader() }
    let kernel = String(name.split(separator: "/").last ?? "")
    guard kernel.wholeMatch(of: #/[a-z][a-z0-9]*(-[a-z0-9]+)*/#) != nil else {
      throw SafelightError(
        .usage, "new-kernel '\(name)'", why: "a kernel's name has small letters, digits and hyphens",
        remedy: "write, for example, new-kernel soft-glow")
    }
    if kernel == "safelight" || FilterCatalogue.descriptions.contains(where: { $0.name == kernel }) {
      throw SafelightError(
        .usage, "new-kernel '\(name)'", why: "there is a filter or a package of that name",
        remedy: "choose another name")
    }
    for (path, text) in shape.package(named: kernel, dependingOn: Self.package()) {
      let folder = "\(name)/\(path)".split(separator: "/", omittingEmptySubsequences: false).dropLast()
      try Folder.make(folder.joined(separator: "/"))
      try deliver(text, to: "\(name)/\(path)")
    }
    Console.line("safelight: wrote \(name)/; try cd \(name) && swift run -c release \(kernel) conform \(kernel)")
    if shape.runsAlone {
      let shader = "\(name)/Sources/\(kernel)/\(KernelTemplate.function(kernel)).glsl"
      Console.line("safelight: its shader alone: safelight process in/ -o out/ --filter shader=\(shader):amount=0.5")
    }
  }

  private func writeShader() throws {
    guard shape.runsAlone else {
      throw SafelightError(
        .usage, "new-kernel '\(name)' --shape \(shape.rawValue)",
        why: "a shader alone makes pixels of one picture, in one pass",
        remedy: "write a package: new-kernel \(name.dropLast(5)) --shape \(shape.rawValue)")
    }
    try deliver(shape.shader, to: name)
    Console.line("safelight: wrote \(name); try safelight process in/ -o out/ --filter shader=\(name):amount=0.5")
  }

  /// The folder of the package that this program was built in; nil if it was installed elsewhere.
  private static func package() -> String? {
    guard let path = try? ownPath() else { return nil }
    var folder = path.split(separator: "/").dropLast()
    while !folder.isEmpty {
      let candidate = "/" + folder.joined(separator: "/")
      let manifest = try? String(contentsOfFile: "\(candidate)/Package.swift", encoding: .utf8)
      if manifest?.contains(#/\bPackage\(\s*name: "safelight"/#) == true { return candidate }
      folder = folder.dropLast()
    }
    return nil
  }
}

extension KernelTemplate: ExpressibleByArgument {}
