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
    #expect(chain[0]["rule"] == .choice("opencv"))
    #expect(chain[0]["channels"] == .choice("luma"))
    #expect(chain[1]["amount"] == .number(1.2))
    #expect(chain[2]["width"] == .integer(1280))
    #expect(chain[2]["height"] == .integer(720))
  }

  @Test(arguments: [
    ("equalize", "equalize=rule=normalized-sum:channels=each"),
    ("equalize=channels=luma:rule=opencv", "equalize=rule=opencv:channels=luma"),
    ("equalize=opencv:channels=luma", "equalize=rule=opencv:channels=luma"),
    ("saturation=1.20", "saturation=amount=1.2"),
    ("saturation=2", "saturation=amount=2"),
    ("saturation=-0", "saturation=amount=0"),
    ("saturation=1e-3", "saturation=amount=0.001"),
    (" equalize = rule = opencv ,\n  invert ", "equalize=rule=opencv:channels=each,invert"),
    ("invert,invert", "invert,invert"),
    ("resize=+7", "resize=width=7:height=0"),
  ])
  func canonicalTextIsStable(text: String, canonical: String) throws {
    let chain = try FilterSyntax.parse(text, catalogue: sampleCatalogue)
    #expect(FilterSyntax.text(of: chain) == canonical)
    #expect(try FilterSyntax.parse(canonical, catalogue: sampleCatalogue) == chain)
  }

  @Test(arguments: [
    ("", "filter chain: it is empty; name at least one filter"),
    ("  ", "filter chain: it is empty; name at least one filter"),
    (
      "invert,,invert",
      "filter chain: filter 2 has no name; write NAME=PARAMETER=VALUE and put one comma between two filters"
    ),
    (
      "invert,",
      "filter chain: filter 2 has no name; write NAME=PARAMETER=VALUE and put one comma between two filters"
    ),
    (
      "=1.2", "filter chain: filter 1 has no name; write NAME=PARAMETER=VALUE and put one comma between two filters"
    ),
    ("equalise", "unknown filter 'equalise': the nearest that exists is equalize; correct the name"),
    ("Invert", "unknown filter 'Invert': the nearest that exists is invert; correct the name"),
    ("sat=2", "unknown filter 'sat': the nearest that exists is saturation; correct the name"),
    (
      "blur",
      "unknown filter 'blur': there is nothing like it yet; see the list of filters"
    ),
    ("negate", "unknown filter 'negate': other programs call it so; write invert"),
    (
      "resize=widht=3",
      "unknown parameter 'widht' of filter 'resize': the nearest that exists is width; correct the name"
    ),
    (
      "resize=depth=3",
      "unknown parameter 'depth' of filter 'resize': no name is near; the parameters are height, width; use one of them"
    ),
    ("invert=2", "'2' in filter 'invert': the filter takes no parameters; write invert alone"),
    ("invert=a=2", "'a' in filter 'invert': the filter takes no parameters; write invert alone"),
    (
      "saturation=amount=9",
      "saturation=amount=9: amount must be a number from 0 to 4; for example saturation=amount=1.5"
    ),
    (
      "saturation=nan",
      "saturation=amount=nan: amount must be a number from 0 to 4; for example saturation=amount=1.5"
    ),
    (
      "saturation=0x1p1",
      "saturation=amount=0x1p1: amount must be a number from 0 to 4; for example saturation=amount=1.5"
    ),
    (
      "resize=1.5",
      "resize=width=1.5: width must be a whole number from 0 to 65535; for example resize=width=0"
    ),
    (
      "resize=99999999999999999999",
      "resize=width=99999999999999999999: width must be a whole number from 0 to 65535; for example resize=width=0"
    ),
    (
      "equalize=rule=opncv",
      "equalize=rule=opncv: rule must be opencv or normalized-sum; for example equalize=rule=opencv"
    ),
    (
      "resize=width=3:width=4",
      "filter 'resize': parameter 'width' is given more than once; keep one value"
    ),
    ("resize=3:width=4", "filter 'resize': parameter 'width' is given more than once; keep one value"),
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
        + "write NAME=4, where NAME is width or height"
    ),
    ("resize=", "filter 'resize': a parameter is empty; remove the '=' or ':' that nothing follows"),
    ("resize=width=3:", "filter 'resize': a parameter is empty; remove the '=' or ':' that nothing follows"),
    (
      "an\nother",
      "unknown filter 'an other': no name is near; the filters are equalize, invert, resize, saturation; use one of them"
    ),
  ])
  func refusesWithARemedy(text: String, message: String) {
    let error = #expect(throws: SafelightError.self) { try FilterSyntax.parse(text, catalogue: sampleCatalogue) }
    #expect(error?.description == message)
    #expect(error?.kind == .usage)
  }
}
