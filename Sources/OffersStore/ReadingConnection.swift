import GRDB
import Synchronization

/// The connection that reads, opened when it is first needed: a program that only writes does
/// without.
final class ReadingConnection: Sendable {
  private let file: DatabaseFile
  private let isSalvage: Bool
  private let queue = Mutex<DatabaseQueue?>(nil)

  /// - Parameter isSalvage: whether to open it as far as that can be, whatever is damaged.
  init(_ file: DatabaseFile, isSalvage: Bool = false) {
    self.file = file
    self.isSalvage = isSalvage
  }

  func fetchQueue() throws -> DatabaseQueue {
    try queue.withLock { queue in
      if let queue { return queue }
      let opened = try open()
      queue = opened
      return opened
    }
  }

  /// Lets go of the file until it is needed again.
  func close() { queue.withLock { $0 = nil } }

  private func open() throws -> DatabaseQueue {
    let queue = try DatabaseQueue(
      path: file.pathForReading, configuration: .offers(isReadOnly: true, isSalvage: isSalvage))
    try queue.inDatabase {
      try DatabaseFile.checkVersion(Schema.version(of: $0), path: file.path)
    }
    return queue
  }
}
