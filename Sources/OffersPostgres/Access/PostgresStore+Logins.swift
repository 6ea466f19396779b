import Foundation
import OffersCore

extension PostgresStore: LoginTransfer {
  package func fetchLogins() async throws -> [UserLogin] {
    try await database.read { session in
      try UserTable.list(in: session).map { user in
        UserLogin(
          name: user.name,
          passphrase: try CredentialTable.findPassphrase(of: user.id, in: session),
          tokens: try CredentialTable.tokens(of: user.id, in: session).map { token in
            UserLogin.Token(token, hash: try CredentialTable.hash(of: token.id, in: session))
          },
          connections: try IdentityTable.connections(of: user.id, in: session))
      }
    }
  }

  package func putLogins(_ logins: [UserLogin]) async throws {
    let now = Date()
    try await database.write { session in
      try UserTable.lock(session)
      for login in logins {
        guard let user = try UserTable.find(named: login.name, in: session) else {
          throw OffersError(.notFound, "There is no user “\(login.name)”.")
        }
        if let passphrase = login.passphrase,
          try CredentialTable.findPassphrase(of: user.id, in: session) == nil
        {
          try CredentialTable.put(passphrase, of: user.id, at: now, in: session)
        }
        for token in login.tokens
        where try CredentialTable.findToken(hash: token.hash, in: session) == nil {
          _ = try CredentialTable.insert(
            token.token.moved(to: user.id), hash: token.hash, in: session)
        }
        for connection in login.connections
        where try IdentityTable.findUser(with: connection.identity, in: session) == nil {
          try IdentityTable.insert(
            connection.identity, of: user.id, at: connection.addedAt, in: session)
        }
      }
    }
  }
}
