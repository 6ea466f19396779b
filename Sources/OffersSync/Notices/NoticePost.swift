import Foundation
import OffersCore

/// The one way in which channels send a message over HTTP: a POST request, and the outcome that its answer
/// means.
///
/// It takes at most 30 seconds up to the head of the answer, and follows no redirect. Of the answer at most 64 KiB are read,
/// for at most 5 seconds. A reason names the
/// host alone, since the path of an address may be a secret, and hides the secrets of the channel in the words of
/// others.
struct NoticePost: Sendable {
  /// An answer, as far as channels must know it.
  struct Answer: Sendable {
    let status: Int
    /// What the server said in its own words, in one of the forms that the channels know; empty for nothing.
    let words: String
    /// The time before which the server wants no further request; nil if it named none.
    let retryAfter: Date?
    /// The name of the server with the status, such as `ntfy.sh answered 429`.
    let summary: String

    /// The outcome of an answer that has none of a meaning that only some channels know.
    ///
    /// Success (2xx) is a delivery. 410, and 401 and 403 for a token that is not accepted any more, end the
    /// channel. Of the other answers 413 and those that find fault with the message (400, 422) refuse it. All
    /// others may be different later: 408, 425, 429, 5xx, a redirect, and 404 from a server that is set up anew.
    var outcome: DeliveryOutcome {
      switch status {
      case 200..<300: .delivered
      case 401, 403, 410: ended
      case 400, 413, 422: .refused(reason: reason)
      default: later
      }
    }

    var reason: String { DeliveryOutcome.reason(summary, words: words) }
    var ended: DeliveryOutcome { .ended(reason: reason) }
    var later: DeliveryOutcome { .later(after: retryAfter, reason: reason) }
  }

  /// Sends requests.
  let transport: any HTTPTransport
  let url: String
  let mayBePrivate: Bool
  /// The fields of the request besides `User-Agent`, `Accept` and `Accept-Encoding`.
  var headers = [HeaderField("content-type", "application/json")]
  /// Hides the secrets of the channel.
  let secrets: SecretRedactor
  let now: @Sendable () -> Date
  /// The longest time that a request may take, with its answer.
  var seconds = DeliveryOutcome.seconds

  private static let bodyBytes = 64 << 10
  private static let bodySeconds = 5.0

  /// - Parameters:
  ///   - url: the address, whose path may be a secret.
  ///   - example: the address in the error, as an example.
  /// - Throws: `OffersError` with `invalidRequest` for a text that is no http or https URL, one with a user or
  ///   a password, and one in a private network that is not allowed.
  init(
    _ url: String, of kind: ChannelKind, _ values: ChannelValues, _ tools: ChannelTools
  ) throws(OffersError) {
    guard let address = HTTPAddress(url) else {
      throw kind.refusal("The address of the channel is not an http or https URL.")
    }
    guard address.url.user() == nil, address.url.password() == nil else {
      throw kind.refusal(
        "The address of the channel has a user or a password.",
        hint: "Give them as options of the channel.")
    }
    guard values.mayBePrivate || !address.isPrivate else {
      throw OffersError(
        .invalidRequest, "\(address.host) is not on the public internet.",
        hint: .allowPrivateNetwork)
    }
    transport = tools.transport
    self.url = url
    mayBePrivate = values.mayBePrivate
    secrets = values.secrets
    now = tools.now
  }

  /// Sends a body.
  ///
  /// - Parameter judge: the outcome of an answer.
  func send(
    _ body: [UInt8], _ judge: (Answer) -> DeliveryOutcome = { $0.outcome }
  ) async -> DeliveryOutcome {
    let host = HTTPOrigin(url)?.hostAndPort ?? "The server"
    do {
      let request = try TransportRequest(
        url: url, posting: body,
        headers: [
          .userAgent, HeaderField("accept", "*/*"), HeaderField("accept-encoding", "identity"),
        ] + headers,
        mayBePrivate: mayBePrivate, headSeconds: seconds, idleSeconds: seconds)
      let response = try await Timeout.run(seconds: seconds) {
        try await transport.send(request)
      } late: {
        TransportFailure(.noAnswer)
      }
      return judge(await answer(response, host))
    } catch let failure as TransportFailure {
      return .later("\(host) \(FetchFailure.predicate(failure.reason)).")
    } catch let error as OffersError {
      // Such as for a name that leads into a private network, or without libcurl.
      let message = error.message.replacing(
        bytes: HTTPAddress(url)?.url.absoluteString ?? url, with: host)
      return .later(secrets.hidden(in: AddressRedaction.hidden(inText: message)))
    } catch {
      return .later("\(host) was not asked to the end.")
    }
  }

  private func answer(_ response: TransportResponse, _ host: String) async -> Answer {
    // The status alone tells the outcome, so that a body may end early, or be slow.
    let body = try? await Timeout.run(seconds: min(seconds, Self.bodySeconds)) {
      var body: [UInt8] = []
      for try await piece in response.body {
        body += piece.prefix(Self.bodyBytes - body.count)
        if body.count == Self.bodyBytes { break }
      }
      return body
    } late: {
      TransportFailure(.stalled)
    }
    let told = Told(body ?? [])
    let phrase = response.reason.isEmpty ? "" : " \(response.reason)"
    let isRedirect = (300..<400).contains(response.status)
    return Answer(
      status: response.status,
      words: secrets.hidden(
        in: AddressRedaction.hidden(
          inText: isRedirect ? "Redirects are not followed" : told.words ?? "")),
      retryAfter: RetryAfter.date(response.headers.first(name: "retry-after"), now: now())
        ?? told.retrySeconds.flatMap { RetryAfter.date(String($0), now: now()) },
      summary: secrets.hidden(in: "\(host) answered \(response.status)\(phrase)"))
  }

  /// What an answer says about a failure in the forms of ntfy (`error`), Gotify (`errorDescription`) and
  /// Telegram (`description`, `parameters.retry_after`).
  private struct Told: Decodable {
    private(set) var words: String?
    private(set) var retrySeconds: Int?

    init(_ body: [UInt8]) {
      // Servers and proxies answer with other documents, too, which are not for people.
      if let told = try? JSONDecoder().decode(Told.self, from: Data(body)) { self = told }
    }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: Key.self)
      // A member of another type says nothing.
      words =
        [.errorDescription, .description, .error]
        .lazy.compactMap { try? members.decode(String.self, forKey: $0) }.first
      let parameters = try? members.nestedContainer(keyedBy: Key.self, forKey: .parameters)
      retrySeconds = try? parameters?.decode(Int.self, forKey: .retryAfter)
    }

    private enum Key: String, CodingKey {
      case error, errorDescription, description, parameters
      case retryAfter = "retry_after"
    }
  }
}

extension DeliveryOutcome {
  /// The outcome with the secrets of a channel hidden in its reason.
  func hiding(_ secrets: SecretRedactor) -> DeliveryOutcome {
    switch self {
    case .delivered: self
    case .later(let after, let reason): .later(after: after, reason: secrets.hidden(in: reason))
    case .ended(let reason): .ended(reason: secrets.hidden(in: reason))
    case .refused(let reason): .refused(reason: secrets.hidden(in: reason))
    }
  }
}
