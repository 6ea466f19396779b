import CurlShim
import OffersCore
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
