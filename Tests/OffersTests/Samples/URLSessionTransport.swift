import Foundation
import Offers
import Synchronization

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with URLSession, without its cache, cookies, passwords and redirects.
struct URLSessionTransport: HTTPTransport {
  func send(_ request: TransportRequest) async throws -> TransportResponse {
    var message = URLRequest(url: request.url)
    message.timeoutInterval = min(request.headSeconds, request.idleSeconds)
    for field in request.headers { message.setValue(field.value, forHTTPHeaderField: field.name) }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.urlCache = nil
    configuration.urlCredentialStorage = nil
    configuration.httpCookieStorage = nil
    let exchange = Exchange()
    let session = URLSession(configuration: configuration, delegate: exchange, delegateQueue: nil)
    let task = session.dataTask(with: message)
    session.finishTasksAndInvalidate()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { exchange.start(task, $0) }
    } onCancel: {
      task.cancel()
    }
  }
}

/// One request and its response.
private final class Exchange: NSObject, URLSessionDataDelegate {
  typealias Head = CheckedContinuation<TransportResponse, any Error>
  private let body = AsyncThrowingStream<[UInt8], any Error>.makeStream()
  /// Nil once the head has arrived or failed.
  private let head = Mutex<Head?>(nil)

  func start(_ task: URLSessionDataTask, _ head: Head) {
    self.head.withLock { $0 = head }
    body.continuation.onTermination = { _ in task.cancel() }
    task.resume()
  }

  private func takeHead() -> Head? { head.withLock { $0.take() } }

  func urlSession(
    _: URLSession, task: URLSessionTask, willPerformHTTPRedirection: HTTPURLResponse,
    newRequest: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
  ) { completionHandler(nil) }

  func urlSession(
    _: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    guard let response = response as? HTTPURLResponse else { return completionHandler(.cancel) }
    // URLSession decompresses the body, so the head must not call it compressed.
    let isCompressed = response.value(forHTTPHeaderField: "Content-Encoding") != nil
    let left = isCompressed ? ["content-encoding", "content-length"] : []
    let headers = response.allHeaderFields.compactMap { name, value -> HeaderField? in
      guard let name = name as? String, !left.contains(name.lowercased()) else { return nil }
      return HeaderField(name, "\(value)")
    }
    takeHead()?.resume(
      returning: TransportResponse(
        status: response.statusCode, headers: headers, body: body.stream))
    completionHandler(.allow)
  }

  func urlSession(_: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    if !data.isEmpty { body.continuation.yield(Array(data)) }
  }

  func urlSession(_: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    let head = takeHead()
    let failure = error.map { Self.translate($0, beforeHead: head != nil) }
    head?.resume(throwing: failure ?? TransportFailure(.invalidResponse))
    body.continuation.finish(throwing: failure)
  }

  private static func translate(_ error: any Error, beforeHead: Bool) -> any Error {
    let reason: TransportFailure.Reason
    switch (error as? URLError)?.code {
    case .cancelled?: return CancellationError()
    case .timedOut?: reason = beforeHead ? .noAnswer : .stalled
    case .networkConnectionLost?: reason = .closedEarly
    case .notConnectedToInternet?: reason = .noNetwork
    case .cannotFindHost?: reason = .unknownHost
    case .cannotConnectToHost?, .dnsLookupFailed?: reason = .unreachable
    case .secureConnectionFailed?, .serverCertificateUntrusted?,
      .serverCertificateHasUnknownRoot?, .serverCertificateHasBadDate?:
      reason = .untrusted
    default: reason = .other
    }
    return TransportFailure(reason, cause: "\(error)")
  }
}
