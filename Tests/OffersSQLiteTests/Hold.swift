import Dispatch
import Foundation
import Synchronization

/// Holds a thread inside an operation until the test lets it go on.
final class Hold: Sendable {
  private let mayEnd = DispatchSemaphore(value: 0)
  private let (begins, beginning) = AsyncStream<Void>.makeStream()
  /// A failing test goes on after this time.
  private static let limitSeconds = 60.0

  /// Called by the operation, on a thread that may block: returns when the test calls `end`.
  func begin() {
    beginning.finish()
    _ = mayEnd.wait(timeout: .now() + Self.limitSeconds)
  }

  /// Returns when the operation has called `begin`.
  func begun() async { for await _ in begins {} }

  func end() { mayEnd.signal() }
}

/// Events in the order in which they happened.
final class Events: Sendable {
  private let names = Mutex<[String]>([])

  func add(_ name: String) { names.withLock { $0.append(name) } }
  var all: [String] { names.withLock { $0 } }
}

/// The open files of this process.
enum OpenFiles {
  /// The number of descriptors of a file.
  static func count(of path: String) -> Int {
    let folder = "/proc/self/fd"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return numbers.count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0)) == path
    }
  }
}
