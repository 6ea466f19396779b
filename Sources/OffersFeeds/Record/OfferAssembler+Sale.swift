import OffersCore

/// Prices that count only on some days.
extension OfferAssembler {
  /// Whether the present is within the dates of a sale. A date that is missing or not recognized is
  /// no bound.
  func isNow(_ sale: CompiledRules.Sale) -> Bool {
    let first: UnsafeRawBufferPointer?
    let last: UnsafeRawBufferPointer?
    switch sale {
    case .range(let source):
      guard let range = saleText(source) else { return true }
      let slash = range.firstIndex(of: 0x2F) ?? range.count
      first = range.slice(0, slash)
      last = range.tail(from: min(slash + 1, range.count))
    case .bounds(let from, let until):
      first = from.flatMap(saleText)
      last = until.flatMap(saleText)
    }
    let start = saleDate(first).map(zone.start) ?? .min
    let end = saleDate(last).map(zone.end) ?? .max
    if start > now || end >= now && end != .max { texts.isTimed = true }
    return start <= now && now <= end
  }

  private func saleText(_ source: CompiledRules.Source) -> UnsafeRawBufferPointer? {
    guard case .text(let text, _) = values.value(source, join: []), !text.isBlank else {
      return nil
    }
    return text
  }

  private func saleDate(_ text: UnsafeRawBufferPointer?) -> ParsedDate? {
    guard let text, !text.isBlank else { return nil }
    if let date = DateParser.parse(text, order: dateOrder) { return date }
    add(
      "a date of the sale is not recognized: “\(String(decoding: text.prefix(40), as: UTF8.self))”")
    return nil
  }
}
