import Dispatch
import Glibc

/// Clears up when the program is interrupted or told to end (Ctrl-C, `kill`), for as long as it
/// exists; then the program ends as the shell expects.
///
/// A signal that the program was started with ignored stays ignored.
final class InterruptionWatch {
  private let sources: [(signal: Int32, source: any DispatchSourceSignal, old: sigaction)]

  /// - Parameter clearUp: called on a thread of its own while the work goes on.
  init(_ clearUp: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].compactMap { number in
      var old = sigaction()
      sigaction(number, nil, &old)
      let isIgnored = unsafeBitCast(old.__sigaction_handler, to: Int.self) == 1
      if isIgnored { return nil }
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        clearUp()
        var old = old
        sigaction(number, &old, nil)
        raise(number)
      }
      source.resume()
      return (number, source, old)
    }
  }

  deinit {
    for (number, source, old) in sources {
      source.cancel()
      var old = old
      sigaction(number, &old, nil)
    }
  }
}
