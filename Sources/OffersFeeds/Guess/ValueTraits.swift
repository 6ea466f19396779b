import OffersCore

/// Guesses at the type of a text.
struct ValueTraits {
  let isNumber: Bool
  let isWhole: Bool
  /// A whole number, or one with zeros only after the point, as some programs print ids.
  let isIntegral: Bool
  let isAddress: Bool
  let isImage: Bool
  /// A date other than a bare number.
  let isDate: Bool
  /// A bare number that may be a Unix time.
  let isTimestamp: Bool
  let hasMarkup: Bool
  /// A price, a percentage, or a number.
  let isMoney: Bool
  /// An amount with the sign or code of a currency.
  let isPrinted: Bool
  /// Has at least one letter, as names do.
  let hasLetters: Bool
  /// Letters only, such as the placeholders `self` and `default` for a missing image.
  let isWord: Bool
  /// A long text without spaces, such as a hash or a token.
  let isOpaque: Bool

  init(_ value: SampleText) {
    let text = value.text
    let bytes = text.utf8
    let number = value.isNumber ? Double(text) : Self.number(text)
    isNumber = number != nil
    isWhole = isNumber && bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2D }
    let point = text.firstIndex(of: ".") ?? text.endIndex
    isIntegral =
      isWhole
      || isNumber && text[..<point].allSatisfy(\.isNumber)
        && text[point...].dropFirst().allSatisfy { $0 == "0" }
    let isWeb = Self.isWeb(text)
    let isPath = text.hasPrefix("/") && !text.contains(" ")
    isImage = (isWeb || isPath || !text.contains(" ")) && MediaKind(text.utf8) == .picture
    isAddress = isWeb || isPath
    let isDated = !isAddress && Self.isDate(text)
    let isBare = bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E }
    isDate = isDated && !isBare
    isTimestamp = isDated && isBare
    hasMarkup = Self.hasMarkup(text)
    hasLetters = text.contains { $0.isLetter }
    isMoney = isNumber || !isAddress && !isDate && Self.isMoney(text)
    isPrinted =
      isMoney && !isNumber && text.contains { $0.isLetter || $0.isCurrencySymbol }
      && Self.isAmount(text)
    isWord = !bytes.isEmpty && bytes.allSatisfy(CharacterScan.isLetter)
    isOpaque = !isAddress && bytes.count > 60 && !text.contains(" ")
  }

  /// Parses a printed number with a point or a comma as the decimal mark.
  private static func number(_ text: String) -> Double? {
    if let number = Double(text), number.isFinite { return number }
    let marks = text.filter { $0 == "," || $0 == "." }
    return marks.count == 1 ? Double(String(text.map { $0 == "," ? "." : $0 })) : nil
  }

  /// Whether a text is a web address, possibly with spaces in its path, as many feeds print them.
  private static func isWeb(_ text: String) -> Bool {
    if text.contains("\n") { return false }
    let start = text.prefix(8).lowercased()
    let host = text.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }
    if host.contains(" ") { return false }
    return start.hasPrefix("http://") || start.hasPrefix("https://") || start.hasPrefix("//")
  }

  private static func isDate(_ text: String) -> Bool {
    var text = text
    // 10.11.12 is as likely a version number.
    if text.utf8.count > 60 || text.utf8.count <= 8 && text.contains(".") { return false }
    return text.withUTF8 { DateParser.parse(UnsafeRawBufferPointer($0)) } != nil
  }

  /// Whether a text contains a tag or a character reference.
  private static func hasMarkup(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    let lastClose = bytes.lastIndex(of: 0x3E) ?? 0
    for (index, byte) in bytes.enumerated() {
      if byte == 0x3C, index < lastClose {
        let next = bytes[index + 1] | 0x20
        if next &- 0x61 < 26 || bytes[index + 1] == 0x2F { return true }
      }
      if byte == 0x26 {
        let name = bytes[(index + 1)...].prefix(10).prefix { $0 != 0x3B }
        let isName = name.allSatisfy { $0 | 0x20 &- 0x61 < 26 || $0 &- 0x30 < 10 || $0 == 0x23 }
        if name.count > 1, isName, index + 1 + name.count < bytes.count,
          bytes[index + 1 + name.count] == 0x3B
        {
          return true
        }
      }
    }
    return false
  }

  /// Whether a text is an amount of money by the rules for prices.
  private static func isAmount(_ text: String) -> Bool {
    var copy = text
    let reward = copy.withUTF8 {
      RewardParser(feedCurrency: nil).parse(UnsafeRawBufferPointer($0))
    }
    return reward.kind == OfferRecord.amount
  }

  private static func isMoney(_ text: String) -> Bool {
    if isAmount(text) { return text.utf8.count <= 60 }
    if text.utf8.count > 60 || !text.contains(where: \.isNumber) { return false }
    if text.contains(where: { "$€£¥₹%".contains($0) }) { return true }
    return text.split(whereSeparator: { !$0.isLetter }).contains { word in
      word.count == 3 && CurrencyCode(String(word)) != nil
    }
  }
}
