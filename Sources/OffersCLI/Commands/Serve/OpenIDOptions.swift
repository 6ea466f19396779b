import ArgumentParser
import OffersCore
import OffersServer
import OffersSync

/// The options of `offers serve` about an OpenID provider.
struct OpenIDOptions: ParsableArguments {
  @Option(
    name: .long,
    help: ArgumentHelp(
      "An OpenID provider at which people log in: its issuer, an https URL.", valueName: "url"))
  var oidcIssuer: String?

  @Option(
    name: .long,
    help: ArgumentHelp("The id under which it knows this server.", valueName: "id"))
  var oidcClientId: String?

  @Option(
    name: .long,
    help: ArgumentHelp(
      "A file that only you can read, with the secret for that id.", valueName: "file"),
    completion: .file())
  var oidcClientSecretFile: String?

  func validate() throws {
    if (oidcIssuer == nil) != (oidcClientId == nil) {
      throw ValidationError("--oidc-issuer and --oidc-client-id go together.")
    }
    if oidcClientSecretFile != nil, oidcIssuer == nil {
      throw ValidationError("--oidc-client-secret-file has no use without --oidc-issuer.")
    }
  }

  /// The provider and this server's registration at it; nil without these options.
  ///
  /// - Parameters:
  ///   - transport: sends the requests to the provider.
  ///   - allowsPrivateNetwork: whether the provider may name further servers in private networks.
  /// - Throws: `OffersError` as `OpenIDSettings.init`.
  func settings(
    transport: any HTTPTransport, allowsPrivateNetwork: Bool
  ) throws -> OpenIDSettings? {
    guard let oidcIssuer, let oidcClientId else { return nil }
    return try OpenIDSettings(
      issuer: oidcIssuer, clientID: oidcClientId, secretFile: oidcClientSecretFile,
      transport: try HTTPOpenIDTransport(
        transport: transport, issuer: oidcIssuer, allowsPrivateNetwork: allowsPrivateNetwork))
  }
}
