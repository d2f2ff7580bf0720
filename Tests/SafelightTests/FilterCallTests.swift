import Safelight
import SafelightImage
import Testing

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
    #expect(
      KernelParameter("a", "", .number(range: -0.5...1, default: 0)).allowedValues == "a number from -0.5 to 1")
    #expect(
      KernelParameter("a", "", .choice([ParameterChoice("x", ""), ParameterChoice("y", "")], default: "x"))
        .allowedValues
        == "x or y")
  }
}
