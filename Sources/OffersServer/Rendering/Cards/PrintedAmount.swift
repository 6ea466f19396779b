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
  ///   - value: its exact value; nil for none. In a text without one, a number may mean anything:
  ///     `Buy 2, get 1 free`.
  init(_ text: String, value: Reward.Value?) {
    let words = text.split(whereSeparator: \.isWhitespace).map(String.init)
    var currency: String?
    if case .amount(_, let code) = value { currency = code }
    func isUnit(_ word: String) -> Bool { word == currency || Self.isUnit(word) }
    guard value != nil, var first = words.firstIndex(where: { $0.contains(where: \.isNumber) })
    else {
      self.init(lead: nil, amount: text, rest: nil, isWords: true)
      return
    }
    var end = first + 1
    while end < words.count, words[end].contains(where: \.isNumber) || isUnit(words[end]) {
      end += 1
    }
    if first > 0, isUnit(words[first - 1]) { first -= 1 }
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

  /// Whether a word belongs to the number beside it, as the code of its currency does: a sign of a
  /// currency, a percent sign, or the dash of a range.
  private static func isUnit(_ word: String) -> Bool {
    if ["%", "kr", "kr.", "zł", "Kč", "円", "元", "–", "-"].contains(word) { return true }
    return word.count <= 3
      && word.unicodeScalars.contains { $0.properties.generalCategory == .currencySymbol }
  }
}

extension PageFields {
  /// Sets the parts of a printed reward or price; nil sets nothing.
  mutating func set(amountOf text: String?, value: Reward.Value?) {
    guard let text else { return }
    let parts = PrintedAmount(text, value: value)
    set("amountLead", parts.lead)
    set("amount", parts.amount)
    set("amountRest", parts.rest)
    set("isWords", parts.isWords)
  }
}
