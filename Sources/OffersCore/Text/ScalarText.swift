/// Splits and edits texts by Unicode scalars, which for valid UTF-8 is the same as by bytes.
///
/// The standard library splits by `Character`, which is a grapheme cluster. A separator with a
/// combining mark after it is another character, and so is a line feed after a carriage return:
/// neither would be found.
extension StringProtocol {
  /// The parts between separators.
  ///
  /// - Parameters:
  ///   - scalar: the separator.
  ///   - maxSplits: the maximum number of splits; the last part is the rest of the text.
  ///   - omittingEmptySubsequences: whether empty parts are left out.
  package func split(
    scalar: Unicode.Scalar, maxSplits: Int = .max, omittingEmptySubsequences: Bool = true
  ) -> [Substring] {
    Substring(self).unicodeScalars.split(
      separator: scalar, maxSplits: maxSplits,
      omittingEmptySubsequences: omittingEmptySubsequences
    ).map { Substring($0) }
  }

  /// The text with each occurrence of another text replaced, compared byte by byte. An empty
  /// `target` matches nothing.
  package func replacing(bytes target: String, with replacement: String) -> String {
    let pattern = Array(target.utf8)
    let bytes = Array(utf8)
    guard let first = pattern.first, bytes.count >= pattern.count else { return String(self) }
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place] == first, bytes[place...].starts(with: pattern) {
        result += replacement.utf8
        place += pattern.count
      } else {
        result.append(bytes[place])
        place += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}

extension String {
  /// Whether two texts are equal byte by byte. `==` compares characters: for it, a composed accent
  /// and a combining accent are equal.
  package func hasSameBytes(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}
