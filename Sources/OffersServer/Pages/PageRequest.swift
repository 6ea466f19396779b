import Foundation
import Hummingbird
import OffersCore

/// What a page or a form was asked for.
struct PageRequest: Sendable {
  /// The path without the query, as it was sent.
  let path: String
  /// What stands behind the question mark, or in a form.
  let fields: SentFields
  /// The path and the query: where to come back to.
  let address: String
  /// The variable part of the path, decoded; empty where the path has none.
  let name: String

  /// - Parameter parameter: which part of the path is variable.
  init<Context: RequestContext>(
    _ request: Request, _ context: Context, parameter: String? = nil
  ) throws {
    path = request.uri.path
    fields = SentFields(parsing: request.uri.query ?? "")
    address = request.uri.string.hasPrefix("/") ? request.uri.string : request.uri.path
    name =
      try parameter.map { SentFields.decode(try context.parameters.require($0), plus: false) } ?? ""
  }

  /// The variable part of the path as an offer's name.
  ///
  /// - Throws: `OffersError` with `notFound` where it is none.
  func offerRef() throws -> OfferRef {
    guard let colon = name.firstIndex(of: ":"), colon != name.startIndex else {
      throw OffersError(
        .notFound, "There is no offer “\(name.prefix(80))”.",
        hint: "An offer is named by its feed and its id, as in ibotta:110579.")
    }
    let id = String(name[name.index(after: colon)...])
    return OfferRef(feed: String(name[..<colon]), id: id)
  }
}

/// The fields of a form (application/x-www-form-urlencoded), as an address or a body has them.
///
/// No text is an error: what is no UTF-8 is mended, and a percent sign that says nothing is itself.
struct SentFields: Sendable {
  private var values: [String: String] = [:]

  /// The first of several values counts.
  init(parsing text: String) {
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = Self.decode(String(parts[0]))
      if values[name] == nil { values[name] = parts.count > 1 ? Self.decode(String(parts[1])) : "" }
    }
  }

  /// A value without the white space around it; nil for one that is empty.
  subscript(name: String) -> String? {
    guard let value = values[name]?.trimmingCharacters(in: .whitespacesAndNewlines),
      !value.isEmpty
    else { return nil }
    return value
  }

  /// Whether a box is ticked.
  func isSet(_ name: String) -> Bool { ["1", "true", "on"].contains(self[name]) }

  /// A number of at least 1; 1 for anything else.
  func page() -> Int {
    // Beyond this no list goes, and no product overflows.
    self["page"].flatMap { Int($0) }.map { min(max(1, $0), 1_000_000) } ?? 1
  }

  /// - Parameter plus: whether a plus sign is a space.
  static func decode(_ text: String, plus: Bool = true) -> String {
    let bytes = Array(text.utf8)
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      let byte = bytes[place]
      if byte == UInt8(ascii: "%"), place + 2 < bytes.count, let high = hex(bytes[place + 1]),
        let low = hex(bytes[place + 2])
      {
        result.append(high << 4 | low)
        place += 3
        continue
      }
      result.append(plus && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      place += 1
    }
    return String(decoding: result, as: UTF8.self)
  }

  private static func hex(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
