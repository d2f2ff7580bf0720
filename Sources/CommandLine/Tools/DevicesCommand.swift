import ArgumentParser
import Safelight

enum ListingFormat: String, ExpressibleByArgument, CaseIterable {
  case text, json
}

struct DevicesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "List every device that EGL knows, which one is chosen, and why others are not.",
    discussion: "Each candidate is opened and closed again. The one that --device selects is marked with *.")

  @Option(help: "text or json.") var format: ListingFormat = .text
  @OptionGroup(title: "Device options") var device: DeviceArguments

  func run() throws {
    let selector = try device.selector()
    let survey = DeviceSurvey(selector: selector, options: try device.options())
    switch format {
    case .json:
      let listing: JSONObject = ["devices": survey.entries.map(Self.row), "variables": survey.variables]
      try deliver(json(listing))
    case .text: try deliver(Self.text(survey, selector: selector))
    }
    if let failure = survey.failure { throw failure }
  }

  private static func row(_ entry: DeviceSurvey.Entry) -> JSONObject {
    let (candidate, info, capabilities) = (entry.candidate, entry.info, entry.capabilities)
    return [
      "index": candidate.index, "name": info?.name ?? candidate.name, "platform": candidate.platform.rawValue,
      "node": OrNull(wrappedValue: candidate.node), "software": info?.isSoftware ?? candidate.isSoftware,
      "version": OrNull(wrappedValue: info?.driver), "usable": info != nil, "chosen": entry.isChosen,
      "reason": entry.reason, "pci": candidate.pciAddress, "cuda": candidate.cudaIndex,
      "maximumTextureSize": capabilities?.maximumTextureSize, "features": capabilities?.features.listed,
      "workarounds": info?.workarounds,
    ]
  }

  private static func text(_ survey: DeviceSurvey, selector: DeviceSelector) -> String {
    var lines = survey.entries.flatMap { entry -> [String] in
      let mark = entry.isChosen ? "*" : " "
      let name = entry.info?.name ?? entry.candidate.name
      let place = [
        entry.candidate.platform.rawValue, entry.candidate.node, entry.candidate.pciAddress.map { "pci:\($0)" },
      ]
      var rows = ["\(mark) \(entry.candidate.index)  \(name)  [\(place.compactMap { $0 }.joined(separator: ", "))]"]
      if let info = entry.info, let capabilities = entry.capabilities {
        rows.append(
          "      \(info.driver), textures to \(capabilities.maximumTextureSize), "
            + "\(capabilities.maximumThreadsPerThreadgroup) threads, "
            + "\(capabilities.maximumThreadgroupMemoryLength / 1024) KiB a threadgroup")
        rows.append("      beyond OpenGL ES 3.1: \(capabilities.features.listed.joined(separator: ", "))")
        if !info.workarounds.isEmpty { rows.append("      workarounds: \(info.workarounds.joined(separator: ", "))") }
      }
      rows.append(
        "      \(entry.isChosen ? "chosen" : entry.info == nil ? "not usable" : "not chosen"): \(entry.reason)")
      return rows
    }
    let isCPU = selector == .cpu
    let takesFrames = selector == .auto && !survey.entries.contains { $0.isChosen && $0.info?.isSoftware == false }
    lines.append("\(isCPU || takesFrames ? "*" : " ") -  CPU  [Swift twins]")
    lines.append(
      isCPU
        ? "      chosen: asked for by cpu"
        : takesFrames
          ? "      chosen for frames: no GPU works, and the twins make the same bytes faster than a software renderer"
          : "      not chosen: only --device cpu selects it")
    if !survey.variables.isEmpty { lines.append("variables in force: \(survey.variables.joined(separator: " "))") }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension DeviceFeatures {
  fileprivate var listed: [String] { Self.names.filter { contains($0.feature) }.map(\.name) }
}
