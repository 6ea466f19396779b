import Foundation
import OffersCore

/// Requests pages to find out whether they may be shown in a frame. Only servers on the public
/// internet are contacted, unless `allowsPrivateNetwork` is true. A check takes at most 4 seconds and
/// 5 redirects, and reads no body.
package struct FramingCheck: Sendable {
  private let transport: any HTTPTransport
  private let allowsPrivateNetwork: Bool

  private static let seconds = 4.0
  /// The failures after which a browser would show its own error page.
  private static let silence: Set<TransportFailure.Reason> = [
    .unreachable, .unknownHost, .noNetwork, .noAnswer, .closedEarly,
  ]
  private static let redirects = 5

  package init(transport: any HTTPTransport, allowsPrivateNetwork: Bool) {
    self.transport = transport
    self.allowsPrivateNetwork = allowsPrivateNetwork
  }

  /// Requests a page, as a browser would.
  ///
  /// - Parameters:
  ///   - url: the http or https URL of the page.
  ///   - origin: the scheme, host and port of the page with the frame.
  /// - Returns: whether the page may not be shown in the frame; nil if that cannot be found out.
  /// - Throws: `OffersError` (`sourceFailed`) if the site does not answer.
  package func refusesFrame(_ url: String, in origin: String) async throws -> Bool? {
    do {
      return try await Timeout.run(seconds: Self.seconds) {
        try await fetchRefusal(url, origin)
      } late: {
        TransportFailure(.noAnswer)
      }
    } catch let failure as TransportFailure where Self.silence.contains(failure.reason) {
      throw OffersError(.sourceFailed, "\(url) does not answer.")
    } catch {
      // Nothing is known of a site that may not be asked.
      return nil
    }
  }

  private func fetchRefusal(_ url: String, _ origin: String) async throws -> Bool? {
    var current = url
    for _ in 0...Self.redirects {
      let request = try TransportRequest(
        url: current,
        headers: [
          .userAgent,
          HeaderField("accept", "text/html,*/*;q=0.8"),
        ], mayBePrivate: allowsPrivateNetwork, headSeconds: Self.seconds, idleSeconds: Self.seconds)
      let response = try await transport.send(request)
      // The first piece ends the transfer.
      for try await _ in response.body { break }
      guard [301, 302, 303, 307, 308].contains(response.status),
        let target = response.headers.first(name: "location"),
        let next = URL(printed: target, relativeTo: URL(printed: current))?.absoluteString
      else { return FramePolicy(response.headers).refuse(origin) }
      current = next
    }
    return nil
  }
}

/// The header fields by which a page forbids frames: `frame-ancestors` of its content security
/// policies, and without one `X-Frame-Options` (HTML standard, section “The X-Frame-Options header”).
struct FramePolicy {
  private let ancestors: [[Substring]]
  private let options: Set<String>

  init(_ headers: [HeaderField]) {
    ancestors = headers["content-security-policy"].flatMap { $0.split(scalar: ",") }
      .compactMap { policy in
        policy.split(scalar: ";").lazy
          .map { $0.split(whereSeparator: \.isWhitespace) }
          .first { $0.first?.lowercased() == "frame-ancestors" }
          .map { Array($0.dropFirst()) }
      }
    options = Set(
      headers["x-frame-options"].flatMap { $0.split(scalar: ",") }
        .map { $0.trimmingCharacters(in: .whitespaces).lowercased() })
  }

  /// Whether the page may not be shown in a frame on a page of another origin.
  func refuse(_ origin: String) -> Bool {
    if ancestors.isEmpty { return !options.isDisjoint(with: ["deny", "sameorigin"]) }
    let host = origin.split(scalar: "/").last.map(String.init) ?? origin
    let isSecure = origin.hasPrefix("https:")
    return !ancestors.allSatisfy { sources in
      sources.contains { source in
        let source = source.lowercased()
        return source == "*" || source == "http:" || source == "https:" && isSecure
          || source == host || source == origin
      }
    }
  }
}
