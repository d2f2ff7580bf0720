import Foundation
import SafelightFrames
import SafelightGolden
import SafelightImage
import TestSupport
import Testing

/// The contents of a golden folder, and the reports on an unsound one.
@Suite struct GoldenFolderTests {
  let sandbox = GoldenSandbox()

  private func error(_ path: String) -> SafelightError? {
    #expect(throws: SafelightError.self) { try GoldenFolder(path) }
  }

  @Test func foldersWithoutGoldensSayWhy() throws {
    #expect(error(sandbox.goldens)?.kind == .missingInput)
    #expect(error(sandbox.path)?.kind == .missingInput)
    try sandbox.make("x/a", GoldenSandbox.picture())
    let pictures = error(sandbox.actual)
    #expect(pictures?.kind == .input)
    #expect(pictures?.why.contains("x/a.png") == true && pictures?.why.contains("golden.json") == true)
  }

  @Test func everyFolderOfItIsOneToo() throws {
    try sandbox.record(["a/b/c": GoldenSandbox.picture(1), "d": GoldenSandbox.picture(2)])
    #expect(try GoldenFolder(sandbox.goldens).names == ["a/b/c", "d"])
    #expect(try GoldenFolder("\(sandbox.goldens)/a").names == ["b/c"])
    #expect(try GoldenFolder("\(sandbox.goldens)/a/b").verify(GoldenSandbox.picture(1), named: "c").status == .exact)
  }

  @Test(arguments: [
    ("{", "JSON"), ("[]", "not a list"), ("{\"goldens\":{},\"version\":9}", "version 9"),
    ("{\"goldens\":{\"a\":{}},\"version\":1}", "a has no"),
    (row(), nil), (row("\"channels\":\"rgb\"", "\"channels\":\"cmyk\""), "channels"),
    (row("\"depth\":8", "\"depth\":12"), "depth"), (row("\"width\":24", "\"width\":0"), "a picture of 0×16"),
    (row("\"default\"", "\"software\""), "no default picture"),
    (row("\"pictures\":{", "\"pictures\":{\(variant("")),"), "its variant software has no reason"),
    (row("\"pictures\":{", "\"pictures\":{\(variant(",\"reason\":\" \"")),"), "its variant software has no reason"),
    (row("\"pictures\":{", "\"pictures\":{\(variant(",\"reason\":\"ties\"")),"), nil),
  ])
  func manifestsThatAreNoneAreRefused(_ text: String, _ why: String?) throws {
    try sandbox.record(["a": GoldenSandbox.picture()])
    try sandbox.overwrite("golden.json", Array(text.utf8))
    guard let why else {
      #expect(try GoldenFolder(sandbox.goldens).names == ["a"])
      return
    }
    let description = error(sandbox.goldens)?.description ?? ""
    #expect(description.contains(why) && description.contains("golden.json"), "\(description)")
  }

  @Test func aToleranceWithATypoIsSaidOfItsGolden() throws {
    try sandbox.record(["a": GoldenSandbox.picture()])
    try sandbox.overwrite("golden.json", Array(Self.row("\"exact\"", "\"maxx<=1\"").utf8))
    let outcome = try GoldenFolder(sandbox.goldens).verify(GoldenSandbox.picture(), named: "a")
    #expect(outcome.status == .damaged)
    #expect(outcome.error?.description.contains("there is no metric maxx; did you mean max") == true)
  }

  @Test func statusFindsWhatIsStale() throws {
    try sandbox.record(
      Dictionary(uniqueKeysWithValues: ["whole", "gone", "cut", "other", "lfs"].map { ($0, GoldenSandbox.picture()) }))
    #expect(try GoldenFolder(sandbox.goldens).inspect() == [])
    try sandbox.remove("goldens/gone.png")
    try sandbox.overwrite("cut.png", Array(try readFile("\(sandbox.goldens)/cut.png").dropLast(30)))
    try sandbox.make("other", GoldenSandbox.picture(5), in: "goldens")
    try sandbox.overwrite("lfs.png", GoldenSandbox.pointer)
    try sandbox.make("stray", GoldenSandbox.picture(), in: "goldens")
    let findings = try GoldenFolder(sandbox.goldens).inspect()
    #expect(
      findings.map { "\($0.kind) \($0.name)" } == [
        "damaged cut.png", "missing gone.png", "pointer lfs.png", "damaged other.png", "stray stray.png",
      ])
  }

  @Test func statusKnowsWhatARunDidNotUse() throws {
    let loose = try Tolerance("max<=6 && over(1)<=50%")
    try sandbox.record(["a": GoldenSandbox.picture(1)], tolerance: loose)
    try sandbox.record(["b": GoldenSandbox.picture(1)], tolerance: loose)
    try sandbox.record(["c": GoldenSandbox.picture(1)])
    var run = GoldenRun()
    let folder = try GoldenFolder(sandbox.goldens)
    run.add(folder.verify(GoldenSandbox.picture(3), named: "a"))
    run.add(folder.verify(GoldenSandbox.picture(1), named: "b"))
    run = try JSONDecoder().decode(GoldenRun.self, from: JSONEncoder().encode(run))
    let findings = try folder.inspect(after: run)
    try #require(findings.map { "\($0.kind) \($0.name)" } == ["unused c", "loose a", "loose b"])
    #expect(findings[1].text.contains("3.0 times tighter"), "\(findings[1].text)")
    #expect(findings[2].text.contains("could be exact"))
  }

  private static func variant(_ reason: String) -> String {
    "\"software\":{\"approved\":\"2026-11-22\",\"pixels\":\"sha256:0\"\(reason)}"
  }

  private static func row(_ part: String = "", _ other: String = "") -> String {
    let pixels = GoldenSandbox.picture().pixelHash
    let text =
      "{\"goldens\":{\"a\":{\"width\":24,\"height\":16,\"channels\":\"rgb\",\"depth\":8,\"tolerance\":\"exact\","
      + "\"pictures\":{\"default\":{\"approved\":\"2026-11-22\",\"pixels\":\"\(pixels)\"}}}},\"version\":1}"
    return part.isEmpty ? text : text.replacingOccurrences(of: part, with: other)
  }
}

@Suite struct JSONKeysTests {
  @Test(
    arguments: [
      (#"{"a": 1, "b": {"a": 2, "c": [{"a": 3}, {"a": 4}]}, "c": "a"}"#, nil),
      (#"{"a": 1, "a": 2}"#, "a"), (#"{"x": [{"a": {}, "b": [1, 2], "a": []}]}"#, "a"),
      (#"{"a": {"b": 1}, "c": {"b": 1}, "a": 2}"#, "a"), (#"{"a": "\"a\": ", "\"a": 1}"#, nil),
      (#"{"a\\": 1, "a": 2}"#, nil), (#"{"a\\": 1, "a\\": 2}"#, #"a\"#), (#"{"\u0061": 1, "a": 2}"#, "a"),
      ("{\"e\u{301}\": 1, \"\u{e9}\": 2}", "\u{e9}"), (#"["a", "a"]"#, nil), (#"{"a": [":", {}, ":"], "b": 0}"#, nil),
      ("\"a", nil), ("}:{", nil), ("\"\\", nil),
    ] as [(String, String?)])
  func aKeyThatStandsTwiceIsFound(_ text: String, _ key: String?) {
    #expect(JSONKeys.repeated(in: Array(text.utf8)) == key)
  }
}
