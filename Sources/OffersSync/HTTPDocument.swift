import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import OffersCore

/// The limits a fetch keeps to.
public struct FetchLimits: Hashable, Sendable {
  /// Most bytes of a document, after decompression. 1 GiB unless set.
  public var bodyBytes: Int
  /// Longest wait for a connection, and for the next bytes, in seconds.
  public var idleSeconds: Int64
  /// Longest time for the whole document, in seconds.
  public var totalSeconds: Double
  /// Most redirects followed.
  public var redirects: Int

  public init(
    bodyBytes: Int = 1 << 30, idleSeconds: Int64 = 30, totalSeconds: Double = 600,
    redirects: Int = 5
  ) {
    self.bodyBytes = bodyBytes
    self.idleSeconds = idleSeconds
    self.totalSeconds = totalSeconds
    self.redirects = redirects
  }
}

/// Gets a document by HTTP, in pieces, within limits.
struct HTTPDocument {
  let limits: FetchLimits
  /// Headers of the feed's own.
  var headers: [(name: String, value: String)] = []
  /// Finds what a document that comes with an error says itself.
  var explain: (_ body: [UInt8]) -> String? = { _ in nil }

  /// - Throws: `OffersError` with `sourceFailed` for whatever happens on the way or a status other
  ///   than 200, `limitExceeded` past a limit; whatever `handle` throws.
  func read(url: String, _ handle: PieceHandler) async throws {
    var configuration = HTTPClient.Configuration()
    configuration.redirectConfiguration = .disallow
    configuration.timeout = .init(
      connect: .seconds(min(limits.idleSeconds, 10)), read: .seconds(limits.idleSeconds))
    configuration.decompression = .enabled(limit: .size(limits.bodyBytes))
    configuration.httpVersion = .http1Only
    let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    do {
      try await read(url: url, with: client, handle)
    } catch {
      await close(client)
      throw translate(error, url)
    }
    await close(client)
  }

  private func close(_ client: HTTPClient) async {
    // Nothing is under way any more, so there is nothing that a failed shutdown could lose.
    try? await client.shutdown()
  }

  private func read(url: String, with client: HTTPClient, _ handle: PieceHandler) async throws {
    guard Self.hasPossiblePort(URL(string: url)) else { throw HTTPClientError.invalidURL }
    let deadline = ContinuousClock.now + .seconds(limits.totalSeconds)
    let (response, address) = try await open(url, with: client, deadline)
    let type = response.headers.first(name: "content-type")?.lowercased() ?? ""
    // A page is told by its bytes: servers call many a feed text/html.
    if type.hasPrefix("image/") || type.hasPrefix("video/") {
      let kind = type.prefix { $0 != ";" }
      throw OffersError(
        .malformedFeed, "\(url) sent \(kind), not a feed.",
        hint: "Nothing was changed. Open it in a browser: it may ask for a login.")
    }
    let total = response.headers.first(name: "content-length").flatMap { Int($0) }
    if let total, total > limits.bodyBytes { throw tooLarge(url) }
    let isCompressed = response.headers.contains(name: "content-encoding")
    let head = DocumentHead(
      totalBytes: isCompressed ? nil : total, charset: Self.charset(in: type), address: address,
      nextLink: Self.nextLink(in: response.headers["link"]))
    var count = 0
    for try await buffer in response.body {
      count += buffer.readableBytes
      if count > limits.bodyBytes { throw tooLarge(url) }
      if ContinuousClock.now > deadline { throw tooSlow(url) }
      try buffer.withUnsafeReadableBytes { try handle($0, head) }
    }
  }

  private func open(
    _ url: String, with client: HTTPClient, _ deadline: ContinuousClock.Instant
  ) async throws -> (HTTPClientResponse, address: String) {
    var current = url
    for _ in 0...limits.redirects {
      var request = HTTPClientRequest(url: current)
      request.headers.add(name: "user-agent", value: "offers/\(Version.current)")
      request.headers.add(
        name: "accept", value: "application/json, application/xml, text/xml, */*;q=0.5")
      // A redirect to another host gets none of what was meant for this one.
      if Self.origin(of: current) == Self.origin(of: url) {
        for (name, value) in headers { request.headers.replaceOrAdd(name: name, value: value) }
      }
      let left = deadline - .now
      if left <= .zero { throw tooSlow(url) }
      let response = try await client.execute(
        request, timeout: .seconds(max(1, min(left.components.seconds, limits.idleSeconds))))
      switch response.status.code {
      case 200:
        return (response, current)
      case 301, 302, 303, 307, 308:
        current = try next(from: current, response)
      default:
        throw refused(current, response, try await reason(in: response, deadline))
      }
    }
    throw OffersError(
      .sourceFailed, "\(url) redirects more than \(limits.redirects) times.",
      hint: "Nothing was changed. Check the address.")
  }

  /// The client ends the whole program over a port that does not fit into 16 bits.
  private static func hasPossiblePort(_ url: URL?) -> Bool {
    (0...Int(UInt16.max)).contains(url?.port ?? 0)
  }

  private func next(from url: String, _ response: HTTPClientResponse) throws -> String {
    guard let location = response.headers.first(name: "location"),
      let target = URL(string: location, relativeTo: URL(string: url))?.absoluteURL,
      let scheme = target.scheme?.lowercased(), scheme == "http" || scheme == "https",
      Self.hasPossiblePort(target)
    else {
      throw OffersError(
        .sourceFailed, "\(url) redirects to nowhere.", hint: "Nothing was changed.")
    }
    if scheme == "http", url.lowercased().hasPrefix("https:") {
      throw OffersError(
        .sourceFailed, "\(url) redirects to the unencrypted \(target.absoluteString).",
        hint: "Nothing was changed. If that is right, sync --from that address.")
    }
    return target.absoluteString
  }

  /// What the body of an error says, of which the first 64 KiB count.
  private func reason(
    in response: HTTPClientResponse, _ deadline: ContinuousClock.Instant
  ) async throws -> String? {
    var body: [UInt8] = []
    for try await buffer in response.body {
      body.append(contentsOf: buffer.readableBytesView)
      if body.count > 64 << 10 || ContinuousClock.now > deadline { break }
    }
    return explain(body)
  }

  /// The encoding in a content type such as `text/xml; charset="utf-8"`.
  private static func charset(in type: String) -> String? {
    guard let found = type.firstRange(of: "charset=") else { return nil }
    let value = type[found.upperBound...].prefix { $0 != ";" }
      .trimmingCharacters(in: CharacterSet(charactersIn: " \"'"))
    return value.isEmpty ? nil : value
  }

  /// The target of `<https://…>; rel="next"` among the values of `Link` headers.
  static func nextLink(in values: [String]) -> String? {
    for value in values {
      var rest = value[...]
      while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
        let target = rest[rest.index(after: open)..<close]
        rest = rest[rest.index(after: close)...]
        let parameters = rest.prefix { $0 != "<" }.lowercased()
        if parameters.contains(/;\s*rel\s*=\s*("[^"]*\bnext\b[^"]*"|next\b)/) {
          return String(target)
        }
      }
    }
    return nil
  }

  /// The scheme, host and port of a URL.
  private static func origin(of url: String) -> String {
    guard let url = URL(string: url) else { return "" }
    return "\(url.scheme ?? "")://\(url.host() ?? ""):\(url.port ?? -1)".lowercased()
  }

  private func refused(
    _ url: String, _ response: HTTPClientResponse, _ reason: String?
  ) -> OffersError {
    let code = response.status.code
    let hint =
      switch code {
      case 401, 403: "Nothing was changed. The server wants a login or forbids it."
      case 404, 410: "Nothing was changed. Check the address: there is no document."
      case 429, 500...599: "Nothing was changed. Sync again later."
      default: "Nothing was changed. Check the address."
      }
    let isMissing = code == 404 || code == 410
    return OffersError(
      isMissing ? .notFound : .sourceFailed,
      "\(url) answered \(code) \(response.status.reasonPhrase)" + (reason.map { ": \($0)" } ?? "."),
      hint: hint)
  }

  private func tooLarge(_ url: String) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) sent more than \(limits.bodyBytes) bytes.",
      hint: "Nothing was changed. Download it and sync from the file, which has no such limit.")
  }

  private func tooSlow(_ url: String) -> OffersError {
    OffersError(
      .limitExceeded, "\(url) took longer than \(Int(limits.totalSeconds)) seconds.",
      hint: "Nothing was changed. Sync again later.")
  }

  private func translate(_ error: any Error, _ url: String) -> any Error {
    if error is OffersError || error is CancellationError { return error }
    // The client's way to say that the body unpacks to more than it was allowed.
    if String(reflecting: type(of: error)).contains("DecompressionError"), "\(error)" == "limit" {
      return tooLarge(url)
    }
    let what: String
    switch error as? HTTPClientError {
    case .connectTimeout?: what = "did not answer in time"
    case .readTimeout?, .deadlineExceeded?: what = "stopped sending"
    case .remoteConnectionClosed?: what = "closed the connection too early"
    case .invalidURL?, .emptyHost?, .emptyScheme?: what = "is not a URL"
    default:
      what =
        error is ChannelError || error is IOError
          || "\(type(of: error))".contains("Connection") ? "cannot be reached" : "could not be read"
    }
    return OffersError(
      .sourceFailed, "\(url) \(what).",
      hint: "Nothing was changed. Check the address and the network, then sync again.",
      cause: "\(error)")
  }
}
