import OffersCore

/// Truncates or omits texts that exceed the limits of an offer; see `OfferLimits`.
extension OfferAssembler {
  /// A field's text within the field's limit. A longer text is truncated or omitted, with a note.
  @inline(__always)
  func fit(_ text: UnsafeRawBufferPointer?, _ field: OfferField) -> UnsafeRawBufferPointer? {
    guard let text, text.count > OfferLimits.alwaysFittingBytes else { return text }
    return fit(long: text, field)
  }

  private func fit(
    long text: UnsafeRawBufferPointer, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    let limit = OfferLimits.bytes(of: field)
    if text.count <= limit { return text }
    guard OfferLimits.isCut(field) else {
      noteLong(field)
      return nil
    }
    add("\(field.name) is longer than \(OfferLimits.text(limit)), cut")
    return cut(text, within: limit)
  }

  /// An attribute's text within the limit of an attribute, which includes the label. A longer text
  /// is truncated, with a note; nil if the label leaves no room.
  func fit(
    _ text: UnsafeRawBufferPointer, ofAttribute name: String
  ) -> UnsafeRawBufferPointer? {
    let limit = OfferLimits.attributeBytes - name.utf8.count
    if text.count <= limit { return text }
    let isCut = limit > OfferLimits.mark.utf8.count
    let size = OfferLimits.text(OfferLimits.attributeBytes)
    add("\(name.prefix(60)) is longer than \(size), \(isCut ? "cut" : "left out")")
    return isCut ? cut(text, within: limit) : nil
  }

  /// Adds a note about a text that is omitted because it is too long, and would have another
  /// meaning if it were truncated, such as an address or a number.
  func noteLong(_ field: OfferField) {
    let size = OfferLimits.text(OfferLimits.bytes(of: field))
    note(field, "is longer than \(size)", isKept: false)
  }

  /// A text truncated to a limit, with a mark at its end.
  func cut(_ text: UnsafeRawBufferPointer, within limit: Int) -> UnsafeRawBufferPointer {
    let kept = text.slice(0, OfferLimits.keptBytes(of: text, within: limit))
    return record.arena.copy(Array(kept) + Array(OfferLimits.mark.utf8))
  }

  func noteFullRecord() {
    add("the record has more than \(RecordTree.valueLimit) values, the rest left out")
  }
}
