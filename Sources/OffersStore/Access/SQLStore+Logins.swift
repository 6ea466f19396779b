import Foundation
import OffersCore

extension OffersDatabase {
  /// The logins of all users, the owner's first.
  package func fetchLogins() async throws -> [UserCredentials] {
    try await transaction(.read) { transaction in
      try UserTable.list(in: transaction).map { user in
        UserCredentials(
          name: user.name,
          passphrase: try CredentialTable.findPassphrase(of: user.id, in: transaction),
          tokens: try CredentialTable.tokens(of: user.id, in: transaction).map { token in
            UserCredentials.Token(
              token, hash: try CredentialTable.hash(of: token.id, in: transaction))
          },
          connections: try IdentityTable.connections(of: user.id, in: transaction))
      }
    }
  }

  /// Gives the users of the same names these logins, in one transaction. A passphrase, a token or an
  /// identity that is there already stays, so that a second call changes nothing.
  ///
  /// - Throws: `OffersError` with `notFound` if a user is missing; then nothing is written.
  package func putLogins(_ logins: [UserCredentials]) async throws {
    let now = Date()
    try await transaction(.write) { transaction in
      try UserTable.lock(in: transaction)
      for login in logins {
        guard let user = try UserTable.find(named: login.name, in: transaction) else {
          throw OffersError(.notFound, "There is no user “\(login.name)”.")
        }
        if let passphrase = login.passphrase,
          try CredentialTable.findPassphrase(of: user.id, in: transaction) == nil
        {
          try CredentialTable.put(passphrase, of: user.id, at: now, in: transaction)
        }
        for token in login.tokens
        where try CredentialTable.findToken(hash: token.hash, in: transaction) == nil {
          _ = try CredentialTable.insert(
            token.token.moved(to: user.id), hash: token.hash, in: transaction)
        }
        for connection in login.connections
        where try IdentityTable.findUser(with: connection.identity, in: transaction) == nil {
          try IdentityTable.insert(
            connection.identity, of: user.id, at: connection.addedAt, in: transaction)
        }
      }
    }
  }
}
