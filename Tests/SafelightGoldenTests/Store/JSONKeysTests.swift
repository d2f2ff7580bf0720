import SafelightGolden
import Testing

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
