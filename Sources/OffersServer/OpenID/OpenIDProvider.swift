import Foundation
import OffersCore
import OffersStore

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

  init(
    _ settings: OpenIDSettings, keys: OffersDatabase, cookies: CookieScope,
    now: @escaping @Sendable () -> Date
  ) {
    self.settings = settings
    self.now = now
    logins = PendingLogins(settings, keys: keys, cookies: cookies, now: now)
    metadata = PulledValue(now: now) { try await ProviderMetadata.pull(settings) }
  }

  /// Begins a login.
  ///
  /// - Parameter server: the URL by which the browser reaches this server, without a slash at its end.
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
    let tokens = try? Self.decoder.decode(Tokens.self, from: Data(answer.body))
    guard answer.status == 200 else {
      if tokens?.error == "invalid_grant" {
        throw Problem(
          .badRequest, "\(settings.host) does not accept this login any more.",
          hint: "Begin it again.")
      }
      throw settings.failure(
        "refused this server, with status \(answer.status)"
          + (tokens?.error.map { " and the error “\(Self.harmlessCode($0))”" } ?? ""))
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
    let methods = metadata.tokenEndpointAuthMethodsSupported ?? ["client_secret_basic"]
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
  }

  /// An error code of the provider, without the characters that no such code may have.
  static func harmlessCode(_ code: String) -> String {
    String(
      String.UnicodeScalarView(
        code.unicodeScalars.prefix(64).filter {
          ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "_"
        }))
  }

  /// Reads the answers of a provider, whose members have names such as `id_token`.
  static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return decoder
  }

  private static func form(_ fields: [(String, String)]) -> String {
    fields.map { "\($0)=\(PercentCode.encode($1))" }.joined(separator: "&")
  }
}

/// The description of a provider that the provider itself publishes (OpenID Connect Discovery 1.0,
/// section 3).
struct ProviderMetadata: Decodable, Sendable {
  let issuer: String
  let authorizationEndpoint: String
  let tokenEndpoint: String
  /// The ways in which clients may authenticate to the token endpoint; nil for the usual one.
  let tokenEndpointAuthMethodsSupported: [String]?

  /// Pulls the description of a provider.
  ///
  /// - Throws: `OffersError` with `sourceFailed` if the provider cannot be reached, describes another
  ///   issuer, or names an address that is not safe.
  static func pull(_ settings: OpenIDSettings) async throws -> ProviderMetadata {
    let answer = try await settings.transport.pull(settings.discoveryURL)
    guard answer.status == 200 else {
      throw settings.failure("answered \(answer.status) when it was asked for its description")
    }
    let metadata: ProviderMetadata
    do {
      metadata = try OpenIDProvider.decoder.decode(ProviderMetadata.self, from: Data(answer.body))
    } catch {
      throw settings.failure("sent a description that cannot be read", cause: "\(error)")
    }
    // Another issuer could speak for the identities of this one.
    guard metadata.issuer.hasSameBytes(as: settings.issuer) else {
      throw settings.failure(
        "calls itself “\(metadata.issuer.prefix(200))”, not \(settings.issuer)")
    }
    // The token endpoint's TLS vouches for ID tokens: see `IDToken`.
    let urls = [metadata.authorizationEndpoint, metadata.tokenEndpoint]
    guard
      urls.allSatisfy({ ProviderURL.isAllowed($0, mayBeLoopback: settings.isLoopback) })
    else { throw settings.failure("names an address that is not an https URL") }
    return metadata
  }
}

/// A value that is pulled from the network and kept in memory. However many ask for it, one request at
/// a time is sent, and after a failure none for ten seconds.
actor PulledValue<Value: Sendable> {
  private static var failureSeconds: Double { 10 }

  private let pull: @Sendable () async throws -> Value
  private let now: @Sendable () -> Date
  private var last: (value: Value, at: Date)?
  private var lastFailure: (error: any Error, at: Date)?
  private var running: Task<Value, any Error>?

  /// - Parameter pull: requests the value. It must end in bounded time: it is not cancelled with those who wait.
  init(now: @escaping @Sendable () -> Date, pull: @escaping @Sendable () async throws -> Value) {
    self.pull = pull
    self.now = now
  }

  /// The value.
  ///
  /// - Parameter seconds: the age from which on a kept value is pulled anew.
  /// - Throws: the error of the request, or of one in the last ten seconds.
  func fetch(youngerThan seconds: Double) async throws -> Value {
    if let last, isYounger(last.at, seconds) { return last.value }
    if let running { return try await running.value }
    if let lastFailure, isYounger(lastFailure.at, Self.failureSeconds) { throw lastFailure.error }
    let task = Task { [pull] in try await pull() }
    running = task
    let result = await task.result
    running = nil
    switch result {
    case .success(let value):
      last = (value, now())
      lastFailure = nil
      return value
    case .failure(let error):
      lastFailure = (error, now())
      throw error
    }
  }

  /// A time in the future is that of a clock that was set back, and counts as old.
  private func isYounger(_ time: Date, _ seconds: Double) -> Bool {
    (0..<seconds).contains(now().timeIntervalSince(time))
  }
}

/// An ID token: a statement of a provider about who has logged in (OpenID Connect Core 1.0, section 2).
///
/// Its signature is not checked. The token comes straight from the token endpoint, over TLS with a
/// verified certificate or from this machine, and OpenID Connect Core 1.0, section 3.1.3.7, point 6,
/// allows that to vouch for the issuer in place of the signature. A token that came another way, such as
/// through a browser, must not be read by this type.
struct IDToken: Sendable {
  /// The longest token that is looked at, in bytes.
  private static let mostBytes = 16 << 10
  /// How far the clock of the provider may differ, in seconds.
  private static let skewSeconds = 60.0

  /// Why a token is not accepted, as the end of a sentence about it.
  struct Refusal: Error, Equatable {
    let reason: String
  }

  private let claims: Claims

  /// Reads a token in the compact form of signed tokens (RFC 7515, section 7.1).
  ///
  /// - Throws: `Refusal` for a text that is no such token, and for one that is not signed, has extensions
  ///   that must be understood, or lacks a claim.
  init(_ text: String) throws {
    let notToken = Refusal(reason: "is not an ID token")
    guard text.utf8.count <= Self.mostBytes else { throw notToken }
    let parts = text.split(scalar: ".", omittingEmptySubsequences: false).map(Base64URL.data(of:))
    guard parts.count == 3, let head = parts[0], let body = parts[1], let signature = parts[2],
      // The error would tell no more than that the text is no token.
      let header = try? JSONDecoder().decode(Header.self, from: head)
    else { throw notToken }
    guard !header.hasCriticalExtensions else {
      throw Refusal(reason: "has extensions that this server does not know")
    }
    // Section 2 allows "none" only to a client that has asked for it, which this one does not.
    guard let algorithm = header.algorithm, algorithm.lowercased() != "none", !signature.isEmpty
    else { throw Refusal(reason: "is not signed") }
    do {
      claims = try JSONDecoder().decode(Claims.self, from: body)
    } catch {
      throw Refusal(reason: "lacks a claim, or has one of another type")
    }
  }

  /// Checks the claims.
  ///
  /// - Parameter nonce: the value that was sent with the browser, which the token must have.
  func verify(_ settings: OpenIDSettings, nonce: String, now: Date) throws -> Identity {
    guard claims.issuer.hasSameBytes(as: settings.issuer) else {
      throw Refusal(reason: "is of another issuer")
    }
    guard claims.audience.values.contains(where: settings.clientID.hasSameBytes),
      // A token for several clients names the one that asked for it.
      claims.authorizedParty == nil && claims.audience.values.count == 1
        || claims.authorizedParty?.hasSameBytes(as: settings.clientID) == true
    else { throw Refusal(reason: "is meant for another client") }
    let time = now.timeIntervalSince1970
    guard claims.expiresAt > time - Self.skewSeconds else { throw Refusal(reason: "has expired") }
    guard claims.issuedAt < time + Self.skewSeconds,
      claims.notBefore ?? 0 < time + Self.skewSeconds
    else { throw Refusal(reason: "is of a later time than this server’s") }
    guard claims.nonce?.hasSameBytes(as: nonce) == true else {
      throw Refusal(reason: "belongs to another login")
    }
    do {
      return try Identity(issuer: claims.issuer, subject: claims.subject)
    } catch {
      throw Refusal(reason: "does not name a person")
    }
  }

  /// The members of the header that are looked at (RFC 7515, section 4.1).
  private struct Header: Decodable {
    /// The algorithm of the signature; nil if none is named.
    let algorithm: String?
    let hasCriticalExtensions: Bool

    private enum CodingKeys: String, CodingKey {
      case algorithm = "alg"
      case critical = "crit"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      algorithm = try container.decodeIfPresent(String.self, forKey: .algorithm)
      hasCriticalExtensions = container.contains(.critical)
    }
  }

  private struct Claims: Decodable {
    let issuer: String
    let subject: String
    let audience: Audience
    let authorizedParty: String?
    let nonce: String?
    /// Unix times, in seconds.
    let expiresAt: Double
    let issuedAt: Double
    let notBefore: Double?

    private enum CodingKeys: String, CodingKey {
      case nonce
      case issuer = "iss"
      case subject = "sub"
      case audience = "aud"
      case authorizedParty = "azp"
      case expiresAt = "exp"
      case issuedAt = "iat"
      case notBefore = "nbf"
    }
  }

  /// The clients for which a token is meant: a text or a list of texts.
  private struct Audience: Decodable {
    let values: [String]

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(String.self) {
        values = [value]
      } else {
        values = try container.decode([String].self)
      }
    }
  }
}
