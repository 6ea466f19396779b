import Logging
import Synchronization

/// A log that a test reads.
final class RecordedLog: Sendable {
  private struct Handler: LogHandler {
    let log: RecordedLog
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    init(log: RecordedLog) { self.log = log }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let values = (event.metadata ?? [:]).sorted { $0.key < $1.key }
        .map { " \($0.key)=\($0.value)" }
      let line = "\(event.level) \(event.message)" + values.joined()
      log.stored.withLock { $0.append(line) }
    }
  }

  private let stored = Mutex<[String]>([])

  var lines: [String] { stored.withLock(\.self) }

  var logger: Logger { Logger(label: "access", factory: { _ in Handler(log: self) }) }
}
