import Safelight
import SafelightImage
import Testing

/// A catalogue of filters that exist only here.
let sampleCatalogue = [
  FilterDescription(
    name: "equalize", summary: "spread the tones",
    parameters: [
      KernelParameter(
        "rule", "how counts become tones",
        .choice(
          [ParameterChoice("opencv", "as OpenCV does"), ParameterChoice("normalized-sum", "as a running sum")],
          default: "normalized-sum")),
      KernelParameter(
        "channels", "what is spread",
        .choice([ParameterChoice("each", "every channel"), ParameterChoice("luma", "only luma")], default: "each")),
    ]),
  FilterDescription(
    name: "saturation", summary: "colour strength",
    parameters: [KernelParameter("amount", "0 is grey", .number(range: 0...4, default: 1.5))]),
  FilterDescription(
    name: "resize", summary: "another size",
    parameters: [
      KernelParameter("width", "columns", .integer(range: 0...65535, default: 0)),
      KernelParameter("height", "rows", .integer(range: 0...65535, default: 0)),
    ]),
  FilterDescription(name: "invert", summary: "a negative"),
]

@Suite struct FilterSyntaxTests {
  @Test func readsTheContractsChain() throws {
    let chain = try FilterSyntax.parse(
      "equalize=rule=opencv:channels=luma,saturation=amount=1.2,resize=width=1280:height=720",
      catalogue: sampleCatalogue)
    #expect(chain.map(\.name) == ["equalize", "saturation", "resize"])
    #expect(chain[0]["rule"] == .choice("opencv") && chain[0]["channels"] == .choice("luma"))
    #expect(chain[1]["amount"] == .number(1.2))
    #expect(chain[2]["width"] == .integer(1280) && chain[2]["height"] == .integer(720))
  }

  @Test(arguments: [
    ("equalize", "equalize=rule=normalized-sum:channels=each"),
    ("equalize=channels=luma:rule=opencv", "equalize=rule=opencv:channels=luma"),
    ("equalize=opencv:channels=luma", "equalize=rule=opencv:channels=luma"),
    ("saturation=1.20", "saturation=amount=1.2"), ("saturation=2", "saturation=amount=2"),
    ("saturation=-0", "saturation=amount=0"), ("saturation=1e-3", "saturation=amount=0.001"),
    (" equalize = rule = opencv ,\n  invert ", "equalize=rule=opencv:channels=each,invert"),
    ("invert,invert", "invert,invert"), ("resize=+7", "resize=width=7:height=0"),
  ])
  func canonicalTextIsStable(text: String, canonical: String) throws {
    try expectCanonical(text, sampleCatalogue, canonical)
  }

  private static let unnamed = "has no name; write NAME or NAME=PARAMETER=VALUE, and one comma between filters"
  private static let amount = "amount must be a number from 0 to 4; write, for example, saturation=amount=1.5"
  private static let width = "width must be a whole number from 0 to 65535; write, for example, resize=width=0"
  private static let none =
    "the filter takes no parameters but region, mask, opacity, frames; write invert without parameters"
  private static let separators =
    "write = before its first setting, : between settings, and a comma between filters: blur=2:edge=zero,invert"
  private static let comma =
    "a comma separates filters, and this is none; put a value that holds a comma in single quotes, "
    + "with double quotes around the chain for the shell"
  private static let again = "filter 'resize': parameter 'width' is given more than once; keep one value"
  private static let nothing = "filter 'resize': a parameter is empty; remove the '=' or ':' that nothing follows"

  @Test(arguments: [
    ("", "filter chain: it is empty; name at least one filter"),
    ("  ", "filter chain: it is empty; name at least one filter"),
    ("invert,,invert", "filter chain: filter 2 \(unnamed)"), ("invert,", "filter chain: filter 2 \(unnamed)"),
    ("=1.2", "filter chain: filter 1 \(unnamed)"),
    ("equalise", "unknown filter 'equalise': the nearest that exists is equalize; correct the name"),
    ("Invert", "unknown filter 'Invert': the nearest that exists is invert; correct the name"),
    ("sat=2", "unknown filter 'sat': the nearest that exists is saturation; correct the name"),
    ("sharpen", "unknown filter 'sharpen': there is no such filter yet; see the list of filters: safelight filters"),
    ("negate", "unknown filter 'negate': this is the filter's name in other programs; write invert"),
    (
      "resize=widht=3",
      "unknown parameter 'widht' of filter 'resize': the nearest that exists is width; correct the name"
    ),
    (
      "resize=depth=3",
      "unknown parameter 'depth' of filter 'resize': none is similar; "
        + "the parameters are frames, height, mask, opacity, region, width; use one of them"
    ),
    ("invert:opacity=0.5", "'invert:opacity': ':' stands behind the filter invert; \(separators)"),
    ("invert equalize", "'invert equalize': ' ' stands behind the filter invert; \(separators)"),
    ("saturation 2", "'saturation 2': ' ' stands behind the filter saturation; \(separators)"),
    ("saturation=1@1,2@10", "'2@10' behind a comma: \(comma)"),
    ("invert, take 2", "'take 2' behind a comma: \(comma)"),
    (
      "mask=a.png",
      "unknown filter 'mask': it is a word that every filter takes; write it behind a filter: invert=mask=VALUE"
    ),
    ("invert=2", "'2' in filter 'invert': \(none)"),
    ("invert=a=2", "'a' in filter 'invert': \(none)"),
    ("saturation=amount=9", "saturation=amount=9: \(amount)"), ("saturation=nan", "saturation=amount=nan: \(amount)"),
    ("saturation=0x1p1", "saturation=amount=0x1p1: \(amount)"), ("resize=1.5", "resize=width=1.5: \(width)"),
    ("resize=99999999999999999999", "resize=width=99999999999999999999: \(width)"),
    (
      "equalize=rule=opncv",
      "equalize=rule=opncv: rule must be opencv or normalized-sum; write, for example, equalize=rule=opencv"
    ),
    ("resize=width=3:width=4", again), ("resize=3:width=4", again),
    (
      "resize=width",
      "filter 'resize': parameter 'width' has no value; write width=VALUE with a whole number from 0 to 65535"
    ),
    (
      "equalize=opencv:channels= ",
      "filter 'equalize': parameter 'channels' has no value; write channels=VALUE with each or luma"
    ),
    (
      "resize=3:4",
      "'4' in filter 'resize': only the first value may stand without its parameter's name; "
        + "write NAME=4, where NAME is width, height, region, mask, opacity or frames, "
        + "or put a value that holds a colon in single quotes"
    ),
    ("resize=", nothing), ("resize=width=3:", nothing),
    (
      "an\nother",
      "unknown filter 'an other': none is similar; the filters are equalize, invert, resize, saturation; use one of them"
    ),
  ])
  func refusesWithARemedy(text: String, message: String) { expectRefusal(of: text, sampleCatalogue, message) }
}

private func expectRefusal(of text: String, _ catalogue: [FilterDescription], _ message: String) {
  let error = #expect(throws: SafelightError.self) { try FilterSyntax.parse(text, catalogue: catalogue) }
  #expect(error?.description == message)
  #expect(error?.kind == .usage)
}

/// Expects that the chain of `text` reads `canonical`, which stands for the same chain.
private func expectCanonical(_ text: String, _ catalogue: [FilterDescription], _ canonical: String) throws {
  let chain = try FilterSyntax.parse(text, catalogue: catalogue)
  #expect(FilterSyntax.text(of: chain) == canonical)
  #expect(try FilterSyntax.parse(canonical, catalogue: catalogue) == chain)
}

/// Texts and paths in filter chains.
@Suite struct FilterTextTests {
  static let catalogue = [
    FilterDescription(
      name: "lut", summary: "a table",
      parameters: [
        KernelParameter("file", "the table", .file(form: "a .cube file", isRequired: true)),
        KernelParameter("amount", "how much of it", .number(range: 0...1, default: 1)),
      ]),
    FilterDescription(
      name: "curves", summary: "curves",
      parameters: [
        KernelParameter("points", "of all channels", .text(form: "points such as 0/0 1/1", default: "0/0 1/1")),
        KernelParameter("file", "of all curves", .file(form: "an .acv file", isRequired: false)),
      ]),
  ]

  @Test(arguments: [
    ("lut=grade.cube", "grade.cube"), ("lut=file=/a b/c.cube", "/a b/c.cube"), ("lut='a,b:c.cube'", "a,b:c.cube"),
    ("lut=file= 'a=b.cube' :amount=0.5", "a=b.cube"), ("lut='a=b.cube'", "a=b.cube"),
    ("lut='bob''s.cube'", "bob's.cube"),
    ("lut=file=' '", " "), ("lut='a\u{3000}b\t\nc'", "a\u{3000}b\t\nc"), ("lut=file=\t'x\u{202F}y'\n", "x\u{202F}y"),
    ("lut=file=''''", "'"),
  ])
  func pathsAreRead(text: String, path: String) throws {
    let chain = try FilterSyntax.parse(text, catalogue: Self.catalogue)
    #expect(chain[0]["file"] == .text(path))
    #expect(try FilterSyntax.parse(FilterSyntax.text(of: chain), catalogue: Self.catalogue) == chain)
  }

  @Test(arguments: [
    ("curves", "curves=points=0/0 1/1:file=''"), ("curves=0/0 0.5/0.6 1/1", "curves=points=0/0 0.5/0.6 1/1:file=''"),
    ("curves=file=film.acv", "curves=points=0/0 1/1:file=film.acv"), ("lut='a:b'", "lut=file='a:b':amount=1"),
  ])
  func canonicalTextQuotesWhatItMust(text: String, canonical: String) throws {
    try expectCanonical(text, Self.catalogue, canonical)
  }

  private static let missing = "parameter 'file' is missing; write lut=file=PATH with the path of a .cube file"
  private static let empty = "lut=file='': file must be the path of a .cube file; write, for example, lut=file=PATH"
  private static let open = "a quote is not closed; put the whole value in quotes, and double each quote inside it"

  @Test(arguments: [
    ("lut", "filter 'lut': \(missing)"), ("lut=amount=0.5", "filter 'lut': \(missing)"),
    ("lut=file=''", empty), ("lut=file='',curves", empty),
    ("lut='a,curves", "filter chain: \(open)"), ("lut=bob's.cube", "filter chain: \(open)"),
  ])
  func refusesWithARemedy(text: String, message: String) { expectRefusal(of: text, Self.catalogue, message) }
}

@Suite struct FilterCallTests {
  @Test func defaultsFillWhatIsNotGiven() throws {
    let filter = try FilterSyntax.filter(named: "resize", in: sampleCatalogue)
    let call = try FilterCall(filter, ["height": .integer(9)])
    #expect(call.description == "resize=width=0:height=9")
    #expect(try FilterCall(filter).description == "resize=width=0:height=0")
  }

  @Test func valuesAreCheckedOutsideTheSyntaxToo() throws {
    let filter = try FilterSyntax.filter(named: "saturation", in: sampleCatalogue)
    #expect(throws: SafelightError.self) { try FilterCall(filter, ["amount": .number(4.1)]) }
    #expect(throws: SafelightError.self) { try FilterCall(filter, ["amount": .number(.nan)]) }
    #expect(throws: SafelightError.self) { try FilterCall(filter, ["amount": .choice("much")]) }
    #expect(throws: SafelightError.self) { try FilterCall(filter, ["amuont": .number(1)]) }
  }

  @Test func aWholeNumberIsNotTakenForARealOne() {
    let parameter = KernelParameter("amount", "", .number(range: 0...4, default: 1))
    #expect(!parameter.allows(.integer(1)))
    #expect(parameter.allows(.number(4)))
  }

  @Test func limitsReadAsAPhrase() {
    #expect(KernelParameter("a", "", .number(range: -0.5...1, default: 0)).allowedValues == "a number from -0.5 to 1")
    let choices = [ParameterChoice("x", ""), ParameterChoice("y", "")]
    #expect(KernelParameter("a", "", .choice(choices, default: "x")).allowedValues == "x or y")
  }
}
