package enum FeedName {
  /// Refuses a text that may not name a feed.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(_ text: String) throws(OffersError) {
    if isValid(text) { return }
    throw OffersError(
      .invalidRequest, "“\(text)” is not a valid feed name.",
      hint: "A name has up to 63 lower-case letters, digits and inner hyphens.")
  }

  /// A valid name that resembles a text, such as `tea-shop` for “Tea Shop”.
  ///
  /// - Parameters:
  ///   - text: such as the title of a feed. Its accents are left out, and all that is no letter or
  ///     digit separates words.
  ///   - taken: the names of other feeds. A number is appended to a name among them.
  /// - Returns: nil for a text without any ASCII letter or digit.
  package static func suggestion(for text: String, besides taken: Set<String>) -> String? {
    var words: [String] = [""]
    let folded = text.unicodeScalars.map { LetterFolding.fold($0.value).text }.joined()
    for scalar in folded.unicodeScalars {
      if scalar.isASCII, scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
        words[words.count - 1].unicodeScalars.append(scalar)
      } else if scalar != "'" {
        words.append("")
      }
    }
    var base = ""
    for word in words where !word.isEmpty {
      let longer = base.isEmpty ? String(word.prefix(suggestedCount)) : base + "-" + word
      if longer.utf8.count > suggestedCount { break }
      base = longer
    }
    if base.isEmpty { return nil }
    if !taken.contains(base) { return base }
    let number = (2...).first { !taken.contains("\(base)-\($0)") }
    return number.map { "\(base)-\($0)" }
  }

  /// The longest suggested name before its number, in characters.
  private static let suggestedCount = 40

  /// Whether a store may have a feed with this name. Older versions checked less.
  package static func isStored(_ text: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy { byte in
        (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
      }
  }

  /// Whether a text may name a feed: up to 63 lower-case ASCII letters, digits and inner hyphens,
  /// as in a label of a host name.
  package static func isValid(_ text: String) -> Bool {
    let bytes = text.utf8
    let isHyphen = { (byte: UInt8?) in byte == UInt8(ascii: "-") }
    guard (1...63).contains(bytes.count), !isHyphen(bytes.first), !isHyphen(bytes.last) else {
      return false
    }
    return bytes.allSatisfy { byte in
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || isHyphen(byte)
    }
  }
}
