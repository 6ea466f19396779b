import Foundation
import Testing

@testable import OffersCore

@Suite("Folded letters")
struct LetterFoldingTests {
  @Test(
    "words and names have the same letters, without case, accents and unseen characters",
    arguments: [
      ("Straße", "strasse"), ("STRAẞE", "strasse"), ("Ærø", "aero"), ("ǼǢ", "aeae"),
      ("Œuf", "oeuf"),
      ("Þór", "thor"), ("Smørrebrød", "smorrebrod"), ("Đỗ", "do"), ("Ðað", "dad"), ("Ħħ", "hh"),
      ("Łódź", "lodz"), ("Ŧŧ", "tt"), ("Iıİi", "iiii"), ("ΣΟΦΟΣ", "σοφοσ"), ("σοφος", "σοφοσ"),
      ("Ｔｅａ１２", "tea12"), ("ﬁneﬀﬃſt", "fineffffist"), ("Ĳs", "ijs"), ("ǅ", "dz"), ("𝐓𝖊a", "tea"),
      ("Cafe\u{301}", "cafe"), ("ѣЁЖй", "ѣежи"), ("Phở", "pho"), ("がカﾞｶ", "かカカ"),
      ("한국", "\u{1112}\u{1161}\u{11AB}\u{1100}\u{116E}\u{11A8}"),
      ("\u{1112}\u{1161}\u{11AB}", "\u{1112}\u{1161}\u{11AB}"), ("日本語", "日本語"), ("豈", "豈"),
      ("Ⅷ²½", "ⅷ²½"), ("مُحَمَّد", "محمد"), ("1\u{FE0F}\u{20E3}", "1"), ("Kºª", "koa"),
      ("Wasch\u{AD}mittel", "waschmittel"), ("ᴭ𝛓Ǽǿ", "aeσaeo"),
      ("a\u{202E}b\u{2066}c\u{E0041}", "abc"), ("ꙠꚀ", "ꙡꚁ"),
    ])
  func letters(text: String, folded: String) {
    let words = LetterTokenizer.words(of: text).map(\.folded)
    #expect(Array(words.joined().utf8) == Array(folded.utf8))
    #expect(NaturalOrder.isSame(text, folded))
    if !folded.contains(where: \.isASCIIDigit) {
      #expect(NaturalOrder.key(text) == Array(folded.utf8))
    }
  }

  @Test(
    "characters that nobody sees are no part of words, whichever they are",
    arguments: [
      "\u{AD}", "\u{34F}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}",
      "\u{200F}", "\u{2060}", "\u{FEFF}", "\u{202A}", "\u{2069}", "\u{20E3}", "\u{E0067}",
    ])
  func unseen(character: String) {
    let words = LetterTokenizer.words(of: "Wasch\(character)mittel, fein\(character)")
    #expect(words.map(\.folded) == ["waschmittel", "fein"])
    #expect(NaturalOrder.key("Wasch\(character)mittel") == Array("waschmittel".utf8))
  }

  @Test(
    "a word ends at each sign, of which a name keeps one for all of its kind, or none",
    arguments: [
      ("a–b", "a-b"), ("a\u{2011}b", "a-b"), ("a\u{3000}b", "a b"), ("a\u{A0}b", "a b"),
      ("a’b", "a'b"), ("a”b", "a\"b"), ("a®b", "ab"), ("a™b", "ab"), ("a\u{85}b", "ab"),
      ("a＋b", "a+b"), ("a…b", "a…b"), ("a🍓b", "a🍓b"), ("a\u{1}b", "a\u{1}b"), ("a¶b", "a¶b"),
      ("a≠b", "a=b"),
    ])
  func signs(text: String, name: String) {
    #expect(LetterTokenizer.words(of: text).map(\.folded) == ["a", "b"])
    #expect(NaturalOrder.key(text) == Array(name.utf8))
  }

  @Test("canonically equal texts have the same letters")
  func canonical() {
    for value in UInt32(0)..<0x3_0000 {
      guard let scalar = Unicode.Scalar(value), !scalar.properties.isNoncharacterCodePoint else {
        continue
      }
      // Of the many Chinese characters and Korean syllables, some.
      if (0x3400..<0xD7A4).contains(value), value % 97 > 0 { continue }
      let text = String(Character(scalar))
      let other = text.decomposedStringWithCanonicalMapping
      if Array(other.utf8) == Array(text.utf8) { continue }
      #expect(NaturalOrder.key(text) == NaturalOrder.key(other), "U+\(String(value, radix: 16))")
      #expect(
        LetterTokenizer.words(of: text).map(\.folded)
          == LetterTokenizer.words(of: other).map(\.folded),
        "U+\(String(value, radix: 16))")
    }
  }

  @Test("the places of words are those in the text, with the accents behind them")
  func places() {
    let text = "«Großer» Cafe\u{301}\u{200B} ﬁn 日本"
    let bytes = Array(text.utf8)
    let words = LetterTokenizer.words(of: text)
    #expect(words.map(\.folded) == ["grosser", "cafe", "fin", "日", "本"])
    #expect(
      words.map { String(decoding: bytes[$0.range], as: UTF8.self) }
        == ["Großer", "Cafe\u{301}\u{200B}", "ﬁn", "日", "本"])
  }

  @Test(
    "a word ends between a letter and a digit, and each character of some scripts is one",
    arguments: [
      ("250g 1,5l 7Up", ["250", "g", "1", "5", "l", "7", "up"]), ("e27x2", ["e", "27", "x", "2"]),
      ("iPhone１５", ["iphone", "15"]), ("m²", ["m²"]), ("日本茶Tea", ["日", "本", "茶", "tea"]),
      ("グリーン", ["ク", "リ", "ー", "ン"]), ("กาแฟ", ["ก", "า", "แ", "ฟ"]),
      ("한국", ["\u{1112}\u{1161}\u{11AB}", "\u{1100}\u{116E}\u{11A8}"]),
      ("\u{1112}\u{1161}\u{11AB}\u{1100}a", ["\u{1112}\u{1161}\u{11AB}", "\u{1100}", "a"]),
    ])
  func ends(text: String, words: [String]) {
    #expect(LetterTokenizer.words(of: text).map(\.folded) == words)
  }

  @Test(
    "words of letters with one sign between them are joined, each two and all",
    arguments: [
      ("Coca-Cola, Wi‑Fi", ["cocacola", "wifi"]),
      ("L’Oréal L'eau L´ami", ["loreal", "leau", "lami"]),
      ("M&M's", ["mm", "ms", "mms"]), ("U.S.A.", ["us", "sa", "usa"]), ("a - b a--b a/b a b", []),
      ("3.5 1-2 7-Up B-12", []), ("日-本 日-a", []), ("x-\u{AD}y\u{301}-2", ["xy"]),
      ("a-b-c-d-e-f-g-h-i", ["ab", "bc", "cd", "de", "ef", "fg", "gh", "hi"]), ("-a-", []),
      ("", []),
    ])
  func joins(text: String, words: [String]) {
    let joined = LetterTokenizer.read(text).joined
    #expect(joined.map(\.folded) == words)
    let bytes = Array(text.utf8)
    for word in joined {
      let place = String(decoding: bytes[word.range], as: UTF8.self)
      #expect(LetterTokenizer.words(of: place).map(\.folded).joined() == word.folded)
    }
  }

  @Test("a long word counts as its beginning, of whole characters")
  func longWords() {
    let long = String(repeating: "ж", count: 200)
    #expect(LetterTokenizer.words(of: long).map(\.folded) == [String(long.prefix(128))])
    #expect(LetterTokenizer.words(of: "a" + long + "b").map(\.folded) == ["a" + long.prefix(127)])
  }

  @Test("the length of a number decides before its digits, however long it is")
  func longNumbers() {
    let numbers = [1, 2, 253, 254, 255, 507, 508, 509].flatMap { count in
      ["1", "9"].map { "a" + String(repeating: $0, count: count) + "z" }
    }
    let keys = numbers.map { NaturalOrder.key($0) }
    #expect(keys.map { $0.contains(0xFF) } == numbers.map { _ in false })
    for (key, next) in zip(keys, keys.dropFirst()) { #expect(key.lexicographicallyPrecedes(next)) }
    #expect(NaturalOrder.key("a000") == NaturalOrder.key("a0"))
    #expect(NaturalOrder.key("a007b") == NaturalOrder.key("A７b"))
    #expect(NaturalOrder.key("1\u{301}2") == NaturalOrder.key("12"))
  }
}

extension LetterFoldingTests {
  @Test(
    "texts that are equal in the order of names have one folded text",
    arguments: [
      ("Große 007", "grosse 7"), ("７ Ｔ 0", "7 t 0"), ("000", "0"), ("100 05x00", "100 5x0"),
      ("10®0", "100"),
      ("–1.20", "-1.20"), ("", ""),
    ])
  func foldedTexts(text: String, folded: String) {
    #expect(NaturalOrder.folded(text) == folded)
    #expect(NaturalOrder.isSame(text, folded))
    #expect(NaturalOrder.folded(folded) == folded)
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { isASCII && isNumber }
}
