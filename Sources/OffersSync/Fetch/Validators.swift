import Foundation

/// The validators of a document: entity tag and modification date (RFC 9110, section 8.8).
///
/// Values that could hide a change if they were sent back are dropped. The others are kept
/// verbatim, because servers compare them as texts.
struct Validators: Hashable, Sendable {
  /// The entity tag as the server wrote it, with its quotes if it has any; nil if there is none.
  let etag: String?
  /// The date of the last modification, as the server wrote it; nil if there is none.
  let lastModified: String?

  /// The most bytes of an entity tag that is kept.
  static let etagLimitBytes = 1024
  /// The start of 1991, before the web, in Unix seconds: an earlier date comes from a clock that
  /// was never set, and is dropped.
  private static let earliestSeconds = 662_688_000.0

  /// - Parameters:
  ///   - etag: the value of the header `ETag`.
  ///   - lastModified: the value of the header `Last-Modified`. A date more than a day after `now`
  ///     comes from a wrong clock and is dropped; it would hide changes until then.
  ///   - sentAt: the `Date` of the response. A modification less than a second before it is a weak
  ///     validator and is dropped, because another one may follow within the same second (RFC 9110,
  ///     section 8.8.2.2). Nil for a response without `Date`, and for stored validators.
  init(etag: String?, lastModified: String?, sentAt: Date? = nil, now: Date) {
    self.etag = etag.flatMap { Self.isUsable(etag: $0) ? $0 : nil }
    self.lastModified = lastModified.flatMap {
      Self.isUsable(lastModified: $0, sentAt, now: now) ? $0 : nil
    }
  }

  /// No validators.
  static let none = Validators(etag: nil, lastModified: nil, now: .distantPast)

  /// Whether there is neither an entity tag nor a date.
  var isEmpty: Bool { etag == nil && lastModified == nil }

  /// The headers of a conditional request. If both are sent, servers that support entity tags
  /// ignore the date.
  var conditions: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    if let etag { result.append(("If-None-Match", etag)) }
    if let lastModified { result.append(("If-Modified-Since", lastModified)) }
    return result
  }

  private static func isUsable(etag: String) -> Bool {
    guard (1...etagLimitBytes).contains(etag.utf8.count) else { return false }
    let quote = UInt8(ascii: "\"")
    var tag = etag.utf8[...]
    if etag.hasPrefix("W/") || etag.hasPrefix("w/") { tag = tag.dropFirst(2) }
    let isQuoted = tag.count >= 2 && tag.first == quote && tag.last == quote
    if isQuoted { tag = tag.dropFirst().dropLast() }
    // `If-None-Match: *` matches any version, and so would hide every change.
    if tag.isEmpty || (!isQuoted && tag.elementsEqual("*".utf8)) { return false }
    return tag.allSatisfy { byte in
      switch byte {
      // A quote inside a tag, or a comma in one without quotes, would make it a list, any member of
      // which may match.
      case quote: false
      case UInt8(ascii: " "), UInt8(ascii: ","): isQuoted
      case 0x21...0x7E, 0x80...0xFF: true
      default: false
      }
    }
  }

  private static func isUsable(lastModified: String, _ sentAt: Date?, now: Date) -> Bool {
    guard let date = HTTPDate.parse(lastModified) else { return false }
    if let sentAt, sentAt.timeIntervalSince(date) < 1 { return false }
    return date.timeIntervalSince1970 >= earliestSeconds && date.timeIntervalSince(now) <= 86_400
  }
}
