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
  /// False where a page of another site leads here.
  let isTrusted: Bool

  /// - Parameter parameter: which part of the path is variable.
  init<Context: RequestContext>(
    _ request: Request, _ context: Context, parameter: String? = nil
  ) throws {
    path = request.uri.path
    isTrusted = !WriteRules.isFromOtherSite(request)
    fields = SentFields(parsing: request.uri.query ?? "")
    address = request.uri.string.hasPrefix("/") ? request.uri.string : request.uri.path
    name = try parameter.map { try Self.decode(try context.parameters.require($0)) } ?? ""
  }

  private static func decode(_ segment: String) throws -> String {
    guard let text = PercentCode.decode(segment[...]) else {
      throw OffersError(.notFound, "There is no such page.")
    }
    return text
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

/// What stands in the fields of a query or a form. No text is an error; what is no percent code is
/// not there.
struct SentFields: Sendable {
  private let values: [String: String]

  init(_ values: [String: String]) {
    self.values = values
  }

  init(parsing text: String) {
    self.init(FieldList.parse(text))
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
}
