/// The words around an amount or percentage that change its meaning.
enum RewardWords {
  /// Whether the text after a value leaves its meaning unchanged: it begins with no `/` or `+`, and
  /// after an amount with no word that multiplies the amount or makes it a rate, as in `off per gallon`.
  static func leaveAlone(
    _ text: UnsafeRawBufferPointer, from end: Int, isAmount: Bool
  ) -> Bool {
    let start = CharacterScan.skipSpaces(text, from: end)
    guard start < text.count else { return true }
    if text[start] == 0x2F || text[start] == 0x2B { return false }
    if isAmount, multiplies(text, from: start) { return false }
    if start + 2 >= text.count || !CharacterScan.isWordByte(text[start]) && text[start] != 0x26 {
      return true
    }
    return lowered(text, from: start) { low in
      let saving = DealWords.savingsAfter.lazy.compactMap {
        CharacterScan.findEnd(of: $0, in: low, at: 0)
      }.first
      let behind = CharacterScan.skipSpaces(low, from: saving ?? 0)
      let isOpen = DealWords.openEnds.contains {
        CharacterScan.findEnd(of: $0, in: low, at: behind) != nil
      }
      return !isOpen && !(isAmount && rateEnd(low, from: behind) != nil) && !countsThings(low)
    }
  }

  /// Whether the word after an amount multiplies it.
  static func multiplies(_ text: UnsafeRawBufferPointer, from end: Int) -> Bool {
    let start = CharacterScan.skipSpaces(text, from: end)
    var behind = start
    while behind < text.count, CharacterScan.isLetter(text[behind]) { behind += 1 }
    return multiplies(UnsafeRawBufferPointer(rebasing: text[start..<behind]))
  }

  /// The largest length of a unit, in bytes.
  private static let unitBytes = 32

  /// The end of a unit that makes the amount or saving before it a rate, as in `/lb`, `per gallon` and
  /// `a month`; nil if there is none. The text is in lower case.
  static func rateEnd(_ low: UnsafeRawBufferPointer, from end: Int) -> Int? {
    var index = CharacterScan.skipSpaces(low, from: end)
    guard index < low.count else { return nil }
    let per = low[index] == 0x2F ? index + 1 : CharacterScan.findEnd(of: "per", in: low, at: index)
    guard let per else {
      return DealWords.rates.lazy.compactMap {
        CharacterScan.findEnd(of: $0, in: low, at: index)
      }.first
    }
    index = CharacterScan.skipSpaces(low, from: per)
    let behind = CharacterScan.wordEnd(low, from: index)
    let word = UnsafeRawBufferPointer(rebasing: low[index..<behind])
    let isUnit = !DealWords.occasions.contains { CharacterScan.isSame(word, $0) }
    return isUnit && (1...unitBytes).contains(word.count) ? behind : nil
  }

  /// The start of a unit that makes the amount behind it a rate, as in `per kg` and `kg`; nil if there is none. The
  /// text is in lower case.
  static func rateStart(_ low: UnsafeRawBufferPointer, endingAt end: Int) -> Int? {
    func start(_ words: [StaticString], _ end: Int) -> Int? {
      words.lazy.compactMap { CharacterScan.findStart(of: $0, in: low, endingAt: end) }.first
    }
    let word = CharacterScan.wordStart(low, endingAt: end)
    guard word < end else { return nil }
    let isUnit = !DealWords.occasions.contains {
      CharacterScan.isSame(UnsafeRawBufferPointer(rebasing: low[word..<end]), $0)
    }
    let edge = CharacterScan.skipSpacesBack(low, from: word)
    if isUnit, edge < word, let per = start(["per"], edge) { return per }
    return start(DealWords.rates + DealWords.measures, end)
  }

  /// The end of `%`, or a word for it, behind a number; nil if another text is there.
  static func percentEnd(_ text: UnsafeRawBufferPointer, from end: Int) -> Int? {
    let start = CharacterScan.skipSpaces(text, from: end)
    guard start < text.count else { return nil }
    if text[start] == 0x25 { return start + 1 }
    guard text[start] | 0x20 == 0x70 else { return nil }
    return lowered(text, from: start) { low in
      DealWords.percents.lazy.compactMap { CharacterScan.findEnd(of: $0, in: low, at: 0) }.first
    }.map { start + $0 }
  }

  /// Whether a number of things in words is after the word for a saving, as in `off any two`.
  private static func countsThings(_ low: UnsafeRawBufferPointer) -> Bool {
    var index = 0
    for _ in 0..<4 {
      let next = (["off"] + DealWords.conditions).lazy.compactMap {
        CharacterScan.findEnd(of: $0, in: low, at: index)
      }.first
      guard let next else { break }
      index = CharacterScan.skipSpaces(low, from: next)
    }
    return index > 0
      && DealWords.numbers.contains { word, value in
        value > 1 && CharacterScan.findEnd(of: word, in: low, at: index) != nil
      }
  }

  /// Whether `off`, or an East Asian word for a saving, is directly at an index.
  static func isSaving(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
    lowered(text, from: start) { CharacterScan.findEnd(of: "off", in: $0, at: 0) != nil }
      || isEastAsianSaving(text, at: start)
  }

  /// Whether a hyphen and a word for a saving are at an index, as in `15%-Rabatt`.
  static func isJoinedSaving(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
    start < text.count && text[start] == 0x2D
      && lowered(text, from: start + 1) { low in
        DealWords.savingsAfter.contains { CharacterScan.findEnd(of: $0, in: low, at: 0) != nil }
      }
  }

  static func isEastAsianSaving(_ text: UnsafeRawBufferPointer, at start: Int) -> Bool {
    guard start < text.count, text[start] >= 0xE3 else { return false }
    return DealWords.savingsAfter.contains {
      $0.utf8Start[0] >= 0xE3 && CharacterScan.stands($0, in: text, at: start)
    }
  }

  /// Whether a text has a word that makes its amount a saving, so that it is no price.
  static func hasSaving(_ text: UnsafeRawBufferPointer) -> Bool {
    // Most prices have no more letters than a code. The only shorter words are `off` and East Asian ones.
    let letters = text.count { CharacterScan.isWordByte($0) }
    guard letters > 3 || text.contains(where: { $0 | 0x20 == 0x66 || $0 >= 0xE3 }) else {
      return false
    }
    return lowered(text, from: 0) { low in
      low.indices.contains { index in
        CharacterScan.isWordByte(low[index])
          && !CharacterScan.isInWord(low, at: index)
          && DealWords.savings.contains {
            CharacterScan.findEnd(of: $0, in: low, at: index) != nil
          }
      }
    }
  }

  /// Calls a closure with the start of the text after an index in lower case, which ends the words that matter.
  private static func lowered<Value>(
    _ text: UnsafeRawBufferPointer, from start: Int, _ body: (UnsafeRawBufferPointer) -> Value
  ) -> Value {
    let part = UnsafeRawBufferPointer(rebasing: text[start..<min(text.count, start + 200)])
    return FoldedText(part).lowered.withUnsafeBytes(body)
  }

  /// Whether a text is about another thing than the first one, or about several, as `BOGO 50% off`, `second one 50% off`
  /// and `two for $5`.
  static func isOfAnother(_ text: UnsafeRawBufferPointer) -> Bool {
    for index in text.indices where !CharacterScan.isInWord(text, at: index) {
      let words: [StaticString]
      switch text[index] | 0x20 {
      case 0x62: words = ["bogo", "buy one"]
      case 0x74: words = ["two for", "three for", "third", "troisi", "tercer", "tweede"]
      case 0x66: words = ["four for", "five for"]
      case 0x67: words = ["get one"]
      case 0x73: words = ["second", "segund"]
      case 0x7A: words = ["zweit"]
      case 0x64: words = ["deuxi", "dritte", "drugi", "druga"]
      default: continue
      }
      for word in words where index + word.utf8CodeUnitCount <= text.count {
        let part = text[index..<(index + word.utf8CodeUnitCount)]
        if CharacterScan.isSame(UnsafeRawBufferPointer(rebasing: part), word) { return true }
      }
    }
    return false
  }

  private static func multiplies(_ word: UnsafeRawBufferPointer) -> Bool {
    func isWord(_ lower: StaticString) -> Bool { CharacterScan.isSame(word, lower) }
    return switch word.count {
    case 1: isWord("k") || isWord("m")
    case 2: isWord("bn") || isWord("mn")
    case 3: isWord("mio") || isWord("mrd") || isWord("mln") || isWord("mil")
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
    "only", "now", "just", "price", "nur", "jetzt", "preis", "prix", "seulement", "solo", "precio",
    "prezzo", "tylko", "cena", "pris", "prijs", "save", "spare", "économisez", "ahorra",
  ]

  /// Whether nothing but an `up to` or a word such as `only` is before the value that begins at an
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

  /// Whether the text before a value makes it an upper bound, as in `up to $5`.
  ///
  /// - Parameter prefix: the text before the value and its currency sign.
  static func limit(_ prefix: UnsafeRawBufferPointer) -> Limit {
    let end = CharacterScan.skipSpacesBack(prefix, from: prefix.count)
    if isSignOnly(UnsafeRawBufferPointer(rebasing: prefix[..<end])) { return .unclear }
    if isOpen(UnsafeRawBufferPointer(rebasing: prefix[..<end])) { return .unclear }
    // The last word of `nawet do` alone is unclear.
    var isUnclear = false
    for start in stride(from: end - 1, through: 0, by: -1)
    where start == 0 || !CharacterScan.isLetter(prefix[start - 1]) {
      isUnclear = isUnclear || isUntil(prefix, start, end)
      guard let behind = findUpTo(prefix, start) else { continue }
      return behind == end ? .upTo : .unclear
    }
    return isUnclear ? .unclear : .none
  }

  /// Whether a text ends with a word such as `from` or `about`, or with a unit, so that the value after it is one of
  /// several, a rough one or a rate.
  private static func isOpen(_ text: UnsafeRawBufferPointer) -> Bool {
    let end = text.last == 0x3A ? text.count - 1 : text.count
    guard end > 1,
      text[end - 1] >= 0x61 || CharacterScan.isCapital(text[end - 1]) || text[end - 1] == 0x2E
    else {
      return false
    }
    let tail = UnsafeRawBufferPointer(rebasing: text[max(0, end - 24)..<end])
    return FoldedText(tail).lowered.withUnsafeBytes { low in
      func start(_ words: [StaticString], _ end: Int) -> Int? {
        words.lazy.compactMap { CharacterScan.findStart(of: $0, in: low, endingAt: end) }.first
      }
      if let open = start(DealWords.openPrices, low.count) {
        // `Buono da 5 €` is a voucher of that value.
        let edge = CharacterScan.skipSpacesBack(low, from: open)
        return start(DealWords.vouchers, edge) == nil
      }
      return start(DealWords.least + DealWords.rough, low.count) != nil
        || rateStart(low, endingAt: low.count) != nil
    }
  }

  /// The index of a minus directly before a percentage that has nothing but `up to` before it, as in
  /// `jusqu'à -50 %`.
  static func minusStart(_ text: UnsafeRawBufferPointer, before first: Int) -> Int? {
    let start =
      first > 0 && text[first - 1] == 0x2D
      ? first - 1 : CharacterScan.stands("\u{2212}", in: text, at: first - 3) ? first - 3 : nil
    guard let start else { return nil }
    return limit(UnsafeRawBufferPointer(rebasing: text[..<start])) == .upTo ? start : nil
  }

  /// The index after an `up to` that begins at an index; nil when there is none.
  private static func findUpTo(_ text: UnsafeRawBufferPointer, _ start: Int) -> Int? {
    for phrase in DealWords.upTo where phrase.utf8Start[0] == text[start] | 0x20 {
      if let end = behind(phrase, text, start) { return end }
    }
    return nil
  }

  /// Whether the text between two indices is `bis`, `tot` or `do`, which mean `until` as often as `up
  /// to`.
  private static func isUntil(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Bool {
    (["bis", "tot", "do"] as [StaticString]).contains { behind($0, text, start) == end }
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
