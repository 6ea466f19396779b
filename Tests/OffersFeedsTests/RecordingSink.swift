import OffersCore
import OffersFeeds
import Testing

/// Records the events of a reader in order.
final class RecordingSink: OfferSink {
  enum Event: Equatable {
    case offer(position: Int, texts: [OfferField: String])
    case skipped(position: Int, id: String?, reason: String)
    case mended(position: Int, reason: String)
  }

  private(set) var events: [Event] = []

  func accept(_ offer: OfferRecord, position: Int) {
    var copies: [OfferField: String] = [:]
    for field in OfferField.allCases {
      if let text = offer[field] { copies[field] = Self.checked(text) }
    }
    events.append(.offer(position: position, texts: copies))
  }

  func skip(id: String?, position: Int, reason: String) {
    events.append(.skipped(position: position, id: id.map(Self.checked), reason: reason))
  }

  func mend(position: Int, reason: String) {
    events.append(.mended(position: position, reason: reason))
  }

  /// Returns a text, which must not have a NUL.
  private static func checked(_ text: String) -> String {
    if text.utf8.contains(0) { Issue.record("a text holds a NUL: \(text)") }
    return text
  }
}
