import Foundation
import GRDB
import OffersCore

extension OffersDatabase: LoginTransfer {
  package func fetchLogins() async throws -> [UserLogin] {
    try await read { database in
      try UserTable.list(in: database).map { user in
        UserLogin(
          name: user.name,
          passphrase: try CredentialTable.findPassphrase(of: user.id, in: database),
          tokens: try CredentialTable.tokens(of: user.id, in: database).map { token in
            UserLogin.Token(token, hash: try CredentialTable.hash(of: token.id, in: database))
          },
          connections: try IdentityTable.connections(of: user.id, in: database))
      }
    }
  }

  package func putLogins(_ logins: [UserLogin]) async throws {
    let now = Date()
    try await write { database in
      for login in logins {
        guard let user = try UserTable.find(named: login.name, in: database) else {
          throw OffersError(.notFound, "There is no user “\(login.name)”.")
        }
        if let passphrase = login.passphrase,
          try CredentialTable.findPassphrase(of: user.id, in: database) == nil
        {
          try CredentialTable.put(passphrase, of: user.id, at: now, in: database)
        }
        for token in login.tokens
        where try CredentialTable.findToken(hash: token.hash, in: database) == nil {
          _ = try CredentialTable.insert(
            token.token.moved(to: user.id), hash: token.hash, in: database)
        }
        for connection in login.connections
        where try IdentityTable.findUser(with: connection.identity, in: database) == nil {
          try IdentityTable.insert(
            connection.identity, of: user.id, at: connection.addedAt, in: database)
        }
      }
    }
  }
}
