/// How a server that other machines can reach knows its clients.
package struct ServerAccess: Sendable {
  /// The token that requests must show; nil for none.
  package let token: TokenFile?
  /// The certificate with which the server itself speaks TLS; nil for plain HTTP.
  package let certificate: ServerCertificate?
  /// Whether browsers reach the server by https only, through a proxy that adds TLS. The cookie of
  /// a session is then sent by https only, and forms are accepted from https pages only.
  package let isBehindTLS: Bool
  /// The proxies whose `X-Forwarded-For` names the client.
  package let proxies: TrustedProxies
  /// The field in which these proxies name the user; nil for none.
  package let userHeader: UserHeader?
  /// The OpenID provider at which people log in; nil for none.
  package let openID: OpenIDSettings?
  /// The cost of new passphrases.
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

  /// Whether browsers reach the server by https only.
  var isSecure: Bool { isBehindTLS || certificate != nil }
}
