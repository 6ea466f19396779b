import OffersTestSupport
import Testing

@testable import OffersCore

@Suite("The order of names")
struct NaturalOrderTests {
  private static func compare(_ left: String, _ right: String) -> Int {
    compare(Array(left.utf8), Array(right.utf8))
  }

  private static func compare(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in
      right.withUnsafeBytes { NaturalOrder.compare(left, $0).signum() }
    }
  }

  @Test(
    "names that differ only in case, accents or signs are equal",
    arguments: [
      ("Tea", "tEA"), ("Café", "cafe"), ("Cafe\u{301}", "CAFÉ"),
      ("Nestlé® KitKat™", "nestle kitkat"),
      ("Straße", "STRASSE"), ("Ærø", "aero"), ("Łódź", "lodz"), ("2 oz.", "02 oz."), ("", "®"),
      ("Ｔｅａ", "tea"), ("ΣΟΦΟΣ", "σοφος"), ("ЁЖ", "еж"), ("İzmir", "izmir"), ("Phở", "pho"),
      ("Don’t", "don't"), ("7–9", "7-9"), ("a\u{A0}b", "a b"), ("☕\u{FE0F}", "☕"),
    ])
  func same(left: String, right: String) {
    #expect(Self.compare(left, right) == 0)
    #expect(NaturalOrder.isSame(left, right))
    #expect(NaturalOrder.isSame(right, left))
  }

  @Test(
    "names are sorted without regard to case and accents, and numbers by value",
    arguments: [
      ["", " ", "$1", "0", "1", "2 oz.", "10 oz.", "10 oz. jar", "a", "b", "日本", "🍓"],
      ["apple", "Äpple 2", "apple 10", "Apricot", "Œuf", "Öl", "Zebra"],
      ["1.2", "1.10", "2", "20", "100", "99999999999999999999999", "100000000000000000000000"],
      ["img", "img0", "img1", "img01a", "img2", "img12"],
      ["Tea", "Tea 1", "Tea 1a", "Tea a", "Teapot"], ["Ас", "ёж", "Жук"],
    ])
  func ordered(names: [String]) {
    for (index, name) in names.enumerated() {
      for later in names[(index + 1)...] {
        #expect(Self.compare(name, later) == -1, "\(name) before \(later)")
        #expect(Self.compare(later, name) == 1, "\(later) behind \(name)")
      }
    }
  }

  @Test("names are sorted by their keys as they are by comparison")
  func keys() {
    let texts = [
      "", " ", "0", "00", "1", "01a", "2 oz.", "10 oz.", "a", "A", "é", "ß", "ss", "日本", "🍓",
      "img12", "img2", "７", String(repeating: "9", count: 300), String(repeating: "9", count: 254),
      String(repeating: "0", count: 300) + "5", "1®2", "x-1", "®",
    ]
    for left in texts {
      for right in texts {
        let (one, other) = (NaturalOrder.key(left), NaturalOrder.key(right))
        let order = one == other ? 0 : one.lexicographicallyPrecedes(other) ? -1 : 1
        #expect(order == NaturalOrder.compare(left, right).signum(), "\(left) \(right)")
      }
    }
  }

  @Test("the order is total and consistent for arbitrary bytes")
  func isConsistent() {
    var random = SeededGenerator(number: 7)
    let pieces: [[UInt8]] = [
      [0x30], [0x31], [0x39], [0x61], [0x41], [0x20], [0xC3, 0xA9], [0xC3, 0x9F], [0xCC, 0x81],
      [0xC2, 0xAE], [0xEF, 0xBC, 0x91], [0xFF], [0xE2], [0xF0, 0x9F], [0x80], [0xC3, 0x86], [0x00],
    ]
    // The work grows with the cube of their number.
    let texts = (0..<(TestSize.isLong ? 120 : 45)).map { _ in
      (0..<Int.random(in: 0...5, using: &random)).flatMap { _ in
        pieces.randomElement(using: &random) ?? []
      }
    }
    for one in texts {
      #expect(Self.compare(one, one) == 0)
      for two in texts {
        let order = Self.compare(one, two)
        #expect(order == -Self.compare(two, one))
        for three in texts where order <= 0 && Self.compare(two, three) <= 0 {
          let outer = Self.compare(one, three)
          if outer > 0 || (outer == 0 && order < 0) {
            Issue.record("\(one) \(two) \(three)")
          }
        }
      }
    }
  }
}
