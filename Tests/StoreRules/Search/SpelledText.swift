import OffersTestSupport

/// A text of a random offer or search, with what it means to a reader: the test's own idea of it, beside that
/// of the program.
struct SpelledText: Hashable {
  let text: String
  /// The text as a name is compared: without case, accents and signs such as ®.
  let name: String
  /// The words in it, in order.
  let words: [String]
  /// The words of letters with a sign between them, as one.
  let joined: [String]
  /// Whether letters typed behind it would belong to its last word.
  let isOpen: Bool

  private init(
    _ text: String, _ name: String, _ words: [String]? = nil, joined: [String] = [],
    isOpen: Bool = true
  ) {
    self.text = text
    self.name = name
    self.words = words ?? [name]
    self.joined = joined
    self.isOpen = isOpen
  }

  static let all = [
    SpelledText("Straße", "strasse"), SpelledText("STRASSE", "strasse"),
    SpelledText("Café", "cafe"),
    SpelledText("Cafe\u{301}", "cafe"), SpelledText("ﬁne", "fine"),
    SpelledText("Fi\u{AD}ne", "fine"),
    SpelledText("Æble", "aeble"), SpelledText("Þór", "thor"), SpelledText("Łódź", "lodz"),
    SpelledText("Smørrebrød", "smorrebrod"), SpelledText("ΣΟΦΟΣ", "σοφοσ"),
    SpelledText("σοφος", "σοφοσ"), SpelledText("Ｔｅａ", "tea"), SpelledText("tea", "tea"),
    SpelledText("Tea®", "tea", isOpen: false), SpelledText("TEAM", "team"),
    SpelledText("7-Up", "7-up", ["7", "up"]), SpelledText("7–UP", "7-up", ["7", "up"]),
    SpelledText("007", "007"), SpelledText("7", "7"), SpelledText("１２", "12"),
    SpelledText("12", "12"),
    SpelledText("120", "120"), SpelledText("日本", "日本", ["日", "本"], isOpen: false),
    SpelledText("日本語", "日本語", ["日", "本", "語"], isOpen: false),
    SpelledText("がく", "かく", ["か", "く"], isOpen: false),
    SpelledText(
      "한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}",
      ["\u{1112}\u{1161}\u{11AB}", "\u{1100}\u{116E}\u{11A8}"], isOpen: false),
    SpelledText(
      "\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}", isOpen: false),
    SpelledText("🍓", "🍓", [], isOpen: false), SpelledText("👩\u{200D}🌾", "👩🌾", [], isOpen: false),
    SpelledText("İzmir", "izmir"), SpelledText("ılık", "ilik"),
    SpelledText("C++", "c++", ["c"], isOpen: false),
    SpelledText("Don’t", "don't", ["don", "t"], joined: ["dont"]),
    SpelledText("DONT", "dont"), SpelledText("250g", "250g", ["250", "g"]), SpelledText("G", "g"),
    SpelledText("กาแฟ", "กาแฟ", ["ก", "า", "แ", "ฟ"], isOpen: false),
  ]

  /// The only word, if it is one of letters that can be written together with another one.
  var joinableWord: String? {
    // A word of a script without spaces ends at each character.
    let isOfLetters = isOpen || words.first?.allSatisfy(\.isASCII) == true
    guard words.count == 1, let word = words.first, isOfLetters, !word.contains(where: \.isNumber)
    else { return nil }
    return word
  }

  /// Whether the text ends with a letter or a digit.
  var endsWithWord: Bool { isOpen || text.last?.isLetter == true }

  /// Several texts as one, with spaces between them.
  init(_ texts: [SpelledText]) {
    text = texts.map(\.text).joined(separator: " ")
    name = texts.map(\.name).joined(separator: " ")
    words = texts.flatMap(\.words)
    joined = texts.flatMap(\.joined)
    isOpen = texts.last?.isOpen ?? false
  }

  /// The beginning of a text's only word; the text itself if it has several or a short one.
  func beginning(_ random: inout SeededGenerator) -> SpelledText {
    guard words.count == 1, let word = words.first, word.unicodeScalars.count > 2 else {
      return self
    }
    let count = Int.random(in: 1..<word.unicodeScalars.count, using: &random)
    let cut = String(String.UnicodeScalarView(word.unicodeScalars.prefix(count)))
    return SpelledText(cut, cut, isOpen: isOpen || word.allSatisfy(\.isASCII))
  }

  static func random(_ range: ClosedRange<Int>, _ random: inout SeededGenerator) -> SpelledText {
    SpelledText(
      (0..<Int.random(in: range, using: &random)).compactMap { _ in
        all.randomElement(using: &random)
      })
  }

  /// The signs and letters of the name, and its numbers in place of their digits.
  var order: [Int] {
    var order: [Int] = []
    var isInNumber = false
    for scalar in name.unicodeScalars {
      if let digit = Int(String(scalar)) {
        // A number stands where digits do, and larger ones behind smaller ones.
        if isInNumber {
          order[order.count - 1] = order[order.count - 1] * 10 + digit
        } else {
          order += [0x30, digit]
        }
        isInNumber = true
      } else {
        order.append(Int(scalar.value))
        isInNumber = false
      }
    }
    return order
  }
}
