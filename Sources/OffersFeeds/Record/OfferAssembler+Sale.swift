import OffersCore

/// Prices that count only on some days.
extension OfferAssembler {
  /// Whether the present is within the dates of a sale. A date that is missing or not recognized is
  /// no bound.
  func isNow(_ sale: SaleDatesRule) -> Bool {
    let first: String?
    let last: String?
    switch sale {
    case .range(let path):
      guard let range = saleText(path) else { return true }
      let slash = range.utf8.firstIndex(of: UInt8(ascii: "/"))
      first = String(range[..<(slash ?? range.endIndex)])
      last = slash.map { String(range[range.utf8.index(after: $0)...]) }
    case .bounds(let from, let until):
      first = from.flatMap(saleText)
      last = until.flatMap(saleText)
    }
    let start = saleDate(first).map(zone.start) ?? .min
    let end = saleDate(last).map(zone.end) ?? .max
    if start > now || end >= now && end != .max { offer.isTimed = true }
    return start <= now && now <= end
  }

  private func saleText(_ path: FieldPath) -> String? {
    guard case .text(let text) = values.value(path, join: ""), !text.string.isBlank else {
      return nil
    }
    return text.string
  }

  private func saleDate(_ text: String?) -> ParsedDate? {
    guard let text, !text.isBlank else { return nil }
    if let date = date(text) { return date }
    add("a date of the sale is not recognized: “\(Self.shown(text))”")
    return nil
  }
}
