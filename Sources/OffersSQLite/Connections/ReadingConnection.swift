import GRDB
import Synchronization

/// A pool of read-only connections, opened lazily: a program that only writes opens none.
final class ReadingConnection: Sendable {
  private struct Slot {
    let queue: DatabaseQueue
    /// The number of reads that run or wait on it.
    var userCount: Int
  }

  private let file: DatabaseFile
  private let limit: Int
  private let isSalvage: Bool
  private let slots = Mutex<[Slot]>([])

  /// - Parameters:
  ///   - limit: the maximum number of connections; further reads wait.
  ///   - isSalvage: whether to open a damaged file as far as possible.
  init(_ file: DatabaseFile, limit: Int = 1, isSalvage: Bool = false) {
    self.file = file
    self.limit = limit
    self.isSalvage = isSalvage
  }

  /// Opens the first connection, to check that the file can be read.
  func open() throws { try release(acquire()) }

  /// Reads in a transaction on the least busy connection.
  func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let queue = try acquire()
    defer { release(queue) }
    return try await queue.read(body)
  }

  /// Reads without a transaction on the least busy connection.
  func readWithoutTransaction<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    let queue = try acquire()
    defer { release(queue) }
    return try await queue.unsafeRead(body)
  }

  /// Lends the connection to the calling thread.
  func withQueue<Result>(_ body: (DatabaseQueue) throws -> Result) throws -> Result {
    let queue = try acquire()
    defer { release(queue) }
    return try body(queue)
  }

  private func acquire() throws -> DatabaseQueue {
    try slots.withLock { slots in
      var best = slots.indices.min { slots[$0].userCount < slots[$1].userCount }
      if best.map({ slots[$0].userCount > 0 }) ?? true, slots.count < limit {
        slots.append(Slot(queue: try makeQueue(), userCount: 0))
        best = slots.count - 1
      }
      let index = best ?? 0
      slots[index].userCount += 1
      return slots[index].queue
    }
  }

  private func release(_ queue: DatabaseQueue) {
    slots.withLock { slots in
      if let index = slots.firstIndex(where: { $0.queue === queue }) {
        slots[index].userCount -= 1
      }
    }
  }

  private func makeQueue() throws -> DatabaseQueue {
    let queue = try DatabaseQueue(
      path: file.pathForReading, configuration: .offers(isReadOnly: true, isSalvage: isSalvage))
    try queue.inDatabase {
      try DatabaseFile.checkVersion(Schema.version(of: $0), path: file.path)
    }
    return queue
  }
}
