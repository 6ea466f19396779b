/// The maximum sizes of an offer's fields, so that no document can make a list, a page or a write
/// to the database arbitrarily large.
///
/// All sizes are bytes of UTF-8, far above those of real feeds. The limits are applied by `fit`
/// where an offer is assembled and where an export is read.
package enum OfferLimits {
  /// An id. A record with a longer one is skipped, because a truncated id would be another offer's.
  package static let idBytes = 1 << 10
  /// The name of an offer, a retailer or a feed, and the printed reward.
  package static let nameBytes = 4 << 10
  /// A description, and the terms.
  package static let textBytes = 256 << 10
  /// The address of an image or a page. A longer one is omitted, because a truncated one would lead
  /// elsewhere.
  package static let linkBytes = 8 << 10
  /// The number of categories; further ones are dropped.
  package static let categoryCount = 256
  /// A category.
  package static let categoryBytes = 1 << 10
  /// The number of attributes of an offer, and of a feed's shared attributes; further ones are
  /// dropped.
  package static let attributeCount = 256
  /// An attribute: its label and its value together.
  package static let attributeBytes = 16 << 10

  /// The version of these limits. It must change with them, because then the same document gives
  /// other offers, and stored ones must be compared again.
  package static let rules = "limits 1"

  /// The mark at the end of a truncated text.
  package static let mark = "…"

  /// The largest size that is within the limits of all fields, except for ids and elements of
  /// lists. A text up to this size needs no further check.
  @inlinable
  package static var alwaysFittingBytes: Int { 4 << 10 }

  /// The maximum size of a field's text; for a list, of each element.
  package static func bytes(of field: OfferField) -> Int {
    switch field.kind {
    case .id: idBytes
    case .text: textBytes
    case .link: linkBytes
    case .list: field == .categories ? categoryBytes : attributeBytes
    case .line, .reward, .time, .degrees: nameBytes
    }
  }

  /// Whether a field may be truncated. A truncated address or number would be another one.
  package static func isCut(_ field: OfferField) -> Bool {
    switch field.kind {
    case .line, .text, .reward, .list: true
    case .id, .link, .time, .degrees: false
    }
  }

  /// A size as text for messages, such as `4 KiB`.
  package static func text(_ bytes: Int) -> String {
    bytes % 1024 == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }

  /// The number of bytes to keep of a UTF-8 text that is longer than `limit`, so that they fit into
  /// it together with `mark`. No character is split, except one longer than 64 bytes, which is
  /// split between Unicode scalars, and possibly a flag that follows many other flags.
  package static func keptBytes(of text: UnsafeRawBufferPointer, within limit: Int) -> Int {
    var end = max(0, min(limit, text.count) - mark.utf8.count)
    while end > 0, isContinuation(text[end]) { end -= 1 }
    // Only the bytes around the end are decoded, because the text may be very long.
    var start = max(0, end - neighbourBytes)
    while start > 0, isContinuation(text[start]) { start -= 1 }
    var stop = min(text.count, end + neighbourBytes)
    while stop < text.count, isContinuation(text[stop]) { stop -= 1 }
    let around = String(
      decoding: UnsafeRawBufferPointer(rebasing: text[start..<stop]), as: UTF8.self)
    var whole = 0
    for character in around {
      let next = whole + character.utf8.count
      if start + next > end { break }
      whole = next
    }
    return whole > 0 ? start + whole : end
  }

  private static let neighbourBytes = 64

  @inline(__always)
  private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// A text truncated to a limit, with the mark; nil if it fits.
  package static func fit(_ text: String, within limit: Int) -> String? {
    if text.utf8.count <= limit { return nil }
    if limit < mark.utf8.count { return "" }
    var text = text
    return text.withUTF8 { bytes in
      let bytes = UnsafeRawBufferPointer(bytes)
      let kept = UnsafeRawBufferPointer(rebasing: bytes[..<keptBytes(of: bytes, within: limit)])
      return String(decoding: kept, as: UTF8.self) + mark
    }
  }

  /// The first `attributeCount` attributes, with long values truncated, and without those whose
  /// label leaves no room for a value. Nil if all attributes fit.
  package static func fit(_ attributes: [OfferAttribute]) -> [OfferAttribute]? {
    func isLong(_ attribute: OfferAttribute) -> Bool {
      attribute.label.utf8.count + attribute.value.utf8.count > attributeBytes
    }
    guard attributes.count > attributeCount || attributes.contains(where: isLong) else {
      return nil
    }
    return attributes.prefix(attributeCount).compactMap { attribute in
      if !isLong(attribute) { return attribute }
      let room = attributeBytes - attribute.label.utf8.count
      guard room > mark.utf8.count, let value = fit(attribute.value, within: room) else {
        return nil
      }
      return OfferAttribute(label: attribute.label, value: value)
    }
  }
}
