import CurlShim
import Foundation
import OffersCore
import OffersSync
import Synchronization

/// Drives all transfers of an `HTTPConnections`, on a thread of its own that ends with `close()`.
///
/// The thread alone touches libcurl's handles. Other threads leave it commands, and wake it up.
/// https://curl.se/libcurl/c/libcurl-multi.html
final class TransferLoop: Sendable {
  /// The most connections that are kept open without a transfer. The oldest is closed first.
  static let idleConnections = 16
  /// The longest sleep of the thread without a command or a deadline, in seconds.
  private static let restSeconds = 60.0

  private enum Command: Sendable {
    case start(ResponseStream, TransferPlan)
    case resume(ResponseStream)
    case end(ResponseStream)
  }

  private struct State {
    var commands: [Command] = []
    var isClosed = false
    var isStarted = false
    /// Whether the thread has released all that it had of libcurl.
    var isEnded = false
    /// The callers of `close()` that wait for the thread.
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The address of the multi handle while the thread runs: a pointer is not Sendable.
    var multi: Int?
  }

  private let state = Mutex(State())
  private let connectionsPerHost: Int

  /// - Parameter connectionsPerHost: the most concurrent connections to one host and port.
  init(connectionsPerHost: Int) { self.connectionsPerHost = connectionsPerHost }

  /// Starts a transfer, which fails if the loop is closed, and without libcurl.
  func start(_ transfer: ResponseStream, _ plan: TransferPlan) {
    do {
      try CurlLibrary.open()
    } catch {
      return transfer.finish(.failure(error))
    }
    let (isLeft, isFirst) = state.withLock { state in
      guard Self.leave(.start(transfer, plan), in: &state) else { return (false, false) }
      defer { state.isStarted = true }
      return (true, !state.isStarted)
    }
    if !isLeft { transfer.finish(.failure(Self.closed)) }
    if isFirst { Thread.detachNewThread { self.run() } }
  }

  /// Lets a transfer go on whose reader was behind.
  func resume(_ transfer: ResponseStream) {
    state.withLock { _ = Self.leave(.resume(transfer), in: &$0) }
  }

  /// Ends a transfer, unless it has ended. Its reader gets the pieces that have come, then a
  /// `CancellationError`.
  func cancel(_ transfer: ResponseStream) {
    transfer.finish(.failure(CancellationError()))
    state.withLock { _ = Self.leave(.end(transfer), in: &$0) }
  }

  /// Ends all transfers, closes all connections and ends the thread. Does not wait for them.
  func startClosing() {
    state.withLock { state in
      state.isClosed = true
      Self.wake(state)
    }
  }

  /// Ends all transfers and closes all connections, and waits for it: a process that exits while its
  /// thread is in libcurl or OpenSSL may crash.
  func close() async {
    startClosing()
    await withCheckedContinuation { caller in
      let isEnded = state.withLock { state in
        if !state.isStarted || state.isEnded { return true }
        state.waiting.append(caller)
        return false
      }
      if isEnded { caller.resume() }
    }
  }

  /// Leaves a command to the thread. Returns false if the loop is closed.
  private static func leave(_ command: Command, in state: inout State) -> Bool {
    if state.isClosed { return false }
    state.commands.append(command)
    wake(state)
    return true
  }

  private static let refused = TransportFailure(
    .other, cause: "libcurl refused the options of the transfer, or memory is short")
  private static let closed = TransportFailure(.other, cause: "the client is closed")

  private static func wake(_ state: borrowing State) {
    if let multi = state.multi.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) {
      curl_shim_multi_wake(multi)
    }
  }

  // MARK: The thread

  /// The transfers of a thread by their identity.
  private typealias Running = [ObjectIdentifier: RunningTransfer]

  private func run() {
    var running: Running = [:]
    guard let multi = curl_shim_multi_make() else {
      return failAll(TransportFailure(.other, cause: "libcurl could not be started"))
    }
    curl_shim_multi_set(multi, CURLMOPT_MAX_HOST_CONNECTIONS, connectionsPerHost)
    curl_shim_multi_set(multi, CURLMOPT_MAXCONNECTS, Self.idleConnections)
    state.withLock { $0.multi = Int(bitPattern: multi) }
    while true {
      let (commands, isClosed): ([Command], Bool) = state.withLock { state in
        // `failAll` takes the commands that are left.
        if state.isClosed { return ([], true) }
        defer { state.commands = [] }
        return (state.commands, false)
      }
      if isClosed { break }
      for command in commands { Self.obey(command, multi, &running) }
      curl_shim_multi_perform(multi)
      Self.collectEnded(multi, &running)
      let seconds = Self.attend(multi, &running)
      curl_shim_multi_wait(multi, Int32(min(seconds, Self.restSeconds) * 1000) + 1)
    }
    state.withLock { $0.multi = nil }
    for transfer in running.values { transfer.leave(multi, TransportFailure(.closedEarly)) }
    curl_shim_multi_free(multi)
    failAll(Self.closed)
  }

  /// Closes the loop at the end of the thread, and fails the transfers that wait for their start.
  private func failAll(_ failure: TransportFailure) {
    let (commands, callers) = state.withLock { state in
      state.isClosed = true
      state.isEnded = true
      defer { (state.commands, state.waiting) = ([], []) }
      return (state.commands, state.waiting)
    }
    for case .start(let transfer, _) in commands { transfer.finish(.failure(failure)) }
    for caller in callers { caller.resume() }
  }

  private static func obey(
    _ command: Command, _ multi: UnsafeMutableRawPointer, _ running: inout Running
  ) {
    switch command {
    case .start(let transfer, let plan):
      guard let new = RunningTransfer(transfer, plan) else {
        return transfer.finish(.failure(Self.refused))
      }
      running[ObjectIdentifier(transfer)] = new
      if !new.join(multi) {
        running[ObjectIdentifier(transfer)] = nil
        transfer.finish(.failure(Self.refused))
      }
    case .resume(let transfer):
      running[ObjectIdentifier(transfer)]?.resume()
    case .end(let transfer):
      running.removeValue(forKey: ObjectIdentifier(transfer))?.leave(multi, CancellationError())
    }
  }

  /// Takes leave of the transfers that have ended.
  private static func collectEnded(_ multi: UnsafeMutableRawPointer, _ running: inout Running) {
    var code = CURLE_OK
    while let handle = curl_shim_next_ended(multi, &code) {
      guard let (key, transfer) = running.first(where: { $0.value.handle == handle }) else {
        continue
      }
      if transfer.restarts(after: code, multi) { continue }
      running[key] = nil
      transfer.finish(code, multi)
    }
  }

  /// Passes received bytes on, and ends the transfers whose time is over.
  ///
  /// - Returns: the seconds until the next deadline.
  private static func attend(
    _ multi: UnsafeMutableRawPointer, _ running: inout Running
  ) -> Double {
    let now = ContinuousClock.now
    var least = restSeconds
    for (key, transfer) in running {
      transfer.flush()
      guard let (deadline, failure) = transfer.deadline else { continue }
      let seconds = (deadline - now) / .seconds(1)
      if seconds <= 0 {
        running[key] = nil
        transfer.leave(multi, failure)
      } else {
        least = min(least, seconds)
      }
    }
    return least
  }
}

/// libcurl, which the first request opens.
package enum CurlLibrary {
  private static let opened: Result<Void, OffersError> = SharedLibrary.open(
    "libcurl", package: "libcurl4"
  ) {
    offers_libcurl_open(&$0)
  }.flatMap { _ in
    if curl_shim_start() == CURLE_OK { return .success(()) }
    return .failure(OffersError(.limitExceeded, "The library libcurl could not be started."))
  }

  /// Opens the library on the first call.
  ///
  /// - Throws: `OffersError` with `storageFailed` if it is not installed.
  package static func open() throws(OffersError) { try opened.get() }

  /// The version, such as `7.88.1`; nil if the library is not installed.
  package static var version: String? {
    // Doctor says that it is missing.
    guard (try? open()) != nil else { return nil }
    let first = String(cString: curl_shim_version()).prefix { $0 != " " }
    return String(first.drop { $0 != "/" }.dropFirst())
  }
}

/// The root certificates that TLS connections trust.
enum TrustedCertificates {
  /// The environment variable with the path of a PEM file of certificates that replaces the
  /// system's, as in OpenSSL.
  static let variable = "SSL_CERT_FILE"

  /// The path that the variable names; nil for the system's certificates.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a file without a certificate in PEM, which
  ///   libcurl would tell only after it has connected.
  static func file(_ environment: (String) -> String?) throws -> String? {
    guard let path = environment(variable), !path.isEmpty else { return nil }
    let text: Data
    do {
      text = try Data(contentsOf: URL(fileURLWithPath: path))
    } catch {
      throw unusable(path, cause: "\(error)")
    }
    guard text.firstRange(of: Data("CERTIFICATE-----".utf8)) != nil else {
      throw unusable(path, cause: "it has no line -----BEGIN CERTIFICATE-----")
    }
    return path
  }

  /// The error of a file that cannot be read as PEM certificates.
  static func unusable(_ path: String, cause: String) -> OffersError {
    OffersError(
      .invalidRequest, "\(variable) names \(path), which holds no certificates.",
      hint: "Name a file of certificates in PEM, or unset it.", cause: cause)
  }
}
