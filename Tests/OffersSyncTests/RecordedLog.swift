import Logging
import Synchronization

/// Records the lines of a logger at every level, with their metadata.
final class RecordedLog: Sendable {
  private let recorded = Mutex<[String]>([])

  var lines: [String] { recorded.withLock { $0 } }

  var logger: Logger { Logger(label: "test", factory: { _ in Handler(owner: self) }) }

  private struct Handler: LogHandler {
    let owner: RecordedLog
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    subscript(metadataKey key: String) -> Logger.MetadataValue? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let all = metadata.merging(event.metadata ?? [:]) { $1 }
      let parts = all.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
      owner.recorded.withLock { $0.append((["\(event.message)"] + parts).joined(separator: " ")) }
    }
  }
}
