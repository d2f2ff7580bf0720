extension String {
  /// As a shell reads it as one word.
  package var quotedForShell: String {
    let isPlain =
      !isEmpty
      && utf8.allSatisfy { byte in
        let character = Character(UnicodeScalar(byte))
        return byte < 0x80 && (character.isLetter || character.isNumber || "-_./@".contains(character))
      }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
