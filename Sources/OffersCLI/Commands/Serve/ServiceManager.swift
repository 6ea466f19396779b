import Glibc
import OffersCore
import OffersPlatform

/// The service manager that started this process and wants to know its state, such as systemd for a
/// unit with `Type=notify`.
struct ServiceManager: Sendable {
  private let socket: NotifySocket
  /// The interval in which the process must report that it works, or else it is restarted; nil if it
  /// need not.
  let watchdogSeconds: Double?

  /// - Parameters:
  ///   - environment: the variables `NOTIFY_SOCKET`, `WATCHDOG_USEC` and `WATCHDOG_PID`.
  ///   - process: the id of this process. A watchdog that is meant for another process is ignored.
  /// - Returns: nil if there is no service manager.
  init?(_ environment: [String: String], process: pid_t = getpid()) {
    guard let socket = environment["NOTIFY_SOCKET"].flatMap(NotifySocket.init) else { return nil }
    self.socket = socket
    let isOther = environment["WATCHDOG_PID"].map { $0 != String(process) } ?? false
    let microseconds = isOther ? nil : environment["WATCHDOG_USEC"].flatMap { Double($0) }
    watchdogSeconds = microseconds.flatMap { $0 >= 1 ? $0 / 1_000_000 : nil }
  }

  /// The server listens.
  func reportReady() { report("READY=1") }

  /// The server answers requests.
  func reportWorking() { report("WATCHDOG=1") }

  /// The server is shutting down.
  func reportStopping() { report("STOPPING=1") }

  private func report(_ state: String) {
    do {
      try socket.send(state)
    } catch {
      // The service manager treats a missing report as a failure; the log then has the reason.
      Output.note("offers: The service manager could not be reached: \(error)")
    }
  }
}
