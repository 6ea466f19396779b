import Foundation

/// A browser that is logged in to a server.
///
/// The browser holds a random value in a cookie. Only the SHA-256 of the value is stored, so that a
/// copy of the database opens no session.
package struct Session: Hashable, Sendable {
  /// The time without a request after which a session expires, in seconds: 30 days.
  package static let idleSeconds = 30.0 * 86_400
  /// The maximum number of stored sessions of a user. A further one takes the place of the user's
  /// session that was unseen for longest.
  package static let limit = 100
  /// The maximum length of `userAgent`, in characters.
  package static let userAgentLimit = 200

  /// The SHA-256 of the cookie's value, 32 bytes.
  package let id: [UInt8]
  /// The user who logged in.
  package let user: User.ID
  /// For a session that began with the token of the server's token file: a code of `id` with that
  /// token as its key, 32 bytes. The session is valid with that token only. Nil for others.
  package let fingerprint: [UInt8]?
  /// When the browser logged in.
  package let createdAt: Date
  /// When the browser last sent a request, to within ten minutes.
  package let lastSeenAt: Date
  /// The address of the client that logged in.
  package let peer: String
  /// The `User-Agent` of the browser that logged in; empty for one that sent none.
  package let userAgent: String

  package init(
    id: [UInt8], user: User.ID, fingerprint: [UInt8]?, createdAt: Date, lastSeenAt: Date,
    peer: String, userAgent: String
  ) {
    self.id = id
    self.user = user
    self.fingerprint = fingerprint
    self.createdAt = createdAt
    self.lastSeenAt = lastSeenAt
    self.peer = peer
    self.userAgent = userAgent
  }

  /// Whether the session has expired: it was unseen for `idleSeconds`, or was last seen later than
  /// that after `now`, which only a clock that was set back explains.
  package func isExpired(at now: Date) -> Bool {
    abs(now.timeIntervalSince(lastSeenAt)) >= Self.idleSeconds
  }
}

/// By what a browser logs in. It must still be true when its session is stored.
package enum SessionGround: Sendable {
  /// The stored passphrase of the user that has been compared.
  case passphrase(PassphraseHash)
  /// An identity of the user.
  case identity(Identity)
  /// The access of the user who lets the browser in.
  case invitation(WritePermit)
  /// A token outside of the store.
  case token
}

/// The access of a user for whom a program writes, which the transaction of each write checks again: it may have
/// ended since the program has checked it.
package struct WritePermit: Sendable {
  /// By what the program knows the user, as far as the store has it.
  package enum Proof: Sendable {
    case session([UInt8])
    case token(APIToken.ID)
    /// Something outside of the store.
    case none
  }

  /// The permit of the writes of the current task; nil for a program that writes for nobody else.
  @TaskLocal package static var current: WritePermit?

  package let user: User.ID
  /// The role on which the program has decided.
  package let role: User.Role
  package let proof: Proof

  package init(user: User.ID, role: User.Role, proof: Proof) {
    self.user = user
    self.role = role
    self.proof = proof
  }
}

extension OffersError {
  /// Whether a write was refused because the access of its user has changed.
  package var isOfAccess: Bool { self == .accessEnded || self == .roleChanged }

  /// The refusal of a write whose session, token or user is there no more.
  package static let accessEnded = OffersError(
    .notFound, "This login has ended. Nothing was changed.", hint: "Log in again.")
  /// The refusal of a write for a user who has another role by now.
  package static let roleChanged = OffersError(
    .notFound, "Your rights have just been changed. Nothing was changed by this.",
    hint: "Try again.")
}
