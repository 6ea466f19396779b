/// How much of what a feed says is kept of one offer, so that no document makes a list, a page or a
/// write to the database as large as it likes.
///
/// All sizes are bytes of UTF-8. They are far above what people read and what honest feeds print.
/// They are applied where an offer is assembled and where an export is read, each time by `fit`.
public enum OfferLimits {
  /// An id. A record with a longer one is no offer: a cut id would be that of another one.
  public static let idBytes = 1 << 10
  /// Names: those of an offer, a retailer and a feed; and a reward as it is printed.
  public static let nameBytes = 4 << 10
  /// The description and the terms.
  public static let textBytes = 256 << 10
  /// An address: of a picture, of a page. A longer one is left out: cut, it would lead elsewhere.
  public static let linkBytes = 8 << 10
  /// The first so many categories are kept.
  public static let categoryCount = 256
  /// A category.
  public static let categoryBytes = 1 << 10
  /// The first so many attributes are kept, of an offer and of those that a feed's offers share.
  public static let attributeCount = 256
  /// An attribute: its label and its value together.
  public static let attributeBytes = 16 << 10

  /// Names these limits. To be changed with them, so that stored offers are read again.
  package static let rules = "limits 1"

  /// What stands at the end of a text that was cut.
  package static let mark = "…"

  /// A field's text of so many bytes is within its limit; an id and the elements of lists aside.
  @inlinable
  package static var alwaysFittingBytes: Int { 4 << 10 }

  /// How long a field's text may be; for a list, each of its elements.
  package static func bytes(of field: OfferField) -> Int {
    switch field {
    case .id: idBytes
    case .description, .terms: textBytes
    case .imageURL, .url: linkBytes
    case .categories: categoryBytes
    case .attributes: attributeBytes
    case .name, .reward, .retailer, .startsAt, .expiresAt, .latitude, .longitude:
      nameBytes
    }
  }

  /// Whether a part of the field's text is worth keeping without the rest. That of an address or of a
  /// number would be another one.
  package static func isCut(_ field: OfferField) -> Bool {
    switch field {
    case .name, .description, .terms, .reward, .retailer, .categories, .attributes: true
    case .id, .imageURL, .url, .startsAt, .expiresAt, .latitude, .longitude: false
    }
  }

  /// A limit for people.
  package static func text(_ bytes: Int) -> String {
    bytes % 1024 == 0 ? "\(bytes >> 10) KiB" : "\(bytes) bytes"
  }

  /// How many bytes of a text are kept in front of the mark, so that both have room in `limit`.
  /// Characters stay whole; one that is longer than 64 bytes is cut between Unicode scalars, and so
  /// may a flag be that follows many others.
  ///
  /// - Parameter text: UTF-8 that is longer than `limit`.
  package static func keptBytes(of text: UnsafeRawBufferPointer, within limit: Int) -> Int {
    var end = max(0, min(limit, text.count) - mark.utf8.count)
    while end > 0, isContinuation(text[end]) { end -= 1 }
    // Only what stands around the end is looked at: the text may be very long.
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

  /// A text within a limit: the first of it, with a mark that more follows; nil when it is not longer.
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

  /// Attributes within their limits; nil when they are.
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
