import Foundation
import Hummingbird
import OffersCore

/// The body of a request that changes something.
enum JSONBody {
  /// True or false as JSON has them; nil for another value, a number included.
  static func truth(_ value: Any) -> Bool? {
    // Foundation makes numbers of them, too, which it writes as they were.
    guard value is NSNumber || value is Bool,
      let text = try? JSONSerialization.data(withJSONObject: [value])
    else { return nil }
    return [Data("[true]".utf8): true, Data("[false]".utf8): false][text]
  }

  /// The members of the one object that the body is; none for no body.
  ///
  /// - Parameter members: those that the route knows.
  /// - Throws: `Problem`.
  static func read(_ request: Request, members: [String]) async throws -> [String: Any] {
    let body = try await RequestBody.read(request)
    if body.readableBytes == 0 { return [:] }
    let value = try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))
    guard let object = value as? [String: Any] else {
      throw Problem(.badRequest, "The body is no JSON object.")
    }
    for name in object.keys.sorted() where !members.contains(name) {
      throw Problem(
        .badRequest, "The body has a member “\(name)” that nobody knows.",
        hint: members.isEmpty
          ? "Leave it out, or send {}."
          : NearestWord.hint(for: name, among: members, title: "Members"))
    }
    return object
  }
}
