import Foundation

/// The passphrases and API tokens of users.
///
/// Every call may throw `OffersError` with `storageFailed`.
package protocol CredentialRepository: Sendable {
  /// The passphrase of a user; nil for a user without one.
  func findPassphrase(of user: User.ID) async throws -> PassphraseHash?

  /// The users that have a passphrase.
  func fetchUsersWithPassphrase() async throws -> Set<User.ID>

  /// Stores the passphrase of a user durably, and ends the user's sessions.
  ///
  /// - Parameters:
  ///   - passphrase: the new one; nil to remove it.
  ///   - user: the user.
  ///   - session: the session that goes on; nil for none.
  /// - Throws: `OffersError` with `notFound` for an unknown user.
  func setPassphrase(
    _ passphrase: PassphraseHash?, of user: User.ID, keeping session: [UInt8]?
  ) async throws

  /// The tokens of a user, or of all users for nil, in the order in which they were added. Expired
  /// ones are returned as well.
  func fetchTokens(of user: User.ID?) async throws -> [APIToken]

  /// The token with an SHA-256; nil if there is none. An expired one is returned as well.
  func findToken(hash: [UInt8]) async throws -> APIToken?

  /// Stores a new token durably. An expired token with its name gives way.
  ///
  /// - Parameters:
  ///   - token: the token; its id is ignored.
  ///   - hash: the SHA-256 of the token, 32 bytes.
  /// - Returns: the token with its id.
  /// - Throws: `OffersError`: `notFound` for an unknown user; `invalidRequest` for an invalid name,
  ///   for one that another token of the user has, and for one token too many.
  func addToken(_ token: APIToken, hash: [UInt8]) async throws -> APIToken

  /// Removes a token durably.
  ///
  /// - Throws: `OffersError` with `notFound` if there is none with this id.
  func revokeToken(_ id: APIToken.ID) async throws

  /// Records that a token was used, unless a later time is stored. Does not wait for the write,
  /// which may fail or be lost.
  func noteToken(_ id: APIToken.ID, usedAt: Date)
}
