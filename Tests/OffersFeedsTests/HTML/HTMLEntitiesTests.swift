import OffersFeeds
import Testing

@Suite("Named character references of HTML")
struct HTMLEntitiesTests {
  static func find(_ name: String) -> UInt32? {
    var name = name
    return name.withUTF8 { HTMLEntities.findScalar(UnsafeRawBufferPointer($0)) }
  }

  @Test(
    "the names of HTML 4 and XML are found, those at the ends of the table included",
    arguments: [
      ("AElig", 0xC6), ("AMP", 0x26), ("Aacute", 0xC1), ("Zeta", 0x396), ("aacute", 0xE1),
      ("apos", 0x27), ("euro", 0x20AC), ("frac34", 0xBE), ("hArr", 0x21D4), ("lt", 0x3C),
      ("nbsp", 0xA0), ("sup1", 0xB9), ("thetasym", 0x3D1), ("yuml", 0xFF), ("zeta", 0x3B6),
      ("zwj", 0x200D), ("zwnj", 0x200C),
    ])
  func findsNames(name: String, scalar: UInt32) {
    #expect(Self.find(name) == scalar)
  }

  @Test(
    "other names are not found",
    arguments: [
      "", " ", "a", "Amp", "amp ", " amp", "amp;", "am", "ampe", "NBSP", "hellipx",
      "thetasymb", "zzzzzzzz", "\u{0}", "é", "nbsp\u{0}", "lt ", "frac13",
    ])
  func refusesOtherNames(name: String) {
    #expect(Self.find(name) == nil)
  }

  @Test("names are case-sensitive")
  func tellsCapitalsApart() {
    #expect(Self.find("Auml") == 0xC4)
    #expect(Self.find("auml") == 0xE4)
    #expect(Self.find("Dagger") == 0x2021)
    #expect(Self.find("dagger") == 0x2020)
  }
}
