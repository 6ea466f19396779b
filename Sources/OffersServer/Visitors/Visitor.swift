import OffersCore

/// A user from whom a request is, how the server knows, and the user's right.
struct Visitor: Sendable {
  /// How the server knows a user.
  enum Proof: Sendable {
    /// Only this machine can reach the server, and the store has no user but its owner.
    case thisMachine
    /// The terminal in which the server runs.
    case terminal
    /// The token of the token file, in this version.
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

  /// The session of a browser; nil for others.
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
