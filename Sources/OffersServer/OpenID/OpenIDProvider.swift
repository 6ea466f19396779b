import Foundation
import OffersCore

/// A provider at which people log in, by the authorization code flow of OpenID Connect Core 1.0 with
/// PKCE (RFC 7636).
struct OpenIDProvider: Sendable {
  /// The path to which the provider sends browsers back.
  static let callbackPath = "/login/oidc/callback"
  /// How long the description of the provider is kept, in seconds.
  private static let keepSeconds = 3600.0

  let settings: OpenIDSettings
  let logins: PendingLogins
  private let now: @Sendable () -> Date
  private let metadata: PulledValue<ProviderMetadata>
  /// The turns of exchanging codes, by wide network: strangers can cause such requests with made-up codes.
  private let turns = FairTurns<String>(
    limit: 8, keyLimit: 2, waitingLimit: 256, keyWaitingLimit: 8)

  /// - Parameters:
  ///   - keys: the store of the key of pending logins.
  ///   - cookies: where browsers send the server's cookies.
  ///   - now: the clock of logins and tokens.
  init(
    _ settings: OpenIDSettings, keys: any ServerKeyRepository, cookies: CookieScope,
    now: @escaping @Sendable () -> Date
  ) {
    self.settings = settings
    self.now = now
    logins = PendingLogins(settings, keys: keys, cookies: cookies, now: now)
    metadata = PulledValue(now: now) { try await ProviderMetadata.pull(settings) }
  }

  /// Begins a login.
  ///
  /// - Parameters:
  ///   - next: the path of this server to redirect to afterwards.
  ///   - server: the URL by which the browser reaches this server, without a slash at its end.
  /// - Returns: the URL of the provider to send the browser to, and the `Set-Cookie` field of the login.
  /// - Throws: `OffersError` with `sourceFailed` if the provider cannot be reached.
  func begin(
    _ purpose: PendingLogin.Purpose, next: String, server: String
  ) async throws -> (url: String, cookie: String) {
    let endpoint = try await metadata.fetch(youngerThan: Self.keepSeconds).authorizationEndpoint
    let login = try PendingLogin(
      purpose, next: next, redirectURL: server + Self.callbackPath, at: now())
    let query = Self.form([
      ("response_type", "code"), ("client_id", settings.clientID),
      ("redirect_uri", login.redirectURL), ("scope", "openid"), ("state", login.state),
      ("nonce", login.nonce),
      ("code_challenge", Base64URL.text(of: try SHA256.digest(of: login.verifier))),
      ("code_challenge_method", "S256"),
    ])
    let mark = endpoint.utf8.contains(UInt8(ascii: "?")) ? "&" : "?"
    return (endpoint + mark + query, try await logins.setting(login))
  }

  /// Exchanges the code of a login for the identity of the person who has logged in.
  ///
  /// - Parameter client: the client that shows the code.
  /// - Throws: `Problem` with status 400 for a code that the provider does not accept; `OffersError` with
  ///   `sourceFailed` if the provider cannot be reached, or its answer is not valid.
  func fetchIdentity(
    for code: String, of login: PendingLogin, from client: Peer
  ) async throws -> Identity {
    let (metadata, turns) = (metadata, turns)
    let found = try await metadata.fetch(youngerThan: Self.keepSeconds)
    let answer = try await turns.run(for: client.wideNetwork) {
      try await exchange(code, of: login, found)
    }
    // An answer that is no JSON is refused below, as one without a token.
    let tokens = try? JSONDecoder().decode(Tokens.self, from: Data(answer.body))
    guard answer.status == 200 else {
      if tokens?.error == "invalid_grant" {
        throw Problem(
          .badRequest, "\(settings.host) does not accept this login any more.",
          hint: "Begin it again.")
      }
      throw settings.failure(
        "refused this server, with status \(answer.status)"
          + (tokens?.error.map { " and the error “\(Self.plain($0))”" } ?? ""))
    }
    guard let text = tokens?.idToken else {
      throw settings.failure("sent no ID token")
    }
    do {
      return try IDToken(text).verify(settings, nonce: login.nonce, now: now())
    } catch let refusal as IDToken.Refusal {
      throw settings.failure("sent an answer that \(refusal.reason)")
    }
  }

  private func exchange(
    _ code: String, of login: PendingLogin, _ metadata: ProviderMetadata
  ) async throws -> OpenIDResponse {
    var fields = [
      ("grant_type", "authorization_code"), ("code", code),
      ("redirect_uri", login.redirectURL), ("code_verifier", login.verifier),
    ]
    var authorization: String?
    let methods = metadata.authenticationMethods ?? ["client_secret_basic"]
    if let secret = settings.secret, methods.contains("client_secret_basic") {
      // RFC 6749, section 2.3.1.
      let pair = [settings.clientID, secret].map {
        PercentCode.encode($0).replacing(bytes: ":", with: "%3A")
      }
      authorization = "Basic " + Data(pair.joined(separator: ":").utf8).base64EncodedString()
    } else {
      fields.append(("client_id", settings.clientID))
      if let secret = settings.secret { fields.append(("client_secret", secret)) }
    }
    return try await settings.transport.post(
      Self.form(fields), to: metadata.tokenEndpoint, authorization: authorization)
  }

  /// The members of an answer of the token endpoint that are used (RFC 6749, sections 5.1 and 5.2).
  private struct Tokens: Decodable {
    let idToken: String?
    let error: String?

    private enum CodingKeys: String, CodingKey {
      case error
      case idToken = "id_token"
    }
  }

  /// An error code of the provider, without characters that such codes do not have.
  static func plain(_ code: String) -> String {
    String(
      String.UnicodeScalarView(
        code.unicodeScalars.prefix(64).filter {
          ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }))
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\(PercentCode.encode($1))" }.joined(separator: "&")
  }
}
