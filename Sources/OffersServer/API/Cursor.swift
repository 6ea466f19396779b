import Foundation
import OffersCore

/// Where the next page of a list begins. Opaque to whoever gets it, and good for the same list only.
enum Cursor: Hashable {
  /// Behind the place of an offer.
  case offer(OfferPlace)
  /// Behind this recorded change; what expires counts from this time on, in Unix seconds.
  case change(id: Int64, since: Int64)

  static let refusal = Problem(
    .badRequest, "The parameter “cursor” is not one of this list.",
    hint: "Take it from next_cursor, and leave all else as it was; or begin without one.")

  /// Longer names do not stand in a cursor: it is part of an address.
  private static let textLimit = 500

  /// Behind an offer of a list.
  init(behind offer: Offer, by sort: OfferQuery.Sort) {
    let place = OfferPlace(of: offer, by: sort)
    let isLong = place.values.contains { value in
      if case .text(let text) = value { text.utf8.count > Self.textLimit } else { false }
    }
    self = .offer(isLong ? OfferPlace(offer.ref) : place)
  }

  /// - Parameter list: stands for the list and what narrows it.
  func text(of list: UInt64) -> String {
    let parts =
      switch self {
      case .offer(let place):
        ["o", place.ref.feed, place.ref.id] + place.values.map(Self.text)
      case .change(let id, let since): ["c", String(id), String(since)]
      }
    // Nothing in texts fails to be encoded.
    let data = try? JSONEncoder().encode([String(list, radix: 16)] + parts)
    return (data ?? Data()).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// - Throws: `Problem` for what is none, or belongs to another list.
  init(_ text: String, of list: UInt64) throws {
    var coded = text.replacing("-", with: "+").replacing("_", with: "/")
    coded += String(repeating: "=", count: (4 - coded.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: coded),
      let parts = try? JSONDecoder().decode([String].self, from: data),
      parts.first == String(list, radix: 16), let place = Self.place(parts.dropFirst())
    else { throw Self.refusal }
    self = place
    // There is one way to write each.
    if self.text(of: list) != text { throw Self.refusal }
  }

  private static func place(_ parts: ArraySlice<String>) -> Cursor? {
    // SQLite ends a text at a NUL.
    guard parts.count >= 3, !parts.contains(where: { $0.utf8.contains(0) }) else { return nil }
    let (first, second) = (parts[parts.startIndex + 1], parts[parts.startIndex + 2])
    let rest = parts.dropFirst(3)
    switch parts.first {
    case "o":
      let values = rest.compactMap(value)
      if values.count < rest.count { return nil }
      return .offer(OfferPlace(OfferRef(feed: first, id: second), values: values))
    case "c":
      // Times beyond are none of ours: they are millions of years away.
      guard rest.isEmpty, let id = Int64(first), let seconds = Int64(second), id >= 0,
        abs(Double(seconds)) <= 1e15
      else { return nil }
      return .change(id: id, since: seconds)
    default: return nil
    }
  }

  private static func text(_ value: OfferPlace.Value) -> String {
    switch value {
    case .none: "-"
    case .number(let number): "n\(number)"
    case .text(let text): "t\(text)"
    }
  }

  private static func value(_ text: String) -> OfferPlace.Value? {
    let rest = String(Substring(text.utf8.dropFirst()))
    switch text.utf8.first {
    case UInt8(ascii: "-"): return OfferPlace.Value.none
    case UInt8(ascii: "n"): return Int64(rest).map(OfferPlace.Value.number)
    case UInt8(ascii: "t"): return .text(rest)
    default: return nil
    }
  }
}
