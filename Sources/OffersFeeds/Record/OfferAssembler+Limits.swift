import OffersCore

/// Truncates or omits texts that exceed the limits of an offer; see `OfferLimits`.
extension OfferAssembler {
  /// Returns a field's text, truncated if it exceeds the field's limit, with a note. Returns nil,
  /// also with a note, for a longer text of a field that may not be truncated, such as a link.
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

  /// Returns an attribute's text, truncated if it exceeds the limit of an attribute together with
  /// the label `name`, with a note. Returns nil, also with a note, if the label leaves no room.
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

  /// Adds a note that a field is left out because its text is too long, and would have another
  /// meaning if it were truncated, as an address or a number would.
  func noteLong(_ field: OfferField) {
    let size = OfferLimits.text(OfferLimits.bytes(of: field))
    note(field, "is longer than \(size)", isKept: false)
  }

  /// A text that exceeds a limit in bytes, truncated so that it fits together with the mark at its
  /// end.
  func cut(_ text: UnsafeRawBufferPointer, within limit: Int) -> UnsafeRawBufferPointer {
    let kept = text.slice(0, OfferLimits.keptBytes(of: text, within: limit))
    return record.arena.copy(Array(kept) + Array(OfferLimits.mark.utf8))
  }

  func noteFullRecord() {
    add("the record has more than \(RecordTree.valueLimit) values, the rest left out")
  }
}
