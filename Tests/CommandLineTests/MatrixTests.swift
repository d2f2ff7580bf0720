import Foundation
import TestSupport
import Testing

/// `safelight matrix`: one command on several driver stacks.
@Suite struct MatrixTests {
  private struct Document: Decodable {
    struct Row: Decodable {
      let stack: String
      let driver, version, result, why: String?
      let exit: Int?
      let seconds: Double?
    }
    let command: [String]
    let rows: [Row]
  }

  private let folder = TemporaryFolder()

  /// Runs `matrix` with `arguments` of the shell, and returns what it says and its report.
  private func matrix(
    _ arguments: String, _ environment: String = "", code: Int32 = 0
  ) throws -> (outcome: Tool.Outcome, rows: [Document.Row]) {
    let outcome = try folder.shell(
      "export SAFELIGHT_STACKS=\"$PWD/stacks\"; \(environment) safelight matrix --report report.json \(arguments)",
      code: code)
    let document = try JSONDecoder().decode(Document.self, from: Data(folder.bytes("report.json")))
    return (outcome, document.rows)
  }

  @Test func everyStackHasARow() throws {
    // The caller's choice of a driver does not reach the stacks.
    let (outcome, rows) = try matrix(
      "--stacks llvmpipe,softpipe,llvmpipe -- conform invert",
      "GALLIUM_DRIVER=zink SAFELIGHT_DEVICE=cpu VK_ICD_FILENAMES=/none")
    #expect(rows.map(\.stack) == ["llvmpipe", "softpipe"])
    #expect(rows.map { $0.driver?.prefix(8) } == ["llvmpipe", "softpipe"])
    for row in rows {
      #expect(row.exit == 0 && row.why == nil && row.version?.contains("OpenGL ES 3.") == true)
      #expect(try #require(row.seconds) > 0)
      #expect(row.result?.hasSuffix(": 0 samples differ") == true)
      #expect(outcome.output.contains("\(row.stack) "))
      #expect(outcome.errors.contains("\(row.stack): same   invert, render"))
    }
    try folder.shell("safelight matrix -q --stacks llvmpipe -- sh -c 'echo said; echo complained >&2'")
      .says(only: "").prints("complained\n")
  }

  /// The driver workaround "own arrays".
  @Test func softpipeCountsHistograms() throws {
    let row = try matrix("--stacks softpipe -- conform histogram --quick").rows[0]
    #expect(row.exit == 0 && row.result?.hasSuffix(": 0 samples differ") == true)
    let listing = try folder.shell("GALLIUM_DRIVER=softpipe LIBGL_ALWAYS_SOFTWARE=1 safelight devices").output
    #expect(listing.contains("workarounds: own arrays, late drawing"))
  }

  /// The driver workaround "late drawing".
  @Test func softpipeKeepsWhatComputeFunctionsWrite() throws {
    let row = try matrix("--stacks softpipe -- conform equalize=rule=opencv --quick").rows[0]
    #expect(row.exit == 0 && row.result?.hasSuffix(": 0 samples differ") == true, "\(row)")
  }

  /// A program that knows EGL and nothing of Safelight.
  @Test func programsOfOthersRunOnEachStack() throws {
    try """
    #include <EGL/egl.h>
    #include <EGL/eglext.h>
    #include <GLES3/gl31.h>
    #include <stdio.h>
    int main(void) {
      EGLDisplay display = eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
      EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1, EGL_NONE};
      if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_ES_API)) return 1;
      EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
      if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) return 2;
      puts((const char *)glGetString(GL_RENDERER));
      return 0;
    }
    """.write(toFile: folder.path("program.c"), atomically: true, encoding: .utf8)
    try folder.shell("clang -o program program.c -lEGL -lGLESv2")
    let rows = try matrix("--stacks llvmpipe-128,softpipe -- ./program").rows
    #expect(rows.map { $0.result?.contains($0.driver ?? "none") } == [true, true])
  }

  /// A crash or a hang on one stack does not affect the others.
  @Test func crashesAndHangsAreRows() throws {
    let (outcome, rows) = try matrix(
      """
      --stacks llvmpipe-threads-1,llvmpipe-threads-0,llvmpipe -- \
      sh -c 'echo begun; case $LP_NUM_THREADS in 0) exit 3;; 1) kill -SEGV $$;; esac'
      """, code: 70)
    #expect(rows.map(\.exit) == [139, 3, 0])
    #expect(rows[0].why == "ended by signal 11 (SIGSEGV)")
    #expect(rows.allSatisfy { $0.result == "begun" })
    let hanging = try matrix("--timeout 2 --stacks llvmpipe -- sh -c 'sleep 100000 & wait'", code: 69).rows
    #expect(hanging.map(\.exit) == [nil])
    #expect(hanging[0].why == "it was killed after 2 s; --timeout allows more")
    #expect(outcome.output.contains("ended by signal 11 (SIGSEGV); its last line: begun"))
    let unknown = try matrix("--stacks llvmpipe -- no-such-program", code: 69).rows
    #expect(unknown[0].why?.contains("no such program as no-such-program") == true)
    let worst = "-- sh -c 'exit $LP_NUM_THREADS'"
    try folder.shell("safelight matrix -q --stacks llvmpipe-threads-0,llvmpipe \(worst)")
    try folder.shell("safelight matrix -q --stacks llvmpipe-threads-2,llvmpipe-threads-1 \(worst)", code: 2)
  }

  @Test func anotherDriverIsNotTakenForTheStacks() throws {
    func write(_ name: String, reports: String = "", driver: String? = nil, _ more: String = "") throws {
      let variables = driver.map { #""GALLIUM_DRIVER": "\#($0)", "LIBGL_ALWAYS_SOFTWARE": "1""# } ?? ""
      try folder.write(
        #"{"name": "\#(name)", "summary": "", "reports": "\#(reports)", "environment": {\#(variables)}\#(more)}"#,
        to: "\(name).json")
    }
    try write("other", reports: "ANGLE")
    try write("none", driver: "none")
    try write("crash", driver: "virpipe")
    try write(
      "server",
      #", "server": {"command": ["sh", "-c", "echo no room >&2; exit 1"], "environment": {}, "ready": "${run}/ready"}"#)
    let rows = try matrix(
      "--stacks other.json,none.json,crash.json,server.json,llvmpipe -- conform invert", code: 69
    ).rows
    #expect(rows.map(\.exit) == [nil, nil, nil, nil, 0])
    #expect(rows[0].why?.contains("another driver was opened, llvmpipe") == true)
    #expect(rows[1].why != nil)
    #expect(rows[2].why?.contains("SIGABRT") == true, "\(rows[2])")
    #expect(rows[3].why == "its server does not start: no room")
  }

  @Test func aServerRunsAsLongAsItsStack() throws {
    try folder.write(
      #"""
      {"name": "server", "summary": "", "reports": "", "environment": {"PLACE": "${run}"},
       "files": {"note": ["at", "${run}"]},
       "server": {"command": ["sh", "-c", "echo $$ > ${run}/pid; mv ${run}/pid ${run}/ready; exec sleep 100"],
                  "environment": {}, "ready": "${run}/ready"}}
      """#, to: "server.json")
    let script = "cp $PLACE/ready pid; kill -0 $(cat pid) && cat $PLACE/note; echo; echo $PLACE > place"
    let rows = try matrix("--stacks server.json -- sh -c '\(script)'").rows
    let place = try folder.text("place").dropLast()
    #expect(rows[0].exit == 0 && rows[0].result == String(place))
    try folder.shell("kill -0 $(cat pid) 2>/dev/null && echo alive; ls -d $(cat place) 2>/dev/null || true")
      .prints(only: "")
  }

  @Test(arguments: [
    ("--stacks lvmpipe -- true", Int32(64), "the nearest that exists is llvmpipe"),
    ("--stacks llvmpipe", 64, "no command is given"),
    ("--stacks llvmpipe --timeout 0 -- true", 64, "it is not a positive number of seconds"),
    ("--stacks llvmpipe --report none/r.json -- touch run", 73, "there is no such folder to write r.json into"),
    ("--stacks missing.json -- true", 66, "missing.json"),
    ("--stacks broken.json -- true", 65, "it is not valid JSON"),
    ("--stacks empty.json -- true", 65, "'name' is missing"),
    ("--stacks hash.json -- true", 65, "the hash of thing is not 64 hexadecimal digits"),
  ])
  func mistakesAreNamed(_ arguments: String, _ code: Int32, _ message: String) throws {
    try folder.write("{", to: "broken.json")
    try folder.write("{}", to: "empty.json")
    try folder.write(stack([("thing", "1", "abc")]), to: "hash.json")
    try folder.shell("safelight matrix \(arguments)", code: code).says(message).prints(only: "")
    #expect(try !folder.names().contains("run"))
  }

  @Test func theListSaysWhatIsThere() throws {
    let list = try folder.shell("SAFELIGHT_STACKS=$PWD/none safelight matrix --stacks list").output
    for name in ["llvmpipe ", "angle-swiftshader ", "zink-25 ", "virgl "] {
      #expect(list.contains("\n\(name)") || list.hasPrefix(name))
    }
    #expect(list.contains("needs no download") && list.contains("fetched by --fetch: chromium-common 150."))
  }

  @Test func anInterruptionEndsTheTable() async throws {
    let script = "echo begun; touch '\(folder.path)/begun'; sleep 100"
    let arguments = ["matrix", "--stacks", "llvmpipe,softpipe", "--", "sh", "-c", script]
    let outcome = try Tool.run(arguments, until: SIGTERM) { (try? folder.names().contains("begun")) == true }
      .ends(75).prints("interrupted; its last line: begun")
    #expect(!outcome.output.contains("softpipe"))
  }

  // MARK: Fetching

  /// Makes a package of one file and an apt-get that has nothing else and fails as `FAIL` says; returns the package's
  /// hash.
  private func mirror() throws -> String {
    try folder.shell(
      """
      mkdir -p thing/DEBIAN thing/usr/lib bin
      printf '%s\\n' 'Package: thing' 'Version: 1' 'Architecture: all' 'Maintainer: nobody' 'Description: test' \
        > thing/DEBIAN/control
      head -c 100000 /dev/urandom > thing/usr/lib/thing
      dpkg-deb --build thing thing.deb
      """)
    try folder.write(
      """
      #!/bin/sh
      case "$*" in
        indextargets*) echo 'Packages http://mirror.invalid/debian bookworm' ;;
        *update) [ "$FAIL" != offline ] || { echo 'E: Failed to fetch http://mirror.invalid'; exit 100; } ;;
        *download*)
          [ "$FAIL" != gone ] || { echo 'E: Version 1 for thing was not found'; exit 100; }
          [ "$FAIL" != hang ] || { touch "$PLACE/hanging"; sleep 100; }
          cp "$PLACE/thing.deb" thing_1_all.deb || exit 1
          [ "$FAIL" != damaged ] || echo more >> thing_1_all.deb ;;
      esac
      """, to: "bin/apt-get")
    return try folder.shell("chmod +x bin/apt-get; sha256sum thing.deb | cut -c1-64").output.trimmingCharacters(
      in: .whitespacesAndNewlines)
  }

  private func stack(_ packages: [(String, String, String)]) -> String {
    let rows = packages.map {
      "{\"name\": \"\($0.0)\", \"version\": \"\($0.1)\", \"suite\": \"bookworm\", \"sha256\": \"\($0.2)\"}"
    }
    return """
      {"name": "fetched", "summary": "", "reports": "", "environment": {"TREE": "${tree}"},
       "packages": [\(rows.joined(separator: ","))],
       "links": {"usr/lib/other": "thing"}}
      """
  }

  private static let look = "--stacks fetched.json -- sh -c 'cmp $TREE/usr/lib/other thing/usr/lib/thing && echo same'"
  private static let path = "PLACE=$PWD PATH=$PWD/bin:$PATH"

  @Test func packagesAreUnpackedBesideTheSystem() throws {
    try folder.write(stack([("thing", "1", try mirror())]), to: "fetched.json")
    #expect(try matrix(Self.look, code: 69).rows[0].why == "it is not fetched; run again with --fetch")
    #expect(try matrix("--fetch " + Self.look, Self.path).rows[0].result == "same")
    // Now nothing has to be downloaded.
    #expect(try matrix("--fetch " + Self.look, "FAIL=offline " + Self.path).rows[0].result == "same")
    #expect(try matrix(Self.look).rows[0].result == "same")
  }

  @Test(arguments: [
    ("FAIL=offline", "Failed to fetch"), ("FAIL=gone", "Version 1 for thing was not found"),
    ("FAIL=damaged", "and not the stack's"), ("ulimit -f 50;", "cannot be"),
    ("SAFELIGHT_STACKS=/dev/null/stacks", "/dev/null"),
  ])
  func whatCannotBeFetchedIsARow(_ failure: String, _ reason: String) throws {
    try folder.write(stack([("thing", "1", try mirror())]), to: "fetched.json")
    let sound = Self.look.replacing("fetched.json", with: "fetched.json,llvmpipe")
      .replacing("cmp", with: "[ -z \"$TREE\" ] || cmp")
    let rows = try matrix("--fetch " + sound, "\(failure) \(Self.path)", code: 69).rows
    #expect(rows[0].exit == nil && rows[0].why?.hasPrefix("not fetched: ") == true, "\(rows[0])")
    #expect(rows[0].why?.contains(reason) == true, "\(rows[0])")
    #expect(rows[1].exit == 0)
    #expect((try? folder.names("stacks"))?.contains { $0.hasPrefix("tree") } != true)
    // A failed fetch leaves nothing that the next one would use.
    #expect(try matrix("--fetch " + Self.look, Self.path).rows[0].result == "same")
  }

  @Test func aKilledFetchLeavesNothingToUse() throws {
    try folder.write(stack([("thing", "1", try mirror())]), to: "fetched.json")
    try folder.shell(
      """
      export SAFELIGHT_STACKS="$PWD/stacks" FAIL=hang \(Self.path)
      safelight matrix --fetch \(Self.look) & tool=$!
      until [ -e hanging ]; do sleep 0.05; done
      kill -9 $tool; wait $tool || true
      # What was half unpacked when it was killed.
      mkdir -p stacks/.part/tree/usr && touch stacks/.part/tree/usr/stale
      """)
    #expect(try matrix("--fetch " + Self.look, Self.path).rows[0].result == "same")
    #expect(try folder.names("stacks").filter { !$0.hasSuffix(".deb") && !$0.hasPrefix("tree-") } == [".lock"])
    #expect(try !folder.allNames("stacks").contains { $0.hasSuffix("stale") })
  }
}
