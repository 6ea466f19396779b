import Foundation
import OffersCore

/// Where the next page of a list begins. Opaque to whoever gets it, and good for the same list only.
enum Cursor: Hashable {
  /// Behind this offer, in the feeds' order.
  case offer(OfferRef)
  /// Behind so many.
  case offset(Int)
  /// Behind this recorded change; what expires counts from this time on, in Unix seconds.
  case change(id: Int64, since: Int64)

  /// - Parameter list: stands for the list and what narrows it.
  func text(of list: UInt64) -> String {
    let place =
      switch self {
      case .offer(let ref): "o\(ref)"
      case .offset(let count): "n\(count)"
      case .change(let id, let since): "c\(id),\(since)"
      }
    return Data("\(String(list, radix: 16)) \(place)".utf8).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  /// - Throws: `Problem` for what is none, or belongs to another list.
  init(_ text: String, of list: UInt64) throws {
    let refusal = Problem(
      .badRequest, "The parameter “cursor” is not one of this list.",
      hint: "Take it from next_cursor, and leave all else as it was; or begin without one.")
    var coded = text.replacing("-", with: "+").replacing("_", with: "/")
    coded += String(repeating: "=", count: (4 - coded.utf8.count % 4) % 4)
    guard let data = Data(base64Encoded: coded),
      let plain = String(validating: data, as: UTF8.self),
      let space = plain.firstIndex(of: " "), plain[..<space] == String(list, radix: 16)[...],
      !plain.utf8.contains(0), let place = Self.place(plain[plain.index(after: space)...])
    else { throw refusal }
    self = place
    // There is one way to write each.
    if self.text(of: list) != text { throw refusal }
  }

  private static func place(_ text: Substring) -> Cursor? {
    let bytes = text.utf8
    let rest = Substring(bytes.dropFirst())
    switch bytes.first {
    case UInt8(ascii: "o"):
      guard let colon = rest.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
      let id = Substring(rest.utf8[rest.utf8.index(after: colon)...])
      return .offer(OfferRef(feed: String(rest[..<colon]), id: String(id)))
    case UInt8(ascii: "n"):
      return Int(rest).flatMap { $0 >= 0 ? .offset($0) : nil }
    case UInt8(ascii: "c"):
      let numbers = rest.split(separator: ",").compactMap { Int64($0) }
      // Times beyond are none of ours: they are millions of years away.
      guard numbers.count == 2, numbers[0] >= 0, abs(Double(numbers[1])) <= 1e15 else { return nil }
      return .change(id: numbers[0], since: numbers[1])
    default: return nil
    }
  }
}
