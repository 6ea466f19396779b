import HTTPTypes
import Hummingbird

/// The field `X-Offers-User` with the number of a user.
///
/// Every response to a visitor has it. A page sends it with what it changes: after another user has
/// logged in to the same browser, a page that is still open changes nothing of theirs, and the service
/// worker deletes what it has stored of the user before.
enum VisitorHeader {
  private static let name = HTTPField.Name("X-Offers-User")

  static func set(_ visitor: Visitor, in response: inout Response) {
    if let name { response.headers[name] = String(visitor.user.id) }
  }

  /// Checks that a request which names a user is from that user.
  ///
  /// - Throws: `Problem` with status 409 if it is from another.
  static func check(_ request: Request, _ visitor: Visitor) throws {
    guard let name, let named = request.headers[name], named != String(visitor.user.id) else {
      return
    }
    var problem = Problem(
      .conflict, "This page was opened by another user. Nothing was changed.",
      hint: "Load the page again.")
    problem.headers[name] = String(visitor.user.id)
    throw problem
  }
}
