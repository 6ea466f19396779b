import Foundation
import OffersCore

/// A position in a list, from which its next page continues (keyset pagination). Its text is opaque
/// to clients, and valid only for the list that it was made for.
enum Cursor: Hashable {
  /// The position after an offer.
  case offer(OfferPosition)
  /// The position in the list of changes after the recorded change `id`. Expiring offers are listed
  /// from `since` on, in Unix seconds. If a page ended among expiring offers, `since` is the time
  /// of its last one and `expiringKey` the key of that offer. In an offer's reward history: the
  /// position before the change `id`.
  case change(id: Int64, since: Int64, expiringKey: Int64? = nil)

  static let refusal = Problem(
    .badRequest, "The parameter “cursor” does not belong to this list.",
    hint: "Send next_cursor with all other parameters unchanged, or begin without a cursor.")

  /// The maximum length of a sort key in a cursor, in UTF-8 bytes, because a cursor is part of a
  /// URL. If a key is longer, the cursor contains only the offer's reference.
  private static let textLimit = 500

  /// The position after an offer of a query's list.
  init(behind offer: Offer, in query: OfferQuery) {
    let position = OfferPosition(of: offer, in: query)
    let isLong = position.values.contains { value in
      if case .text(let text) = value { text.utf8.count > Self.textLimit } else { false }
    }
    self = .offer(isLong ? OfferPosition(offer.ref) : position)
  }

  /// The text of the cursor: base64url without padding.
  ///
  /// - Parameter list: the fingerprint of the list and its filters.
  func text(of list: UInt64) -> String {
    let parts =
      switch self {
      case .offer(let position):
        ["o", position.ref.feed, position.ref.offerID] + position.values.map(Self.text)
      case .change(let id, let since, let key):
        ["c", String(id), String(since)] + (key.map { [String($0)] } ?? [])
      }
    // Encoding strings cannot fail.
    let data = try? JSONEncoder().encode([String(list, radix: 16)] + parts)
    return Base64URL.text(of: data ?? Data())
  }

  /// Parses the text of a cursor.
  ///
  /// - Parameters:
  ///   - text: the cursor as a client sent it back.
  ///   - list: the fingerprint of the list that is asked for.
  /// - Throws: `Problem` with status 400 for a text that is no cursor, or one of another list.
  init(_ text: String, of list: UInt64) throws {
    guard let data = Base64URL.data(of: text),
      let parts = try? JSONDecoder().decode([String].self, from: data),
      parts.first == String(list, radix: 16), let position = Self.position(parts.dropFirst())
    else { throw Self.refusal }
    self = position
    // Only the canonical encoding of a cursor is accepted.
    if self.text(of: list) != text { throw Self.refusal }
  }

  private static func position(_ parts: ArraySlice<String>) -> Cursor? {
    // SQLite may end a text at its first NUL.
    guard parts.count >= 3, !parts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    let (first, second) = (parts[parts.startIndex + 1], parts[parts.startIndex + 2])
    let rest = parts.dropFirst(3)
    switch parts.first {
    case "o":
      let values = rest.compactMap(value)
      if values.count < rest.count { return nil }
      return .offer(OfferPosition(OfferRef(feed: first, offerID: second), values: values))
    case "c":
      // A time beyond this bound is millions of years away: this server did not write the cursor.
      guard rest.count <= 1, let id = Int64(first), let seconds = Int64(second), id >= 0,
        abs(Double(seconds)) <= 1e15
      else { return nil }
      let key = rest.first.flatMap { Int64($0) }
      if (key == nil) != rest.isEmpty { return nil }
      return .change(id: id, since: seconds, expiringKey: key)
    default: return nil
    }
  }

  private static func text(_ value: OfferPosition.Value) -> String {
    switch value {
    case .none: "-"
    case .number(let number): "n\(number)"
    case .text(let text): "t\(text)"
    }
  }

  private static func value(_ text: String) -> OfferPosition.Value? {
    let rest = String(Substring(text.utf8.dropFirst()))
    switch text.utf8.first {
    case UInt8(ascii: "-"): return OfferPosition.Value.none
    case UInt8(ascii: "n"): return Int64(rest).map(OfferPosition.Value.number)
    case UInt8(ascii: "t"): return .text(rest)
    default: return nil
    }
  }
}
