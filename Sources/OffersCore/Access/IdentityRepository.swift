import Foundation

/// The identities of users at OpenID providers. A user has at most one of each issuer, and no two users
/// have the same. Exports do not contain them.
///
/// Every call may throw `OffersError` with `storageFailed`.
package protocol IdentityRepository: Sendable {
  /// The user that has an identity; nil if nobody has.
  func findUser(with identity: Identity) async throws -> User.ID?

  /// The users that have an identity of an issuer.
  func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID>

  /// Gives a user an identity, durably. An identity that the user has already is left as it is.
  ///
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` if another user has the
  ///   identity, or the user has another one of the issuer.
  func addIdentity(_ identity: Identity, to user: User.ID, at now: Date) async throws

  /// Removes the identity that a user has of an issuer, durably, if there is one.
  func removeIdentity(of issuer: String, from user: User.ID) async throws
}
