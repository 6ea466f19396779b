/// The texts that every store can hold: those without U+0000, which PostgreSQL does not have.
///
/// The readers of feeds replace or skip it. A text that is looked up with it is not found, because no store
/// has it, and in the words of a search it separates words.
package enum StoredText {
  /// Whether a store can have a text.
  package static func isStorable(_ text: String) -> Bool { !text.utf8.contains(0) }

  /// A text that is told to people, such as the answer of a server, with U+FFFD in place of U+0000.
  package static func mended(_ text: String?) -> String? {
    guard let text, !isStorable(text) else { return text }
    return text.replacing(bytes: "\0", with: "\u{FFFD}")
  }

  package static var refusal: OffersError {
    OffersError(.invalidRequest, "A text with the character U+0000 cannot be stored.")
  }
}
