import Foundation

/// How a user logs in. It contains secrets only as hashes.
package struct UserCredentials: Sendable {
  /// An API token with the hash of its secret.
  package struct Token: Sendable {
    /// The token; its id and its user are those of the store from which it comes.
    package let token: APIToken
    /// The SHA-256 of the token, 32 bytes.
    package let hash: [UInt8]

    package init(_ token: APIToken, hash: [UInt8]) {
      self.token = token
      self.hash = hash
    }
  }

  /// The identity at a provider, and when the user connected it.
  package struct Connection: Sendable {
    package let identity: Identity
    package let addedAt: Date

    package init(_ identity: Identity, addedAt: Date) {
      self.identity = identity
      self.addedAt = addedAt
    }
  }

  package let name: String
  package let passphrase: PassphraseHash?
  package let tokens: [Token]
  package let connections: [Connection]

  package init(
    name: String, passphrase: PassphraseHash?, tokens: [Token],
    connections: [Connection]
  ) {
    self.name = name
    self.passphrase = passphrase
    self.tokens = tokens
    self.connections = connections
  }

  /// Whether `other`, the login of the same user in another store, has no passphrase, API token or identity
  /// that this login does not have.
  package func includes(_ other: UserCredentials) -> Bool {
    (other.passphrase == nil || other.passphrase == passphrase)
      && Set(other.tokens.map(\.hash)).isSubset(of: tokens.map(\.hash))
      && Set(other.connections.map(\.identity)).isSubset(of: connections.map(\.identity))
  }
}
