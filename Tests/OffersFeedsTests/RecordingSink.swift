import OffersCore
import OffersFeeds
import Testing

/// Records the events of a reader in order, with copies of the texts.
final class RecordingSink: OfferSink {
  enum Event: Equatable {
    case offer(position: Int, texts: [OfferField: String])
    case skipped(position: Int, id: String?, reason: String)
    case mended(position: Int, reason: String)
  }

  private(set) var events: [Event] = []

  func accept(_ texts: OfferTexts, position: Int) {
    var copies: [OfferField: String] = [:]
    for field in OfferField.allCases {
      if let text = texts[field] { copies[field] = Self.copy(text) }
    }
    events.append(.offer(position: position, texts: copies))
  }

  func skip(id: UnsafeRawBufferPointer?, position: Int, reason: String) {
    events.append(.skipped(position: position, id: id.map(Self.copy), reason: reason))
  }

  func mend(position: Int, reason: String) {
    events.append(.mended(position: position, reason: reason))
  }

  /// Returns a copy of a text, which must be valid UTF-8 without a NUL.
  private static func copy(_ bytes: UnsafeRawBufferPointer) -> String {
    let text = String(decoding: bytes, as: UTF8.self)
    if !text.utf8.elementsEqual(bytes) { Issue.record("a text is not valid UTF-8: \(text)") }
    if bytes.contains(0) { Issue.record("a text holds a NUL: \(text)") }
    return text
  }
}
