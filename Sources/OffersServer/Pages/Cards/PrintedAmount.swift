import OffersCore

/// A printed reward or price in three parts, so that pages can show its amount larger than the words
/// around it: `Up to $12.00 Cash Back` is `Up to`, `$12.00` and `Cash Back`.
struct PrintedAmount: Equatable {
  /// The words before the amount; nil for none.
  let lead: String?
  let amount: String
  /// The words behind the amount; nil for none.
  let rest: String?
  /// Whether the text names no exact amount, so that `amount` is the whole text.
  let isWords: Bool

  /// - Parameters:
  ///   - text: the text as it is shown.
  ///   - hasValue: whether the text has an exact value. In a text without one, a number may mean
  ///     anything: `Buy 2, get 1 free`.
  init(_ text: String, hasValue: Bool) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    guard hasValue, var first = words.firstIndex(where: { $0.contains(where: \.isNumber) }) else {
      self.init(lead: nil, amount: text, rest: nil, isWords: true)
      return
    }
    var end = first + 1
    while end < words.count, words[end].contains(where: \.isNumber) || Self.isUnit(words[end]) {
      end += 1
    }
    if first > 0, Self.isUnit(words[first - 1]) { first -= 1 }
    func joined(_ range: Range<Int>) -> String? {
      range.isEmpty ? nil : words[range].joined(separator: " ")
    }
    self.init(
      lead: joined(0..<first), amount: joined(first..<end) ?? text,
      rest: joined(end..<words.count), isWords: false)
  }

  private init(lead: String?, amount: String, rest: String?, isWords: Bool) {
    self.lead = lead
    self.amount = amount
    self.rest = rest
    self.isWords = isWords
  }

  /// Whether a word belongs to the number beside it: a sign of a currency, a percent sign, a code such
  /// as `EUR`, or the dash of a range.
  private static func isUnit(_ word: String) -> Bool {
    if ["%", "kr", "kr.", "zł", "Kč", "円", "元", "–", "-"].contains(word) { return true }
    if word.count == 3, word.allSatisfy({ $0.isASCII && $0.isUppercase }) { return true }
    return word.count <= 3
      && word.unicodeScalars.contains { $0.properties.generalCategory == .currencySymbol }
  }
}

extension PageFields {
  /// Sets the parts of a printed reward or price; nil sets nothing.
  mutating func set(amountOf text: String?, hasValue: Bool) {
    guard let text else { return }
    let parts = PrintedAmount(text, hasValue: hasValue)
    set("amountLead", parts.lead)
    set("amount", parts.amount)
    set("amountRest", parts.rest)
    set("isWords", parts.isWords)
  }
}
