import OffersCore

/// Whom a request is from, as far as the server knows.
enum Visitor: Sendable {
  /// Anybody, on a server that requires no token.
  case anybody
  /// Somebody who has shown no valid token and no session.
  case stranger
  /// A client that has shown the token of this version.
  case tokenHolder(version: Int)
  /// A browser that is logged in.
  case browser(Session)

  /// The session of a browser; nil for others.
  var session: Session? {
    if case .browser(let session) = self { session } else { nil }
  }
}
