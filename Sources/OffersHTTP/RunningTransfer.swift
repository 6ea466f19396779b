import CurlShim
import Foundation
import OffersCore
import OffersPlatform
import OffersSync

/// A transfer on the thread of its loop, with its handle of libcurl.
///
/// It must not be released between `join` and `leave` or `finish`: libcurl has its address meanwhile.
final class RunningTransfer {
  /// The number of received bytes that are passed on at once, if so many come without a pause.
  private static let pieceBytes = 64 << 10

  /// libcurl's handle.
  let handle: UnsafeMutableRawPointer

  private let transfer: ResponseStream
  private let plan: TransferPlan
  private let shim: OpaquePointer
  private var head = ResponseHead()
  /// The bytes of the body that were received and not passed on yet.
  private var pending: [UInt8] = []
  private var isPaused = false
  /// When bytes were last received, or the request was sent; nil before.
  private var lastHeard: ContinuousClock.Instant?
  /// The reason why a callback refused to go on.
  private var refusal: (any Error)?
  private var isRestarted = false

  /// Returns nil if memory is short.
  init?(_ transfer: ResponseStream, _ plan: TransferPlan) {
    let callbacks = curl_shim_callbacks(
      header: { RunningTransfer.at($0)?.receive(headerLine: $1, $2) ?? false },
      body: { RunningTransfer.at($0)?.receive(body: $1, $2) ?? false },
      connect: { RunningTransfer.at($0)?.mayUse(address: $1) ?? false },
      send: { RunningTransfer.at($0)?.maySend(to: $1) ?? false })
    guard let shim = curl_shim_make(callbacks) else { return nil }
    guard let handle = curl_shim_handle(shim), TransferOptions.set(plan, on: shim) else {
      curl_shim_free(shim)
      return nil
    }
    self.transfer = transfer
    self.plan = plan
    self.shim = shim
    self.handle = handle
  }

  deinit { curl_shim_free(shim) }

  private static func at(_ context: UnsafeMutableRawPointer?) -> RunningTransfer? {
    context.map { Unmanaged<RunningTransfer>.fromOpaque($0).takeUnretainedValue() }
  }

  // MARK: Called by the loop

  /// Becomes one of the loop's transfers. Returns false if libcurl refuses it.
  func join(_ multi: UnsafeMutableRawPointer) -> Bool {
    curl_shim_set_context(shim, Unmanaged.passUnretained(self).toOpaque())
    return curl_shim_multi_add(multi, handle) == CURLM_OK
  }

  /// Ends the transfer before its end.
  func leave(_ multi: UnsafeMutableRawPointer, _ error: any Error) {
    curl_shim_multi_remove(multi, handle)
    transfer.finish(.failure(error))
  }

  /// Takes leave of the loop after libcurl has ended the transfer.
  func finish(_ code: CURLcode, _ multi: UnsafeMutableRawPointer) {
    curl_shim_multi_remove(multi, handle)
    flush()
    if code == CURLE_OK, head.isComplete { return transfer.finish(.success(())) }
    transfer.finish(.failure(refusal ?? failure(code)))
  }

  /// Starts the transfer again, once, if it was refused a connection of an earlier request, which may
  /// have been allowed to go to a private network: a new one may go to another address.
  func restarts(after code: CURLcode, _ multi: UnsafeMutableRawPointer) -> Bool {
    guard refusal != nil, !isRestarted, lastHeard == nil,
      curl_shim_number(shim, CURLINFO_NUM_CONNECTS) == 0,
      code == CURLE_ABORTED_BY_CALLBACK
    else { return false }
    isRestarted = true
    refusal = nil
    curl_shim_multi_remove(multi, handle)
    return curl_shim_set_number(shim, CURLOPT_FRESH_CONNECT, 1) == CURLE_OK
      && curl_shim_multi_add(multi, handle) == CURLM_OK
  }

  /// Goes on after the reader was behind.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    lastHeard = .now
    curl_shim_pause(handle, CURLPAUSE_CONT)
  }

  /// Passes on what was received.
  func flush() {
    guard !pending.isEmpty else { return }
    transfer.accept(pending)
    pending = []
  }

  /// When the transfer ends if nothing is received, and its error then; nil while the reader is behind.
  var deadline: (ContinuousClock.Instant, TransportFailure)? {
    if isPaused { return nil }
    let request = plan.request
    let idle = lastHeard.map { $0 + .wait(seconds: request.idleSeconds) }
    if head.isComplete {
      return ((idle ?? .now), TransportFailure(.stalled))
    }
    let limit = plan.begun + .wait(seconds: request.headSeconds)
    return (min(idle ?? limit, limit), TransportFailure(.noAnswer))
  }

  private func failure(_ code: CURLcode) -> any Error {
    ClientFailure(
      code: code, text: String(cString: curl_shim_failure(shim)), isSent: lastHeard != nil,
      hasHead: head.isComplete,
      proxyStatus: plan.proxy == nil ? 0 : curl_shim_number(shim, CURLINFO_HTTP_CONNECTCODE),
      systemError: curl_shim_number(shim, CURLINFO_OS_ERRNO)
    ).translated(plan)
  }

  // MARK: Called by libcurl

  private func receive(headerLine bytes: UnsafePointer<CChar>?, _ count: Int) -> Bool {
    lastHeard = .now
    do throws(TransportFailure) {
      let line = UnsafeRawBufferPointer(start: bytes, count: count)
      if let complete = try head.read(line) { transfer.accept(complete) }
      return true
    } catch {
      refusal = error
      return false
    }
  }

  private func receive(body bytes: UnsafePointer<CChar>?, _ count: Int) -> Bool {
    lastHeard = .now
    if pending.count >= Self.pieceBytes { flush() }
    if transfer.holdsSender() {
      isPaused = true
      return false
    }
    pending += UnsafeRawBufferPointer(start: bytes, count: count)
    return true
  }

  private func maySend(to address: UnsafePointer<CChar>?) -> Bool {
    guard mayUse(address: address) else { return false }
    lastHeard = .now
    return true
  }

  private func mayUse(address text: UnsafePointer<CChar>?) -> Bool {
    // Behind a proxy, this is the proxy's address.
    guard plan.proxy == nil, let text else { return plan.proxy != nil }
    do {
      try plan.request.check(address: String(cString: text))
      return true
    } catch {
      refusal = refusal ?? error
      return false
    }
  }
}

/// Everything that a transfer is set up with.
struct TransferPlan: Sendable {
  let request: TransportRequest
  /// When the request was made, from which the limit of its head counts.
  let begun: ContinuousClock.Instant
  /// The proxy; nil for a direct connection.
  let proxy: Proxy?
  /// The addresses that the host's name was resolved to, in the order of preference; empty for an
  /// address literal, and for a name that the proxy resolves.
  let addresses: [NetworkAddress]
  /// The path of a PEM file of certificates that replaces the system's; nil for the system's.
  let certificates: String?

  /// The longest wait for a connection, in seconds, with the handshake of TLS.
  var connectSeconds: Double { min(Duration.wait(seconds: request.idleSeconds) / .seconds(1), 10) }

  /// The line that tells libcurl the addresses of a name, as `CURLOPT_RESOLVE` reads it. The entry is
  /// forgotten with the others of its cache (`+`).
  func addressLine(for name: String, port: Int) -> String {
    let list = addresses.map { $0.text.utf8.contains(UInt8(ascii: ":")) ? "[\($0.text)]" : $0.text }
    return "+\(name):\(port):\(list.joined(separator: ","))"
  }
}

/// The options of libcurl for a transfer.
enum TransferOptions {
  /// libcurl's buffer for received bytes.
  private static let bufferBytes = 64 << 10

  /// Sets the options of a plan.
  ///
  /// - Returns: false if memory is short.
  static func set(_ plan: TransferPlan, on shim: OpaquePointer) -> Bool {
    let request = plan.request
    guard setText(CURLOPT_URL, request.url.absoluteString, shim),
      setNumber(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS, shim),
      setNumber(CURLOPT_BUFFERSIZE, bufferBytes, shim),
      setNumber(CURLOPT_CONNECTTIMEOUT_MS, Int(plan.connectSeconds * 1000), shim)
    else { return false }
    if let body = request.body {
      let isSet = body.withUnsafeBytes { curl_shim_set_post(shim, $0.baseAddress, $0.count) }
      guard isSet == CURLE_OK else { return false }
    }
    return setHeaders(request.headers, shim) && setTrust(plan, shim) && setRoute(plan, shim)
  }

  /// The fields of the request, and none of those that libcurl adds by itself.
  private static func setHeaders(_ fields: [HeaderField], _ shim: OpaquePointer) -> Bool {
    let names = Set(fields.map { $0.name.lowercased() })
    let own = ["accept", "content-type", "expect"].filter { !names.contains($0) }.map { "\($0):" }
    // A semicolon in place of the colon sends a field without a value.
    let lines = fields.map { $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)" }
    return (own + lines).allSatisfy { curl_shim_add_header(shim, $0) }
  }

  /// TLS of version 1.2 or newer, by the certificates of the plan. The folder of the system's
  /// certificates is not used: with it, libcurl would read the file of them for each connection.
  private static func setTrust(_ plan: TransferPlan, _ shim: OpaquePointer) -> Bool {
    let version = Int(CURL_SSLVERSION_TLSv1_2)
    guard setNumber(CURLOPT_SSLVERSION, version, shim),
      setNumber(CURLOPT_PROXY_SSLVERSION, version, shim),
      setText(CURLOPT_CAPATH, nil, shim), setText(CURLOPT_PROXY_CAPATH, nil, shim)
    else { return false }
    guard let file = plan.certificates else { return true }
    return setText(CURLOPT_CAINFO, file, shim) && setText(CURLOPT_PROXY_CAINFO, file, shim)
  }

  /// The proxy, or the addresses of the host. Empty texts keep libcurl from looking at the environment.
  private static func setRoute(_ plan: TransferPlan, _ shim: OpaquePointer) -> Bool {
    guard setText(CURLOPT_NOPROXY, "", shim), setText(CURLOPT_PROXY, plan.proxy?.text ?? "", shim)
    else { return false }
    if plan.proxy != nil {
      guard setNumber(CURLOPT_HTTPPROXYTUNNEL, 1, shim) else { return false }
    }
    guard !plan.addresses.isEmpty else { return true }
    let origin = HTTPOrigin(plan.request.url)
    // Of a name with a final dot, some versions of libcurl look up the name with the dot, others without.
    let bare = origin.host.hasSuffix(".") ? String(origin.host.dropLast()) : origin.host
    return [bare, bare + "."].allSatisfy { name in
      curl_shim_set_addresses(shim, plan.addressLine(for: name, port: origin.port))
    }
  }

  private static func setNumber(_ option: CURLoption, _ value: Int, _ shim: OpaquePointer) -> Bool {
    curl_shim_set_number(shim, option, value) == CURLE_OK
  }

  private static func setText(
    _ option: CURLoption, _ value: String?, _ shim: OpaquePointer
  ) -> Bool {
    curl_shim_set_text(shim, option, value) == CURLE_OK
  }
}

/// The head of a response, put together from its lines (RFC 9112, sections 4 and 5).
struct ResponseHead {
  /// The longest head that is accepted, in bytes, with those of interim responses.
  static let mostBytes = 80 << 10

  private var head = ResponseStream.Head()
  private var bytes = 0
  /// Whether the head is complete. Lines that follow are trailers of the body, which are not read.
  private(set) var isComplete = false

  /// Reads a line, with its line end.
  ///
  /// - Returns: the head if this line completes that of a final response.
  /// - Throws: `TransportFailure` with `oversizedHead` or `invalidResponse`.
  mutating func read(_ line: UnsafeRawBufferPointer) throws(TransportFailure) -> ResponseStream
    .Head?
  {
    if isComplete { return nil }
    bytes += line.count
    guard bytes <= Self.mostBytes else { throw TransportFailure(.oversizedHead) }
    var text = line[...]
    while let last = text.last, last == 0x0A || last == 0x0D { text.removeLast() }
    if text.isEmpty {
      if head.status < 200 { return nil }
      isComplete = true
      try checkLengths()
      return head
    }
    if text.starts(with: "HTTP/".utf8) {
      try readStatus(text)
    } else if text.first == 0x20 || text.first == 0x09 {
      try readContinuation(text)
    } else {
      try readField(text)
    }
    return nil
  }

  /// Reads `HTTP/1.1 200 OK`. An interim response before this one is forgotten.
  private mutating func readStatus(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count > 1, let status = Int(Self.text(parts[1])), (100...999).contains(status)
    else { throw TransportFailure(.invalidResponse, cause: "the status is no number") }
    head = ResponseStream.Head(status: status, reason: parts.count > 2 ? Self.text(parts[2]) : "")
  }

  private mutating func readField(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    guard let colon = line.firstIndex(of: 0x3A), colon > line.startIndex else {
      throw TransportFailure(.invalidResponse, cause: "a header field has no name")
    }
    let name = Self.text(line[..<colon])
    head.headers.append(HeaderField(name, Self.trimmed(line[line.index(after: colon)...])))
  }

  /// Adds a line that begins with white space to the field before it (obs-fold).
  private mutating func readContinuation(
    _ line: Slice<UnsafeRawBufferPointer>
  ) throws(TransportFailure) {
    guard let last = head.headers.popLast() else {
      throw TransportFailure(.invalidResponse, cause: "the first header field has no name")
    }
    head.headers.append(HeaderField(last.name, last.value + " " + Self.trimmed(line)))
  }

  /// Throws if the lengths of the body contradict each other (RFC 9112, section 6.3), or if it has a
  /// transfer coding that was not asked for: libcurl would decompress it without a limit.
  private func checkLengths() throws(TransportFailure) {
    let lengths = Set(head.headers["content-length"])
    if lengths.count > 1 {
      throw TransportFailure(.invalidResponse, cause: "its lengths contradict each other")
    }
    let codings = head.headers["transfer-encoding"].flatMap { $0.split(scalar: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    if let other = codings.first(where: { !["chunked", "identity"].contains($0) }) {
      throw TransportFailure(.invalidResponse, cause: "it has the transfer coding \(other)")
    }
  }

  private static func trimmed(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    var bytes = bytes
    while let first = bytes.first, first == 0x20 || first == 0x09 { bytes.removeFirst() }
    while let last = bytes.last, last == 0x20 || last == 0x09 { bytes.removeLast() }
    return text(bytes)
  }

  private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
    String(decoding: bytes, as: UTF8.self)
  }
}

/// A failure of libcurl. https://curl.se/libcurl/c/libcurl-errors.html
struct ClientFailure {
  let code: CURLcode
  /// libcurl's own description; empty if there is none.
  let text: String
  /// Whether the request had been sent.
  let isSent: Bool
  /// Whether the head of the response had been received.
  let hasHead: Bool
  /// The status with which a proxy answered to CONNECT; 0 if there was no proxy, or no answer.
  let proxyStatus: Int
  /// The value of `errno` of a connection that failed; 0 if there was none.
  var systemError = 0
  /// Whether the machine has a route to the internet.
  var haveWayOut: () -> Bool = { InterfaceAddresses.haveWayOut }

  /// The errors of a connection for which there is no route. With a route to the internet they are a
  /// matter of the server's address, such as one of IPv6.
  private static let signsOfNoRoute = [ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL]

  /// The error as an `HTTPTransport` throws it: a `TransportFailure`, or an `OffersError` for a fault of
  /// the settings.
  func translated(_ plan: TransferPlan) -> any Error {
    // libcurl shows a proxy that it cannot read with its password.
    let isShown = !text.isEmpty && code != CURLE_COULDNT_RESOLVE_PROXY
    let cause = isShown ? text : String(cString: curl_shim_describe(code))
    if code == CURLE_SSL_CACERT_BADFILE, let file = plan.certificates {
      return TrustedCertificates.unusable(file, cause: cause)
    }
    let reason = self.reason
    return TransportFailure(reason, hint: Self.hint(reason), cause: cause)
  }

  var reason: TransportFailure.Reason {
    if proxyStatus == 407 { return .proxyLogin }
    if proxyStatus >= 300 { return .proxyRefusal }
    switch code {
    case CURLE_COULDNT_CONNECT
    where Self.signsOfNoRoute.contains(Int32(clamping: systemError)) && !haveWayOut():
      return .noNetwork
    case CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT:
      return .unreachable
    case CURLE_OPERATION_TIMEDOUT: return hasHead ? .stalled : .noAnswer
    case CURLE_GOT_NOTHING, CURLE_PARTIAL_FILE: return .closedEarly
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      // libcurl has no code of its own for a body whose chunks cannot be read.
      if text.utf8.firstRange(of: "chunk".utf8) != nil { return .invalidResponse }
      return isSent ? .closedEarly : .unreachable
    case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM,
      CURLE_WRITE_ERROR:
      return .invalidResponse
    case CURLE_SSL_CONNECT_ERROR where Self.signsOfAnEnd.contains(where: text.contains):
      return .closedEarly
    case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CIPHER,
      CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_CERTPROBLEM:
      return .untrusted
    case CURLE_PROXY: return .proxyRefusal
    // libcurl gives up a line of more than 100 KB as if memory were short.
    case CURLE_OUT_OF_MEMORY: return hasHead ? .other : .oversizedHead
    default: return .other
    }
  }

  /// Texts in libcurl's error messages for connections that ended during their TLS handshake.
  private static let signsOfAnEnd = ["SSL_ERROR_SYSCALL", "Connection reset", "unexpected eof"]

  private static func hint(_ reason: TransportFailure.Reason) -> String? {
    switch reason {
    case .untrusted:
      "Nothing was changed. If it has a certificate authority of its own, put the path of that "
        + "authority's certificate into \(TrustedCertificates.variable)."
    case .proxyLogin:
      "Nothing was changed. Put the proxy's user and password into HTTPS_PROXY."
    default: nil
    }
  }
}
