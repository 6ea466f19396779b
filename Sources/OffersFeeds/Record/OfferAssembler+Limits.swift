import OffersCore

/// Truncates or omits texts that exceed the limits of an offer; see `OfferLimits`.
extension OfferAssembler {
  /// A field's text within its limit: as it is, cut or left out, with a note in the latter cases.
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

  /// An attribute's text, for which its label leaves less room; nil where it leaves none.
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

  /// Takes note of a text that is left out because a part of it would be another one.
  func noteLong(_ field: OfferField) {
    let size = OfferLimits.text(OfferLimits.bytes(of: field))
    note(field, "is longer than \(size)", isKept: false)
  }

  /// The first of a text that is longer than a limit, with a mark that more follows.
  func cut(_ text: UnsafeRawBufferPointer, within limit: Int) -> UnsafeRawBufferPointer {
    let kept = text.slice(0, OfferLimits.keptBytes(of: text, within: limit))
    return record.arena.copy(Array(kept) + Array(OfferLimits.mark.utf8))
  }

  func noteFullRecord() {
    add("the record has more than \(RecordTree.valueLimit) values, the rest left out")
  }
}
