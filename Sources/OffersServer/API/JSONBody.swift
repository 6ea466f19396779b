import Foundation
import Hummingbird
import OffersCore

/// The JSON body of a request that changes something.
enum JSONBody {
  /// The Boolean that a JSON value is; nil for any other value, including the numbers 0 and 1.
  static func truth(_ value: Any) -> Bool? {
    // Foundation parses JSON Booleans as NSNumber, and serializes those as Booleans again.
    guard value is NSNumber || value is Bool,
      let text = try? JSONSerialization.data(withJSONObject: [value])
    else { return nil }
    return [Data("[true]".utf8): true, Data("[false]".utf8): false][text]
  }

  /// Reads the body of a request as a JSON object; an empty body is an empty object.
  ///
  /// - Parameters:
  ///   - request: the request whose body is read whole.
  ///   - members: the names of the members that the route accepts.
  /// - Throws: `Problem` with status 400 for a body that is no JSON object or has an unknown
  ///   member, with 413 for a body over `RequestValidation.bodyBytes`.
  static func read(_ request: Request, members: [String]) async throws -> [String: Any] {
    let body = try await RequestBody.read(request)
    if body.readableBytes == 0 { return [:] }
    let value = try? JSONSerialization.jsonObject(with: Data(body.readableBytesView))
    guard let object = value as? [String: Any] else {
      throw Problem(.badRequest, "The body is not a JSON object.")
    }
    for name in object.keys.sorted() where !members.contains(name) {
      throw Problem(
        .badRequest, "The body has an unknown member “\(name)”.",
        hint: members.isEmpty
          ? "Leave it out, or send {}."
          : NearestWord.hint(for: name, among: members, title: "Members"))
    }
    return object
  }
}
