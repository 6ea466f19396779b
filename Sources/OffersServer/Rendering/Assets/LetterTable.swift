import OffersCore

/// All that `LetterFolding` and `SearchRank` say, for the service worker, so that it finds and sorts stored offers
/// as the server does, whichever version of Unicode the browser has.
struct LetterTable {
  /// The characters that do not stand for themselves, with their folded texts, without the Korean syllables.
  private(set) var folded: [(character: Unicode.Scalar, text: String)] = []
  /// The letters and digits, which words have.
  private(set) var letters = CharacterClass()
  /// The accents and the characters that nobody sees, at which a word does not end.
  private(set) var unseen = CharacterClass()
  /// The characters that separate the parts of a search.
  private(set) var spaces = CharacterClass()

  /// The Korean syllables. Each first letter with each vowel and each last letter is one, in this order.
  static let syllables: Range<UInt32> = 0xAC00..<0xD7A4
  /// The first letters, the vowels and the last letters of the syllables; most syllables have a last one.
  static let syllableLetters: [[String]] = [
    texts(of: 0x1100..<0x1113), texts(of: 0x1161..<0x1176), [""] + texts(of: 0x11A8..<0x11C3),
  ]

  /// The planes of Unicode with characters, without U+0000, which no text has. All other characters stand for
  /// themselves and end words.
  private static let planes: [Range<UInt32>] = [1..<0x4_0000, 0xE_0000..<0xF_0000]

  init() {
    for value in Self.planes.joined() {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
      else { continue }
      let meaning = LetterFolding.fold(value)
      if meaning.isLetter { letters.append(scalar) }
      if meaning.isUnseen { unseen.append(scalar) }
      if SearchWords.isSpace(scalar) { spaces.append(scalar) }
      if Self.syllables.contains(value) { continue }
      let text = meaning.text
      if !text.unicodeScalars.elementsEqual([scalar]) { folded.append((scalar, text)) }
    }
  }

  private static func texts(of values: Range<UInt32>) -> [String] {
    values.compactMap(Unicode.Scalar.init).map { String($0) }
  }

  /// The table as `{"folded": {"Ø": "o", …}, "syllables": {"first": "가", "letters": [["ᄀ", …], …]},
  /// "letters": "0-9A-Z…", "unseen": "…", "spaces": "…", "wordBytes": 256, "weights": {"name": 20, …}, "whole": 2}`.
  static let json: [UInt8] = {
    let table = LetterTable()
    var json = JSONWriter()
    json.object { json in
      json.member("folded") { json in
        json.object { json in
          for (character, text) in table.folded { json.member(String(character), text) }
        }
      }
      json.member("syllables") { json in
        json.object { json in
          json.member("first", texts(of: syllables).first)
          json.member("letters", each: syllableLetters) { json, letters in
            json.array { json in
              for letter in letters { json.value(letter) }
            }
          }
        }
      }
      json.member("letters", table.letters.text)
      json.member("unseen", table.unseen.text)
      json.member("spaces", table.spaces.text)
      json.member("wordBytes", LetterTokenizer.wordBytes)
      json.member("weights") { json in
        json.object { json in
          for field in SearchMatch.Field.allCases {
            json.member(field.rawValue, SearchRank.weight(of: field))
          }
        }
      }
      json.member("whole", SearchRank.wholeFactor)
    }
    return json.bytes
  }()
}

/// Characters as a character class of a regular expression has them, such as `0-9A-Z`.
struct CharacterClass {
  private(set) var ranges: [ClosedRange<Unicode.Scalar>] = []

  /// - Parameter scalar: a character behind all others.
  mutating func append(_ scalar: Unicode.Scalar) {
    if let last = ranges.last, last.upperBound.value + 1 == scalar.value {
      ranges[ranges.count - 1] = last.lowerBound...scalar
    } else {
      ranges.append(scalar...scalar)
    }
  }

  /// The ranges as they stand between the brackets of a character class. No character is escaped: none of
  /// the letters, digits, accents, invisible characters and white spaces is special there.
  var text: String { ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined() }
}
