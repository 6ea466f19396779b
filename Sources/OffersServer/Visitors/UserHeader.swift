import HTTPTypes
import OffersCore

/// The field in which a reverse proxy that logs people in names the user of a request.
///
/// It counts only if the other end of the connection is a trusted proxy: any other client could write
/// the field itself. The proxy must remove the field from the requests that it receives.
package struct UserHeader: Sendable {
  private let name: HTTPField.Name

  /// - Parameter text: the name of the field, such as `X-Forwarded-User`.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no field name, and for a field
  ///   that clients send for other purposes.
  package init(_ text: String) throws {
    guard let name = HTTPField.Name(text), !Self.taken.contains(name.canonicalName) else {
      throw OffersError(
        .invalidRequest, "“\(text.prefix(80))” is not a field in which a proxy may name a user.",
        hint: "Name one that only the proxy sets, such as X-Forwarded-User.")
    }
    self.name = name
  }

  private static let taken: Set<String> = [
    "accept", "authorization", "content-length", "content-type", "cookie", "forwarded", "host",
    "if-none-match", "origin", "referer", "sec-fetch-site", "transfer-encoding", "user-agent",
    "x-forwarded-for", "x-offers-user",
  ]

  /// The name of the user; nil without the field.
  ///
  /// - Throws: `Problem` with status 400 for several fields, of which the client may have sent one.
  func user(in fields: HTTPFields) throws -> String? {
    let values = fields[values: name]
    guard values.count < 2 else {
      throw Problem(.badRequest, "The field \(name.rawName) is there more than once.")
    }
    return values.first.map { $0[...].trimmingSpaces }.flatMap { $0.isEmpty ? nil : String($0) }
  }
}
