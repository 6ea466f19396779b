import OffersCore

/// The words that a member's name is made of, in whatever way it joins them.
struct KeyWords {
  /// The words in lower case, with letters transliterated to ASCII where possible: `gültig_bis` is
  /// gueltig, bis.
  let words: [String]
  /// The number at the end, as in `image_640`; nil for none.
  let number: Int?
  /// The words without separators.
  let joined: String

  /// The number of characters of a name that are looked at. A longer key is no name.
  private static let limit = 100

  /// - Parameter key: a JSON key or an XML name; `@`, `$` and a namespace prefix are ignored.
  init(_ key: String) {
    let name = Self.local(key).prefix(Self.limit)
    words = Self.parts(of: name).flatMap { $0.split { !$0.isLetter } }
      .map { $0.map(Self.spelled).joined() }
    joined = words.joined()
    let end = name.lastIndex(where: \.isLetter) ?? name.startIndex
    number = Int(String(name[end...].filter(\.isNumber)))
  }

  /// Whether one of the words is in a set.
  func has(oneOf set: Set<String>) -> Bool { words.contains(where: set.contains) }

  /// Divides a name at its separators and at the capitals of camel case.
  private static func parts(of name: Substring) -> [String] {
    var parts: [String] = []
    var part = ""
    var last: Character?
    let characters = Array(name)
    for (index, character) in characters.enumerated() {
      let isNextSmall = index + 1 < characters.count && characters[index + 1].isLowercase
      let isStart =
        character.isUppercase
        && (last?.isLowercase == true || (last?.isUppercase == true && isNextSmall))
      let isPart = character.isLetter || character.isNumber
      if !isPart || isStart, !part.isEmpty {
        parts.append(part)
        part = ""
      }
      if isPart { part.append(character) }
      last = character
    }
    if !part.isEmpty { parts.append(part) }
    return parts
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
    let shown = parts(of: local(key).prefix(limit + 1)).enumerated().map { index, word -> String in
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
