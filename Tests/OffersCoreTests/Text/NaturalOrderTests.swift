import Testing

@testable import OffersCore

@Suite("The order of names")
struct NaturalOrderTests {
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
    #expect(NaturalOrder.compare(left, right) == 0)
    #expect(NaturalOrder.isSame(left, right))
    #expect(NaturalOrder.isSame(right, left))
  }

  @Test(
    "names are sorted without regard to case and accents, and numbers by value",
    arguments: [
      ["", " ", "$1", "0", "1", "2 oz.", "10 oz.", "10 oz. jar", "a", "b", "日本", "🍓"],
      ["apple", "Äpple 2", "apple 10", "Apricot", "Œuf", "Öl", "Zebra"],
      ["1.2", "1.10", "2", "20", "100", "99999999999999999999999", "100000000000000000000000"],
      [
        String(repeating: "0", count: 300) + "5", "7", String(repeating: "9", count: 254),
        String(repeating: "9", count: 300),
      ],
      ["img", "img0", "img1", "img01a", "img2", "img12"],
      ["Tea", "Tea 1", "Tea 1a", "Tea a", "Teapot"], ["Ас", "ёж", "Жук"],
    ])
  func ordered(names: [String]) {
    for (index, name) in names.enumerated() {
      for later in names[(index + 1)...] {
        #expect(NaturalOrder.compare(name, later) == -1, "\(name) before \(later)")
        #expect(NaturalOrder.compare(later, name) == 1, "\(later) behind \(name)")
      }
    }
  }
}
