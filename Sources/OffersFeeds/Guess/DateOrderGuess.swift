import OffersCore

/// The order of the day and the month in the dates of a document.
enum DateOrderGuess {
  /// The order of all dates such as `12/31/2026` in a text in which a number above 12 tells it, if they agree; else
  /// that of the language that the document declares. Nil if it is not known.
  static func order(of text: [UInt8]) -> DateOrder? {
    var orders: Set<DateOrder> = []
    var index = 0
    while index < text.count {
      guard CharacterScan.isDigit(text[index]),
        index == 0 || !CharacterScan.isDigit(text[index - 1]) && text[index - 1] != 0x2F,
        let date = NumericDate(text[...], at: index), date.separator == 0x2F
      else {
        index += 1
        continue
      }
      if let order = date.order { orders.insert(order) }
      index = date.end
    }
    return orders.isEmpty ? language(of: text) : orders.count == 1 ? orders.first : nil
  }

  /// The order in the language of `<language>en-us</language>` or `"language": "de"`; nil if none is declared.
  static func language(of text: [UInt8]) -> DateOrder? {
    let start = String(decoding: text.prefix(64 << 10), as: UTF8.self).lowercased()
    guard let place = start.firstRange(of: "language") ?? start.firstRange(of: "xml:lang") else {
      return nil
    }
    let code = start[place.upperBound...].prefix(16).drop { !$0.isLetter }
      .prefix { $0.isLetter || $0 == "-" || $0 == "_" }
    let parts = code.split { $0 == "-" || $0 == "_" }
    guard let language = parts.first, parts.count <= 2 else { return nil }
    if language == "en" {
      guard let region = parts.dropFirst().first else { return nil }
      return region == "us" ? .mdy : ["gb", "au", "nz", "ie", "in"].contains(region) ? .dmy : nil
    }
    return ["de", "fr", "es", "it", "nl", "pt", "pl"].contains(language) ? .dmy : nil
  }

  /// The dates of one member of the items.
  struct Column {
    /// Whether most values are dates of three numbers.
    let isDates: Bool
    /// The order that the dates prove; nil if they prove none or both.
    let order: DateOrder?

    init(_ values: [String]) {
      let dates = values.compactMap { NumericDate(Array($0.trimmed().utf8)[...], at: 0) }
      let orders = Set(dates.compactMap(\.order))
      isDates = dates.count * 2 > values.count
      order = isDates && orders.count == 1 ? orders.first : nil
    }
  }
}

/// A date of three numbers of which the last is the year, such as `12/31/2026`, `31-12-2026` or `12/31/26`.
private struct NumericDate {
  /// The order if a number above 12 is the day; nil if each of both numbers may be the day.
  let order: DateOrder?
  let separator: UInt8
  /// The index behind the date.
  let end: Int

  init?(_ text: ArraySlice<UInt8>, at start: Int) {
    func number(_ start: Int, _ count: ClosedRange<Int>) -> (value: Int, end: Int)? {
      var (value, end) = (0, start)
      while end < text.endIndex, end - start <= count.upperBound, CharacterScan.isDigit(text[end]) {
        value = value * 10 + Int(text[end] - 0x30)
        end += 1
      }
      return count.contains(end - start) ? (value, end) : nil
    }
    guard let first = number(start, 1...2), first.end < text.endIndex,
      text[first.end] == 0x2F || text[first.end] == 0x2D,
      let second = number(first.end + 1, 1...2),
      second.end < text.endIndex, text[second.end] == text[first.end],
      let year = number(second.end + 1, 2...4), year.end - second.end != 4,
      // With hyphens and two digits, the first number may be the year.
      text[first.end] == 0x2F || year.end - second.end == 5
    else { return nil }
    let numbers = [first.value, second.value]
    guard let low = numbers.min(), let high = numbers.max(), (1...12).contains(low), high <= 31
    else { return nil }
    order = high <= 12 ? nil : first.value == high ? .dmy : .mdy
    separator = text[first.end]
    end = year.end
  }
}
