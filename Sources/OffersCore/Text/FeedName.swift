/// The names of feeds.
package enum FeedName {
  /// - Throws: `OffersError` with `invalidRequest` for a text that may not name a feed.
  package static func check(_ text: String) throws {
    if isValid(text) { return }
    throw OffersError(
      .invalidRequest, "“\(text)” is not a valid feed name.",
      hint: "A name has up to 63 lower-case letters, digits and inner hyphens.")
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
