import OffersCore
import OffersStore
import Synchronization

/// How a server that other machines can reach knows its clients.
package struct ServerAccess: Sendable {
  /// The token that requests must show; nil for none.
  package let token: TokenFile?
  /// The certificate with which the server itself speaks TLS; nil for plain HTTP.
  package let certificate: ServerCertificate?
  /// Whether browsers reach the server by https only, through a proxy that adds TLS. The cookie of
  /// a session is then sent by https only, and forms are accepted from https pages only.
  package let isBehindTLS: Bool
  package let proxies: TrustedProxies
  /// The field in which these proxies name the user; nil for none.
  package let userHeader: UserHeader?
  package let openID: OpenIDSettings?
  let passphraseCost: Passphrase.Cost

  package init(
    token: TokenFile? = nil, certificate: ServerCertificate? = nil, isBehindTLS: Bool = false,
    proxies: TrustedProxies = TrustedProxies(), userHeader: UserHeader? = nil,
    openID: OpenIDSettings? = nil, passphraseCost: Passphrase.Cost = .recommended
  ) {
    self.token = token
    self.certificate = certificate
    self.isBehindTLS = isBehindTLS
    self.proxies = proxies
    self.userHeader = userHeader
    self.openID = openID
    self.passphraseCost = passphraseCost
  }

  var isSecure: Bool { isBehindTLS || certificate != nil }
}

/// The users of the store, read again after each commit.
final class UserList: Sendable {
  struct Users: Sendable {
    fileprivate let version: Int64
    /// The owner first.
    let all: [User]
    let withPassphrase: Set<User.ID>

    /// The owner of the store.
    let owner: User

    /// Whether there are others to share offers with.
    var areSeveral: Bool { all.count > 1 }

    func find(_ id: User.ID) -> User? { all.first { $0.id == id } }

    /// The user whose name has exactly these bytes.
    ///
    /// Names that another program vouches for are compared so: two users of that program, whose names
    /// differ in case, in the width of their letters or in their normalization form, are not one here.
    func find(exactly name: String) -> User? { all.first { $0.name.hasSameBytes(as: name) } }

    /// The user that a person names, without regard to case and compatible forms of letters.
    func find(named name: String) -> User? {
      if name.utf8.count > User.nameBytes { return nil }
      let folded = User.folded(name)
      return all.first { User.folded($0.name) == folded }
    }
  }

  private let store: OffersDatabase
  private let last = Mutex<Users?>(nil)

  init(_ store: OffersDatabase) {
    self.store = store
  }

  /// The users that there are now.
  func fetch() async throws -> Users {
    let version = try await store.fetchDataVersion()
    if let users = last.withLock({ $0 }), users.version == version { return users }
    async let withPassphrase = store.fetchUsersWithPassphrase()
    let all = try await store.fetchUsers()
    let users = Users(
      version: version, all: all, withPassphrase: try await withPassphrase, owner: try all.owner())
    last.withLock { $0 = users }
    return users
  }
}
