import Foundation
import OffersCore
import Synchronization

@testable import OffersServer

/// An OpenID provider in memory, which checks codes and PKCE, makes ID tokens, and can be told to
/// misbehave.
final class ScriptedProvider: OpenIDTransport {
  static let issuer = "https://login.example"
  static let clientID = "offers"
  static let secret = "the client's secret of 32 bytes or more: 7%"

  /// A claim of a token.
  enum Claim: Encodable, Sendable {
    case text(String)
    case texts([String])
    case number(Double)

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .text(let text): try container.encode(text)
      case .texts(let texts): try container.encode(texts)
      case .number(let number): try container.encode(number)
      }
    }
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
    var answers: [String: OpenIDResponse] = [:]
    /// The error of every request; nil to answer.
    var failure: OffersError?
    /// Changes the claims of a token.
    var alter: @Sendable (inout [String: Claim]) -> Void = { _ in }
    /// Makes the token of claims.
    var makeToken: @Sendable ([String: Claim]) throws -> String = {
      try ScriptedProvider.token($0)
    }
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
    let code = "code-\(UUID())"
    state.withLock { $0.grants[code] = Grant(subject: subject, fields: fields) }
    return code
  }

  func pull(_ url: String) async throws -> OpenIDResponse {
    let (failure, answer) = state.withLock { state in
      state.pulled.append(url)
      return (state.failure, state.answers[url])
    }
    if let failure { throw failure }
    if let answer { return answer }
    return switch url {
    case Self.issuer + "/.well-known/openid-configuration": Self.answer(Self.description())
    default: OpenIDResponse(status: 404, body: [])
    }
  }

  func post(
    _ form: String, to url: String, authorization: String?
  ) async throws -> OpenIDResponse {
    let sent = Sent(form: URLEncodedForm.parse(form), authorization: authorization)
    let (failure, answer, grant, alter, makeToken) = state.withLock { state in
      state.posted.append(sent)
      let grant = sent.form["code"].flatMap { state.grants.removeValue(forKey: $0) }
      return (state.failure, state.answers[url], grant, state.alter, state.makeToken)
    }
    if let failure { throw failure }
    if let answer { return answer }
    let hash = try SHA256.digest(of: sent.form["code_verifier"] ?? "")
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
    let token = try makeToken(claims)
    return Self.answer(
      #"{"access_token":"secret-access","token_type":"Bearer","id_token":"\#(token)"}"#)
  }

  static func answer(_ text: String, status: Int = 200) -> OpenIDResponse {
    OpenIDResponse(status: status, body: Array(text.utf8))
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

  /// A token. Nobody checks its signature.
  static func token(
    _ claims: [String: Claim], header: String = #"{"alg":"RS256","kid":"one","typ":"JWT"}"#,
    signature: String = "c2lnbmF0dXJl"
  ) throws -> String {
    let body = Base64URL.text(of: try JSONEncoder().encode(claims))
    return "\(Base64URL.text(of: header.utf8)).\(body).\(signature)"
  }
}
