import Crypto
import CryptoExtras
import Foundation
import JWTKit
import OffersCore
import Synchronization

@testable import OffersServer

/// An OpenID provider in memory, which checks codes and PKCE, signs ID tokens, and can be told to
/// misbehave.
final class ScriptedProvider: ProviderTransport {
  static let issuer = "https://login.example"
  static let clientID = "offers"
  static let secret = "the client's secret of 32 bytes or more: 7%"
  static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

  /// A claim of a token.
  enum Claim: Codable, Sendable {
    case text(String)
    case texts([String])
    case number(Double)

    init(from decoder: any Decoder) throws { self = .text("") }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      case .number(let number): try container.encode(number)
      }
    }
  }

  struct Claims: JWTPayload {
    var members: [String: Claim]

    init(_ members: [String: Claim]) { self.members = members }
    init(from decoder: any Decoder) throws { members = [:] }
    func encode(to encoder: any Encoder) throws { try members.encode(to: encoder) }
    func verify(using algorithm: some JWTAlgorithm) {}
  }

  /// A request to the token endpoint.
  struct Sent: Sendable {
    let form: [String: String]
    let authorization: String?
  }

  fileprivate struct Grant: Sendable {
    let subject: String
    let fields: [String: String]
  }

  /// The behavior, and what has happened.
  struct State: Sendable {
    /// The answers in place of the usual ones, by URL.
    var answers: [String: ProviderAnswer] = [:]
    /// The error of every request; nil to answer.
    var failure: OffersError?
    /// Changes the claims of a token.
    var alter: @Sendable (inout [String: Claim]) -> Void = { _ in }
    /// Makes the token of claims.
    var sign: @Sendable ([String: Claim]) async throws -> String = {
      try await ScriptedProvider.sign($0)
    }
    var keys: [String] = [ScriptedProvider.publicKey("one")]
    var pulled: [String] = []
    var posted: [Sent] = []
    fileprivate var grants: [String: Grant] = [:]
  }

  let state = Mutex(State())
  private let clock: SteppedClock

  init(_ clock: SteppedClock) { self.clock = clock }

  func change(_ body: (inout sending State) -> Void) { state.withLock { body(&$0) } }

  func settings(secretFile: String? = nil) throws -> OpenIDSettings {
    try OpenIDSettings(
      issuer: Self.issuer, clientID: Self.clientID, secretFile: secretFile, transport: self)
  }

  /// Lets a person log in, and returns the code with which the browser comes back.
  ///
  /// - Parameter fields: the query of the authorization request.
  func authorize(_ subject: String, _ fields: [String: String]) -> String {
    let code = "code-" + APITokenText.randomText()
    state.withLock { $0.grants[code] = Grant(subject: subject, fields: fields) }
    return code
  }

  func pull(_ url: String) async throws -> ProviderAnswer {
    let (failure, answer, keys) = state.withLock { state in
      state.pulled.append(url)
      return (state.failure, state.answers[url], state.keys)
    }
    if let failure { throw failure }
    if let answer { return answer }
    return switch url {
    case Self.issuer + "/.well-known/openid-configuration": Self.answer(Self.description())
    case Self.issuer + "/keys": Self.answer("{\"keys\":[\(keys.joined(separator: ","))]}")
    default: ProviderAnswer(status: 404, body: [])
    }
  }

  func post(
    _ form: String, to url: String, authorization: String?
  ) async throws -> ProviderAnswer {
    let sent = Sent(form: FieldList.parse(form), authorization: authorization)
    let (failure, answer, grant, alter, sign) = state.withLock { state in
      state.posted.append(sent)
      let grant = sent.form["code"].flatMap { state.grants.removeValue(forKey: $0) }
      return (state.failure, state.answers[url], grant, state.alter, state.sign)
    }
    if let failure { throw failure }
    if let answer { return answer }
    let hash = SHA256.hash(data: Data((sent.form["code_verifier"] ?? "").utf8))
    guard let grant, grant.fields["code_challenge"] == Base64URL.text(of: hash),
      grant.fields["redirect_uri"] == sent.form["redirect_uri"]
    else { return Self.answer(#"{"error":"invalid_grant"}"#, status: 400) }
    let now = clock.now.timeIntervalSince1970
    var claims: [String: Claim] = [
      "iss": .text(Self.issuer), "sub": .text(grant.subject), "aud": .text(Self.clientID),
      "exp": .number(now + 300), "iat": .number(now), "nonce": .text(grant.fields["nonce"] ?? ""),
      "email": .text("owner@example.com"), "preferred_username": .text("owner"),
    ]
    alter(&claims)
    let token = try await sign(claims)
    return Self.answer(
      #"{"access_token":"secret-access","token_type":"Bearer","id_token":"\#(token)"}"#)
  }

  static func answer(_ text: String, status: Int = 200) -> ProviderAnswer {
    ProviderAnswer(status: status, body: Array(text.utf8))
  }

  /// The provider's description of itself.
  static func description(_ other: [String: String] = [:]) -> String {
    var members = [
      "issuer": issuer, "authorization_endpoint": issuer + "/authorize?tenant=7",
      "token_endpoint": issuer + "/token", "jwks_uri": issuer + "/keys",
    ]
    members.merge(other) { $1 }
    return "{" + members.map { "\"\($0)\":\"\($1)\"" }.joined(separator: ",") + "}"
  }

  /// A token that is signed with the RSA key.
  static func sign(
    _ claims: [String: Claim], kid: String? = "one", header: JWTHeader = JWTHeader(),
    key: _RSA.Signing.PrivateKey? = nil
  ) async throws -> String {
    let key = try Insecure.RSA.PrivateKey(backing: key ?? rsa.get())
    let keys = await JWTKeyCollection().add(rsa: key, digestAlgorithm: .sha256)
    var header = header
    if let kid { header.kid = kid }
    return try await keys.sign(Claims(claims), header: header)
  }

  /// The RSA key as a member of the set of keys.
  static func publicKey(_ kid: String, members: String = "") -> String {
    guard let parts = try? rsa.get().publicKey.getKeyPrimitives() else { return "{}" }
    return #"{"kty":"RSA","kid":"\#(kid)","n":"\#(Base64URL.text(of: parts.modulus))""#
      + #","e":"\#(Base64URL.text(of: parts.publicExponent))"\#(members)}"#
  }
}
