import Foundation

/// A secret with which a program uses the server in the name of a user. Only its SHA-256 is stored.
package struct APIToken: Hashable, Sendable, Identifiable {
  /// The maximum number of tokens of a user.
  package static let limit = 100
  /// The maximum length of a name, in characters.
  package static let nameLimit = 64
  /// The interval at which the time of the last use is stored, in seconds.
  package static let noteSeconds = 600.0

  /// The id of the token, which no other gets.
  package let id: Int64
  package let user: User.ID
  /// The name by which its user knows the token, unique among the user's tokens.
  package let name: String
  /// The right that the token gives, unless its user has less.
  package let scope: Right
  package let createdAt: Date
  /// When the token expires; nil for never.
  package let expiresAt: Date?
  /// When the token was last used, to within ten minutes; nil for never.
  package let lastUsedAt: Date?

  package init(
    id: Int64, user: User.ID, name: String, scope: Right, createdAt: Date, expiresAt: Date?,
    lastUsedAt: Date? = nil
  ) {
    self.id = id
    self.user = user
    self.name = name
    self.scope = scope
    self.createdAt = createdAt
    self.expiresAt = expiresAt
    self.lastUsedAt = lastUsedAt
  }

  /// The token as that of a user of another store.
  package func moved(to user: User.ID) -> APIToken {
    APIToken(
      id: id, user: user, name: name, scope: scope, createdAt: createdAt, expiresAt: expiresAt,
      lastUsedAt: lastUsedAt)
  }

  package func isExpired(at now: Date) -> Bool { expiresAt.map { $0 <= now } ?? false }

  /// Checks a name for a token.
  ///
  /// - Throws: `OffersError` with `invalidRequest`.
  package static func check(name: String) throws(OffersError) {
    guard User.isPlain(name, maximum: nameLimit) else {
      throw OffersError(
        .invalidRequest, "“\(name.prefix(80))” is no name for a token.",
        hint: "A name has 1 to \(nameLimit) characters, in one line, without spaces at its ends.")
    }
  }
  /// Checks a new token.
  ///
  /// - Parameter others: the tokens that its user has already.
  /// - Throws: `OffersError` with `invalidRequest` if one of them has the name, or if they are too many.
  package func check(beside others: [APIToken]) throws(OffersError) {
    guard !others.contains(where: { $0.name == name }) else {
      throw OffersError(
        .invalidRequest, "There is a token “\(name)” already.",
        hint: "Choose another name, or revoke that token first.")
    }
    guard others.count < Self.limit else {
      throw OffersError(
        .invalidRequest, "A user has at most \(Self.limit) tokens.",
        hint: "Revoke those that are not used any more.")
    }
  }
}
