import OffersCore

/// The section of the settings about the visitor's login at the OpenID provider.
struct IdentitySection {
  let access: VisitorAuthentication
  let visitor: Visitor?

  /// The variables of the section; nil without a provider, and for a visitor who cannot change logins.
  ///
  /// - Throws: `OffersError` if the store cannot be read.
  func fields() async throws -> PageFields? {
    guard let settings = access.provider?.settings, let visitor else { return nil }
    switch visitor.proof {
    case .session, .thisMachine: break
    case .terminal, .tokenFile, .apiToken, .proxy: return nil
    }
    let connected = try await access.store.fetchUsers(withIdentityOf: settings.issuer)
    return PageFields { fields in
      fields.set("provider", settings.host)
      fields.set("isConnected", connected.contains(visitor.user.id))
    }
  }
}
