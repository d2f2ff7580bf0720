import Safelight
import SafelightImage
import Testing

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
    ("lut=file='',curves", ""), ("lut=file=''''", "'"),
  ])
  func pathsAreRead(text: String, path: String) throws {
    guard !path.isEmpty else {
      #expect(throws: SafelightError.self) { try FilterSyntax.parse(text, catalogue: Self.catalogue) }
      return
    }
    let chain = try FilterSyntax.parse(text, catalogue: Self.catalogue)
    #expect(chain[0]["file"] == .text(path))
    #expect(try FilterSyntax.parse(FilterSyntax.text(of: chain), catalogue: Self.catalogue) == chain)
  }

  @Test(arguments: [
    ("curves", "curves=points=0/0 1/1:file=''"), ("curves=0/0 0.5/0.6 1/1", "curves=points=0/0 0.5/0.6 1/1:file=''"),
    ("curves=file=film.acv", "curves=points=0/0 1/1:file=film.acv"), ("lut='a:b'", "lut=file='a:b':amount=1"),
  ])
  func canonicalTextQuotesWhatItMust(text: String, canonical: String) throws {
    let chain = try FilterSyntax.parse(text, catalogue: Self.catalogue)
    #expect(FilterSyntax.text(of: chain) == canonical)
    #expect(try FilterSyntax.parse(canonical, catalogue: Self.catalogue) == chain)
  }

  @Test(arguments: [
    ("lut", "filter 'lut': parameter 'file' is missing; write lut=file=PATH with the path of a .cube file"),
    ("lut=amount=0.5", "filter 'lut': parameter 'file' is missing; write lut=file=PATH with the path of a .cube file"),
    ("lut=file=''", "lut=file='': file must be the path of a .cube file; for example lut=file=PATH"),
    (
      "lut='a,curves",
      "filter chain: a quote is not closed; put quotes around the whole value, and write a quote inside it twice"
    ),
    (
      "lut=bob's.cube",
      "filter chain: a quote is not closed; put quotes around the whole value, and write a quote inside it twice"
    ),
  ])
  func refusesWithARemedy(text: String, message: String) {
    let error = #expect(throws: SafelightError.self) { try FilterSyntax.parse(text, catalogue: Self.catalogue) }
    #expect(error?.description == message)
    #expect(error?.kind == .usage)
  }
}
