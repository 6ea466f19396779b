import OffersCore

/// Truncates or omits texts that exceed the limits of an offer; see `OfferLimits`.
extension OfferAssembler {
  /// Returns a field's text, truncated if it exceeds the field's limit, with a note. Returns nil,
  /// also with a note, for a longer text of a field that may not be truncated, such as a link.
  func fit(_ text: String?, _ field: OfferField) -> String? {
    let limit = OfferLimits.bytes(of: field)
    guard let text, text.utf8.count > limit else { return text }
    guard OfferLimits.isCut(field) else {
      noteLong(field)
      return nil
    }
    add("\(field.name) is longer than \(OfferLimits.text(limit)), cut")
    return OfferLimits.fit(text, within: limit)
  }

  /// Returns an attribute's text, truncated if it exceeds the limit of an attribute together with
  /// the label `name`, with a note. Returns nil, also with a note, if the label leaves no room.
  func fit(_ text: String, ofAttribute name: String) -> String? {
    let limit = OfferLimits.attributeBytes - name.utf8.count
    if text.utf8.count <= limit { return text }
    let isCut = limit > OfferLimits.mark.utf8.count
    let size = OfferLimits.text(OfferLimits.attributeBytes)
    add("\(name.prefix(60)) is longer than \(size), \(isCut ? "cut" : "left out")")
    return isCut ? OfferLimits.fit(text, within: limit) : nil
  }

  /// Adds a note that a field is left out because its text is too long, and would have another
  /// meaning if it were truncated, as an address or a number would.
  func noteLong(_ field: OfferField) {
    let size = OfferLimits.text(OfferLimits.bytes(of: field))
    note(field, "is longer than \(size)", isKept: false)
  }
}
