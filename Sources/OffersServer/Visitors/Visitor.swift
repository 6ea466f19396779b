import HTTPTypes
import Hummingbird
import OffersCore

/// A user from whom a request is, how the server knows, and the user's right.
struct Visitor: Sendable {
  /// How the server knows a user.
  enum Proof: Sendable {
    /// Only this machine can reach the server, and the store has no user but its owner.
    case thisMachine
    /// The terminal in which the server runs.
    case terminal
    case tokenFile(version: Int)
    /// An API token, with its SHA-256.
    case apiToken(APIToken, hash: [UInt8])
    /// A trusted proxy, which has logged the user in.
    case proxy
    /// The session of a browser that is logged in.
    case session(Session)
  }

  let user: User
  /// The right of the user's role, or the scope of the token if that is lower.
  let right: Right
  let proof: Proof
  /// Whether there are other users, with whom the visitor has a household list.
  let hasHousehold: Bool

  init(_ user: User, _ proof: Proof, hasHousehold: Bool = false) {
    self.user = user
    self.hasHousehold = hasHousehold
    self.proof = proof
    if case .apiToken(let token, _) = proof {
      right = min(token.scope, user.role.right)
    } else {
      right = user.role.right
    }
  }

  /// What the writes for the visitor check again.
  var permit: WritePermit {
    let proof: WritePermit.Proof =
      switch proof {
      case .session(let session): .session(session.id)
      case .apiToken(let token, _): .token(token.id)
      case .thisMachine, .terminal, .tokenFile, .proxy: .none
      }
    return WritePermit(user: user.id, role: user.role, proof: proof)
  }

  var session: Session? {
    if case .session(let session) = proof { session } else { nil }
  }

  /// Checks that the visitor, an admin, may manage the logins of a user. Only the owner may manage
  /// those of the owner: an admin who could log in as the owner would be one.
  ///
  /// - Throws: `Problem` with status 403.
  func checkMayManage(_ other: User) throws {
    if other.isOwner, !user.isOwner {
      throw Problem(
        .forbidden, "Only the owner may do this for the owner.",
        hint: "The owner can do so in their own settings.")
    }
  }

  /// Checks that the visitor may let a browser in as a user other than the visitor.
  ///
  /// - Throws: `Problem` with status 403.
  func checkMayInvite(_ other: User) throws {
    try check(.admin)
    try checkMayManage(other)
  }

  /// Checks that the visitor has a right.
  ///
  /// - Throws: `Problem` with status 403.
  func check(_ required: Right) throws {
    if right >= required { return }
    if case .apiToken(let token, _) = proof, token.scope < required, user.role.right >= required {
      throw Problem(
        .forbidden, "The scope of this token is “\(token.scope.rawValue)”, which is not enough.",
        hint: "Use a token with the scope “\(required.rawValue)”: offers token add",
        code: .invalidRequest)
    }
    let role = required == .admin ? "an admin" : "a member"
    throw Problem(
      .forbidden, "Only \(role) may do this, and you are a \(user.role.rawValue).",
      hint: "Ask an admin of this server.", code: .invalidRequest)
  }
}

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
