import Glibc
import TestSupport
import Testing

/// The tool in a sandbox that has no /proc, where Swift alone would not even know the arguments.
@Suite struct WithoutProcTests {
  private let folder = TemporaryFolder()

  /// A word before a command that takes /proc away from it, in a mount namespace of its own.
  private static let hiding = """
    unshare --map-root-user --mount sh -c 'mount -t tmpfs none /proc && exec "$@"' _
    """
  /// The same with a folder in its place that nobody may look into, not even root.
  private static let blocking = """
    unshare --map-root-user --mount sh -c 'mount -t tmpfs -o mode=000 none /proc && \
    exec setpriv --bounding-set=-dac_override,-dac_read_search "$@"' _
    """

  /// False where neither root nor anybody else may make namespaces, as in some containers.
  private static let isPossible = (try? TemporaryFolder().shell("\(hiding) true || echo no").output) == ""

  @Test(
    .enabled(if: isPossible, "it needs root or user namespaces"),
    arguments: [
      ("", 64), ("golden", 64), ("none", 64), ("--version", 0), ("help", 0), ("compare in/f0.png in/f1.png", 1),
      ("golden record goldens in", 0), ("process in -o out --filter invert --device cpu", 0),
      ("process in -o out --filter invert --device cpu,cpu", 0), ("conform invert --quick --device software", 0),
    ])
  func commandsEndAsElsewhere(_ line: String, _ code: Int32) throws {
    try folder.writeFrames(3)
    try folder.shell("\(Self.hiding) safelight \(line)", code: code)
    if line.contains("-o out") { #expect(try folder.names("out") == ["f0.png", "f1.png", "f2.png"]) }
  }

  /// Dispatch looks after its threads once a second: none may be missed while work waits for them.
  @Test(.enabled(if: isPossible, "it needs root or user namespaces"), arguments: [hiding, blocking])
  func longRunsDoNotBreakOff(_ without: String) throws {
    try folder.shell(
      """
      head -c 18432 /dev/urandom >pixels
      frames() {
        echo YUV4MPEG2 W64 H96 F25:1 Ip A1:1 C444
        while [ $SECONDS -lt 2 ]; do echo FRAME; cat pixels; done
      }
      frames | \(without) safelight process - -o out --compression small --jobs 32 --in-flight 32 --device cpu
      """)
  }

  /// Nor does a film need /dev.
  @Test(.enabled(if: isPossible, "it needs root or user namespaces")) func filmsNeedNoDevices() throws {
    try folder.writeFrames(3)
    try folder.shell(
      """
      unshare --map-root-user --mount sh -c 'mount -t tmpfs none /dev && exec "$@"' _ \
        safelight process in -o film.mkv --lossless --device cpu
      unshare --map-root-user --mount sh -c 'mount -t tmpfs none /dev && exec "$@"' _ safelight compare in film.mkv
      """
    ).prints("3 exact")
  }

  /// The same, in this process, which holds the tool: a thread that /proc does not show runs.
  @Test func threadsOutOfSightRun() {
    var text = [UInt8](repeating: 0, count: 64)
    for (path, isThread) in [("/proc/4194305/stat", true), ("/proc/4194305/status", false), ("/proc/none/stat", false)]
    {
      let descriptor = open(path, O_RDONLY | O_NONBLOCK)
      #expect((descriptor >= 0) == isThread, "\(path)")
      guard descriptor >= 0 else { continue }
      let count = read(descriptor, &text, text.count)
      #expect(String(decoding: text.prefix(max(0, count)), as: UTF8.self).contains(") R "))
      close(descriptor)
    }
  }
}
