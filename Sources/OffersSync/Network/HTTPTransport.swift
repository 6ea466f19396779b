/// Sends HTTP requests, and receives their responses.
///
/// `OffersSync` has no HTTP client of its own. The module `OffersHTTP` adds one, over libcurl, and the
/// initializers that use it; an app may hand a transport of its own to ``SyncEngine`` and
/// ``ImageLoader``. Conditional requests, redirects, limits
/// of size, decompression and the wording of errors are the engine's; an implementation guarantees
/// the rest:
///
/// - **One request, one response.** A GET is sent with exactly the header fields of the request, and
///   those that HTTP itself requires (`Host`, `Connection`). No cookie, credential or cache of the
///   system's is used: a 304 is the engine's to understand.
/// - **No redirect is followed.** A response of any status is returned as it came; interim
///   responses (1xx) are skipped.
/// - **The body is as it was sent**, with its `Content-Encoding` and `Content-Length`. A transport
///   that decompresses removes these two fields from the head.
/// - **The body is a stream** of nonempty pieces that is read once. It throws if the connection ends
///   before the response does, and it buffers only a few pieces ahead of its reader.
///   When the reader ends early, or its task is cancelled, the transfer is ended.
/// - **Timeouts** are ``TransportRequest/headSeconds`` and ``TransportRequest/idleSeconds``.
/// - **Private networks.** A request exists only for hosts whose name allows it, but a public name
///   may resolve to a private address. A transport that resolves names passes each address to
///   ``TransportRequest/check(address:)``, and connects to no other than the checked one.
///
/// One call of the engine sends one request at a time to the host of a source. The image loader
/// sends at most two requests at a time to the host of an image.
public protocol HTTPTransport: Sendable {
  /// Sends a request, and returns when the head of the response has arrived.
  ///
  /// - Throws: ``TransportFailure``, which the engine puts into words; `OffersError`, such as that of
  ///   ``TransportRequest/check(address:)``, which it passes on; or `CancellationError`. Any other
  ///   error counts as a failure with the reason ``TransportFailure/Reason/other``.
  func send(_ request: TransportRequest) async throws -> TransportResponse
}

/// A transport that must be closed after use.
package protocol ClosableTransport: HTTPTransport {
  /// Closes all connections, and waits until they are closed. Must be called after all requests have ended.
  func close() async
}

/// How a sync engine or an image loader gets its transport.
package enum TransportOwnership: Sendable {
  /// The app's transport, which the engine or loader does not close.
  case shared(any HTTPTransport)
  /// A closure that opens a transport, which the engine or loader closes.
  case owned(@Sendable () -> any ClosableTransport)
}
