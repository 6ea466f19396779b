import Foundation

/// Writes into a named pipe from a thread of its own, and stops halfway until it is told to go on.
///
/// A thread, because opening and writing wait for the reader, and must not keep the few threads
/// that tasks share from running it.
final class PipeWriter: Sendable {
  private let goAhead = DispatchSemaphore(value: 0)
  private let stops: AsyncStream<Void>

  /// Starts to write; it waits until somebody reads.
  init(_ first: String, _ rest: String, to path: String) {
    let (stops, stop) = AsyncStream.makeStream(of: Void.self)
    self.stops = stops
    let goAhead = goAhead
    Thread.detachNewThread {
      // A reader that ends too early is the test's to find, not a signal that ends the tests.
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

  /// Waits until all of the first part is in the pipe.
  func waitForHalf() async {
    for await _ in stops { return }
  }

  /// Lets the rest be written.
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
