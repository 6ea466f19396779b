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
    let response = try await open(url, with: client, deadline)
    let type = response.headers.first(name: "content-type")?.lowercased() ?? ""
    if type.hasPrefix("text/html") || type.hasPrefix("image/") || type.hasPrefix("video/") {
      let kind = type.prefix { $0 != ";" }
      throw OffersError(
        .malformedFeed, "\(url) sent \(kind), not a feed.",
        hint: "Nothing was changed. Open it in a browser: it may ask for a login.")
    }
    let total = response.headers.first(name: "content-length").flatMap { Int($0) }
    if let total, total > limits.bodyBytes { throw tooLarge(url) }
    let isCompressed = response.headers.contains(name: "content-encoding")
    var count = 0
    for try await buffer in response.body {
      count += buffer.readableBytes
      if count > limits.bodyBytes { throw tooLarge(url) }
      if ContinuousClock.now > deadline { throw tooSlow(url) }
      try buffer.withUnsafeReadableBytes { try handle($0, isCompressed ? nil : total) }
    }
  }

  private func open(
    _ url: String, with client: HTTPClient, _ deadline: ContinuousClock.Instant
  ) async throws -> HTTPClientResponse {
    var current = url
    for _ in 0...limits.redirects {
      var request = HTTPClientRequest(url: current)
      request.headers.add(name: "user-agent", value: "offers/\(Version.current)")
      request.headers.add(name: "accept", value: "application/json, */*;q=0.5")
      let left = deadline - .now
      if left <= .zero { throw tooSlow(url) }
      let response = try await client.execute(
        request, timeout: .seconds(max(1, min(left.components.seconds, limits.idleSeconds))))
      switch response.status.code {
      case 200:
        return response
      case 301, 302, 303, 307, 308:
        current = try next(from: current, response)
      default:
        throw refused(current, response)
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

  private func refused(_ url: String, _ response: HTTPClientResponse) -> OffersError {
    let code = response.status.code
    let hint =
      switch code {
      case 401, 403: "Nothing was changed. The server wants a login or forbids it."
      case 404, 410: "Nothing was changed. Check the address: there is no document."
      case 429, 500...599: "Nothing was changed. Sync again later."
      default: "Nothing was changed. Check the address."
      }
    return OffersError(
      .sourceFailed, "\(url) answered \(code) \(response.status.reasonPhrase).", hint: hint)
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
