import Dispatch
import Glibc
import Synchronization

/// Clears up when the program is interrupted or told to end (Ctrl-C, `kill`, a closed terminal), for
/// as long as it exists; then the program ends as the shell expects.
///
/// Once it clears up, nothing that it protects goes on: `hold` and the end of the watch wait for the
/// end of the program. A signal that the program was started with ignored stays ignored.
final class InterruptionWatch: Sendable {
  private final class Turn: Sendable {
    let lock = Mutex(())
  }

  private let turn: Turn
  /// Behind a lock because a signal's source is not Sendable.
  private let signals: Mutex<[Signal]>

  private struct Signal {
    let number: Int32
    let source: any DispatchSourceSignal
    let old: sigaction
  }

  /// - Parameter clearUp: called on a thread of its own.
  init(_ clearUp: @escaping @Sendable () -> Void) {
    let turn = Turn()
    self.turn = turn
    let signals: [Signal] = [SIGINT, SIGTERM, SIGHUP].compactMap { number in
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
          // Threads of this kind take no signals, nor may others.
          var set = sigset_t()
          sigemptyset(&set)
          sigaddset(&set, number)
          pthread_sigmask(SIG_UNBLOCK, &set, nil)
          // To this thread: one for the whole process may be taken for another event of the source.
          raise(number)
        }
      }
      // Until it is heard, the signal does what it did before, and is not lost.
      let isHeard = DispatchSemaphore(value: 0)
      source.setRegistrationHandler { isHeard.signal() }
      source.resume()
      isHeard.wait()
      return Signal(number: number, source: source, old: old)
    }
    self.signals = Mutex(signals)
  }

  /// Does what must not be half done when the program is interrupted.
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
