/// The words around an amount or percentage that change its meaning.
enum RewardWords {
  /// Whether the text after a value leaves its meaning unchanged: it begins with no `/` or `+`, and
  /// after an amount with no word that multiplies the amount or makes it a rate.
  static func leaveAlone(
    _ text: UnsafeRawBufferPointer, from end: Int, isAmount: Bool
  ) -> Bool {
    let start = CharacterScan.skipSpaces(text, from: end)
    guard start < text.count else { return true }
    if text[start] == 0x2F || text[start] == 0x2B { return false }
    guard isAmount, CharacterScan.isLetter(text[start]) else { return true }
    var behind = start
    while behind < text.count, CharacterScan.isLetter(text[behind]) { behind += 1 }
    let word = UnsafeRawBufferPointer(rebasing: text[start..<behind])
    return !changesUnit(word)
  }

  /// Whether a word multiplies an amount, or makes it a rate.
  private static func changesUnit(_ word: UnsafeRawBufferPointer) -> Bool {
    func isWord(_ lower: StaticString) -> Bool { CharacterScan.isSame(word, lower) }
    return switch word.count {
    case 1: isWord("k") || isWord("m")
    case 2: isWord("bn") || isWord("mn")
    case 3: isWord("per") || isWord("mio") || isWord("mrd") || isWord("mln") || isWord("mil")
    case 4: isWord("lakh")
    case 5: isWord("crore")
    case 7: isWord("hundred") || isWord("million") || isWord("billion")
    case 8: isWord("thousand") || isWord("millions") || isWord("billions") || isWord("trillion")
    default: false
    }
  }

  /// The meaning of the text before a value.
  enum Limit {
    case none
    case upTo
    /// `Up to` with something between it and the value, a word that may also mean `until`, or
    /// nothing but a plus, minus or dash.
    case unclear
  }

  /// Words that alone before a price leave it as it is.
  private static let plainWords: [StaticString] = [
    "from", "only", "now", "just", "price", "ab", "nur", "jetzt", "preis", "prix", "à partir de",
    "dès", "seulement", "desde", "solo", "precio", "da", "prezzo", "od", "tylko", "cena", "pris",
    "prijs", "från", "vanaf",
  ]

  /// Whether nothing but an `up to` or a word such as `from` is before the value that begins at an
  /// index.
  static func isLimitOnly(_ text: UnsafeRawBufferPointer, before start: Int) -> Bool {
    let first = min(CharacterScan.skipSpaces(text, from: 0), start)
    let prefix = UnsafeRawBufferPointer(rebasing: text[first..<start])
    if prefix.isEmpty { return true }
    let end = CharacterScan.skipSpacesBack(prefix, from: prefix.count)
    if findUpTo(prefix, 0) == end { return true }
    let hasColon = prefix[end - 1] == 0x3A
    let words = UnsafeRawBufferPointer(rebasing: prefix[..<(hasColon ? end - 1 : end)])
    return plainWords.contains { CharacterScan.isSame(words, $0) }
  }

  /// - Parameter prefix: the text before the value and its currency sign.
  static func limit(_ prefix: UnsafeRawBufferPointer) -> Limit {
    let end = CharacterScan.skipSpacesBack(prefix, from: prefix.count)
    if isSignOnly(UnsafeRawBufferPointer(rebasing: prefix[..<end])) { return .unclear }
    for start in stride(from: end - 1, through: 0, by: -1)
    where start == 0 || !CharacterScan.isLetter(prefix[start - 1]) {
      if isUntil(prefix, start, end) { return .unclear }
      guard let behind = findUpTo(prefix, start) else { continue }
      return behind == end ? .upTo : .unclear
    }
    return .none
  }

  /// The index after an `up to` that begins at an index, in English, German, Italian, Spanish or
  /// French; nil when there is none.
  private static func findUpTo(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    switch text[start] | 0x20 {
    case 0x75: behind("up to", text, start)
    case 0x62: behind("bis zu", text, start)
    case 0x66: behind("fino a", text, start)
    case 0x68: behind("hasta", text, start)
    case 0x6A: behind("jusqu'à", text, start) ?? behind("jusqu’à", text, start)
    default: nil
    }
  }

  /// Whether the text between two indices is `bis` or `tot`, which mean `until` as often as `up
  /// to`.
  private static func isUntil(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
    end - start == 3 && (behind("bis", text, start) != nil || behind("tot", text, start) != nil)
  }

  /// The index after a phrase that begins at an index, in any case of ASCII letters; nil when the
  /// text there is another one, or a letter follows.
  private static func behind(
    _ phrase: StaticString, _ text: UnsafeRawBufferPointer, _ start: Int
  ) -> Int? {
    let end = start + phrase.utf8CodeUnitCount
    guard end <= text.count, end == text.count || !CharacterScan.isLetter(text[end]),
      CharacterScan.isSame(UnsafeRawBufferPointer(rebasing: text[start..<end]), phrase)
    else { return nil }
    return end
  }

  /// Whether a text is a minus, a plus or a dash, in ASCII or Unicode.
  private static func isSignOnly(_ text: UnsafeRawBufferPointer) -> Bool {
    let start = CharacterScan.skipSpaces(text, from: 0)
    switch text.count - start {
    case 1: return text[start] == 0x2D || text[start] == 0x2B
    case 3:
      return CharacterScan.stands("\u{2212}", in: text, at: start)
        || CharacterScan.stands("\u{2013}", in: text, at: start)
        || CharacterScan.stands("\u{2014}", in: text, at: start)
    default: return false
    }
  }
}
