/// The effect of an HTML element on the text that HTML is converted to. The raw values are the
/// letters in `table`.
enum HTMLElement: UInt8 {
  /// A block with blank lines around it, such as `p`.
  case paragraph = 0x50
  /// A block on lines of its own, such as `div`.
  case block = 0x44
  /// `ul` and `ol`.
  case list = 0x4C
  /// `li`.
  case listItem = 0x49
  /// `td` and `th`.
  case cell = 0x43
  /// `br`.
  case lineBreak = 0x42
  /// `script` and `style`, whose contents are not text.
  case code = 0x58
  /// `title`, which is not part of the page's text.
  case title = 0x54

  /// Returns the effect of the element with this name, whose case is ignored; nil for none.
  static func find(_ name: UnsafeRawBufferPointer) -> HTMLElement? {
    table.findValue(name, anyCase: true).flatMap { HTMLElement(rawValue: $0[0]) }
  }

  private static var table: StaticLookupTable {
    StaticLookupTable(
      """
      address   D article   D aside     D blockquoteP body      D br        B caption   D
      center    D dd        D details   D div       D dl        D dt        D fieldset  D
      figcaptionD figure    D footer    D form      D h1        P h2        P h3        P
      h4        P h5        P h6        P header    D hr        D li        I main      D
      nav       D ol        L p         P pre       P script    X section   D style     X
      summary   D table     P tbody     D td        C tfoot     D th        C thead     D
      title     T tr        D ul        L\u{20}
      """, nameWidth: 10, valueWidth: 1)
  }
}
