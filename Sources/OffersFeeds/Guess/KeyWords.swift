import OffersCore

/// The words that a member's name is made of, in whatever way it joins them.
struct KeyWords {
  /// The words in lower case, with letters transliterated to ASCII where possible: `gültig_bis` is
  /// gueltig, bis.
  let words: [String]
  /// The number at the end, as in `image_640`; nil for none.
  let number: Int?

  /// The words without separators.
  var joined: String { words.joined() }

  /// - Parameter key: a JSON key or an XML name; `@`, `$` and a namespace prefix are ignored.
  init(_ key: String) {
    var words: [String] = []
    var word = ""
    var digits = ""
    var last: Character?
    let characters = Array(Self.local(key))
    for (index, character) in characters.enumerated() {
      let isNextSmall = index + 1 < characters.count && characters[index + 1].isLowercase
      let isStart =
        character.isUppercase
        && (last?.isLowercase == true || last?.isNumber == true
          || (last?.isUppercase == true && isNextSmall))
      if !character.isLetter || isStart, !word.isEmpty {
        words.append(word)
        word = ""
      }
      if character.isLetter {
        word += Self.spelled(character)
        digits = ""
      } else if character.isNumber {
        digits.append(character)
      }
      last = character
    }
    if !word.isEmpty { words.append(word) }
    self.words = words
    number = Int(digits)
  }

  /// A key without its namespace prefix.
  private static func local(_ key: String) -> Substring {
    key.split(scalar: ":").last ?? key[...]
  }

  private static func spelled(_ character: Character) -> String {
    let lower = character.lowercased()
    return spellings[lower] ?? lower
  }

  private static let spellings = [
    "ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "á": "a", "à": "a", "â": "a", "ã": "a", "å": "a",
    "ç": "c", "é": "e", "è": "e", "ê": "e", "ë": "e", "í": "i", "ì": "i", "î": "i", "ï": "i",
    "ñ": "n", "ó": "o", "ò": "o", "ô": "o", "õ": "o", "ú": "u", "ù": "u", "û": "u",
  ]

  /// The name as a label, such as `Vote average` for `vote_average`.
  static func label(for key: String) -> String {
    var words: [String] = []
    var word = ""
    var last: Character?
    let characters = Array(local(key))
    for (index, character) in characters.enumerated() {
      let isNextSmall = index + 1 < characters.count && characters[index + 1].isLowercase
      let isStart =
        character.isUppercase
        && (last?.isLowercase == true || (last?.isUppercase == true && isNextSmall))
      let isPart = character.isLetter || character.isNumber
      if !isPart || isStart, !word.isEmpty {
        words.append(word)
        word = ""
      }
      if isPart { word.append(character) }
      last = character
    }
    if !word.isEmpty { words.append(word) }
    let shown = words.enumerated().map { index, word -> String in
      let lower = word.lowercased()
      if acronyms.contains(lower) { return word.uppercased() }
      return index == 0 ? lower.prefix(1).uppercased() + lower.dropFirst() : lower
    }
    return shown.joined(separator: " ")
  }

  private static let acronyms: Set = [
    "asin", "ean", "gtin", "id", "isbn", "mpn", "sku", "upc", "uri", "url", "usd", "eur", "gbp",
    "vat", "pin", "uv", "imdb",
  ]
}
