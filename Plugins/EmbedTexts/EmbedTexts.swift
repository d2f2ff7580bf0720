import Foundation
import PackagePlugin

/// Puts the texts in the folders of a target into its binary, as strings of `PackageTexts`.
///
/// SwiftPM's own `embedInCode` writes arrays of bytes, which above some kilobytes take the compiler seconds each.
@main struct EmbedTexts: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    let texts = (target.sourceModule?.sourceFiles.filter { $0.type == .unknown } ?? []).map(\.url)
      .sorted { $0.path < $1.path }
    let made = context.pluginWorkDirectoryURL.appending(path: "PackageTexts.swift")
    return [
      .buildCommand(
        displayName: "Embedding texts of \(target.name)", executable: URL(filePath: "/bin/sh"),
        arguments: ["-euc", Self.script, "EmbedTexts", made.path, target.directoryURL.path] + texts.map(\.path),
        inputFiles: texts, outputFiles: [made])
    ]
  }

  /// Writes the file `$1` from the texts `$3` and on, which lie in the folder `$2`: `median.glsl` becomes
  /// `median_glsl`.
  private static let script = ##"""
    exec > "$1"
    folder=${2%/}
    shift 2
    name() { basename "$1" | LC_ALL=C tr -c '[:alnum:]\n' _; }
    echo 'enum PackageTexts {'
    for text; do
      # Swift would read these as other text.
      if grep -q -e '"""#' -e '\\#' -e "$(printf '\r')" "$text"; then
        echo "error: $text contains \"\"\"#, \\# or a carriage return, which EmbedTexts cannot embed" >&2
        exit 1
      fi
      printf 'static let %s = #"""\n' "$(name "$text")"
      cat "$text"
      printf '\n"""#\n'
    done
    echo '/// Texts by their paths in the folder of the target.'
    echo 'static let all: [String: String] = ['
    for text; do printf '"%s": %s,\n' "${text#"$folder/"}" "$(name "$text")"; done
    echo ']'
    echo '}'
    """##
}
