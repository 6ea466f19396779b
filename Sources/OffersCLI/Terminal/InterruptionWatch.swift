import Dispatch
import Glibc
import OffersSync
import Synchronization

/// A handler that cleans up when a signal ends the program (SIGINT, SIGTERM or SIGHUP).
///
/// It is installed during the lifetime of the instance. After the cleanup the program ends by the
/// same signal, so that the shell sees the usual status. Once the cleanup has begun, `hold` and
/// `deinit` block until the program ends, so that no protected work continues. A signal that is
/// ignored when the instance is created stays ignored.
final class InterruptionWatch: InterruptionGuard {
  private final class Turn: Sendable {
    let lock = Mutex(())
  }

  private let turn: Turn
  /// The installed handlers. They are behind a lock because a dispatch source is not Sendable.
  private let signals: Mutex<[Signal]>

  private struct Signal {
    let number: Int32
    let source: any DispatchSourceSignal
    let old: sigaction
  }

  /// - Parameter clearUp: called on another thread.
  init(_ clearUp: @escaping @Sendable () -> Void) {
    let turn = Turn()
    self.turn = turn
    // Signals end the process, which is not up to a command that shares it with others.
    let numbers = ProcessContext.current.isProcess ? [SIGINT, SIGTERM, SIGHUP] : []
    let signals: [Signal] = numbers.compactMap { number in
      var old = sigaction()
      sigaction(number, nil, &old)
      let isIgnored = unsafeBitCast(old.__sigaction_handler, to: Int.self) == 1
      if isIgnored { return nil }
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { [old] in
        turn.lock.withLock { _ in
          clearUp()
          var old = old
          sigaction(number, &old, nil)
          // Threads of Dispatch block signals, and other threads may, too.
          var set = sigset_t()
          sigemptyset(&set)
          sigaddset(&set, number)
          pthread_sigmask(SIG_UNBLOCK, &set, nil)
          // `raise` signals this thread. A signal to the process could be delivered to the source.
          raise(number)
        }
      }
      // Waits until the source is registered. Until then the signal has its previous effect, so
      // that none is lost.
      let isHeard = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isHeard.signal() }
      source.resume()
      isHeard.wait()
      return Signal(number: number, source: source, old: old)
    }
    self.signals = Mutex(signals)
  }

  /// Runs work that a cleanup must not interrupt.
  func hold<Result>(_ body: () throws -> Result) rethrows -> Result {
    try turn.lock.withLock { _ in try body() }
  }

  deinit {
    turn.lock.withLock { _ in
      for signal in signals.withLock({ $0 }) {
        signal.source.cancel()
        var old = signal.old
        sigaction(signal.number, &old, nil)
      }
    }
  }
}
