import Foundation

/// Writes into a named pipe from its own thread, and pauses halfway until it is told to continue.
///
/// It uses a thread because opening and writing block until the reader reads, and must not occupy
/// the few threads of the concurrency pool that run the reader.
final class PipeWriter: Sendable {
  private let goAhead = DispatchSemaphore(value: 0)
  private let stops: AsyncStream<Void>

  /// Starts to write. The thread blocks until there is a reader.
  init(_ first: String, _ rest: String, to path: String) {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    self.stops = stops
    let goAhead = goAhead
    Thread.detachNewThread {
      // A reader that stops early must fail the test, not terminate the process by SIGPIPE.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGPIPE)
      pthread_sigmask(SIG_BLOCK, &signals, nil)
      let pipe = open(path, O_WRONLY | O_CLOEXEC)
      defer { close(pipe) }
      Self.put(first, to: pipe)
      stop.yield()
      stop.finish()
      _ = goAhead.wait(timeout: .now() + 20)
      Self.put(rest, to: pipe)
    }
  }

  /// Waits until the first part is written completely.
  func waitForHalf() async {
    for await _ in stops { return }
  }

  /// Continues with the rest.
  func goOn() { goAhead.signal() }

  private static func put(_ text: String, to pipe: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(pipe, $0.baseAddress, $0.count) }
      if count <= 0 { return }
      bytes = bytes.dropFirst(count)
    }
  }
}
