import GRDB
import GRDBSQLite
import Glibc
import OffersCore
import SQLiteShim
import Synchronization

/// A database that is made by the import of its first feed, and gets its name when that is complete.
///
/// Nobody sees it before. So new offers are written while their document is still read, and are kept
/// nowhere else meanwhile. Whoever looks for the database until then is told that it is being made;
/// whoever would make it waits. One that comes to stand there all the same stays, and the import is to
/// be done in it. One import, then `end`.
package final class FirstImport: SyncStore {
  /// A smaller document's offers cost little where they wait for its end.
  package static let minimumBytes = 4 << 20

  /// What the thread that writes is given.
  private enum Work: Sendable {
    case offers(any OfferRecordSource)
    case plan(SyncPlan, CheckedContinuation<SyncRun, any Error>)
    /// All is to be taken back.
    case end
  }

  private struct State {
    var handover: Handover<Work>?
    /// Whether the database has its name.
    var isDone = false
    /// Whether there is one that another program made.
    var isLate = false
    /// A run that changed no offer.
    var note: (run: SyncRun, source: NamedSource?, fetch: FetchState?)?
  }

  private let file: DatabaseFile
  /// Held to the end: only one import makes a database.
  private let turn: FileLock
  private let writeGuard: WriteGuard
  private let identity: DatabaseFile.Identity?
  private let queue: DatabaseQueue
  private let state = Mutex(State())

  /// The byte of the lock file that says that a first import is under way, behind those of the feeds.
  private static let lockByte: Int64 = 1 << 41

  /// Whether one is under way.
  static func isUnderWay(_ file: DatabaseFile) -> Bool {
    // What cannot be asked for is told by whoever opens the database.
    access(file.lockPath, F_OK) == 0
      && (try? FileLock(path: file.lockPath, byte: lockByte).isHeld()) == true
  }

  /// Waits for one that is under way.
  static func wait(for file: DatabaseFile) throws {
    if !isUnderWay(file) { return }
    let lock = try FileLock(path: file.lockPath, byte: lockByte)
    guard try lock.lock(waitSeconds: WriteGuard.waitSeconds) else {
      throw OffersError(
        .storageFailed,
        "The first import of \(file.path) takes longer than \(Int(WriteGuard.waitSeconds)) seconds.",
        hint: "Wait for it or stop it, then try again. Nothing was changed.")
    }
    lock.unlock()
  }

  /// Begins one where nothing stands at a path, and makes its folder.
  ///
  /// - Parameter expectedBytes: about how large the database will be; a document's own size will do.
  /// - Returns: nil where there is something, or another import is under way.
  /// - Throws: `OffersError` with `storageFailed`.
  package static func begin(at path: String, expectedBytes: Int) throws -> FirstImport? {
    // Where nothing can be made, opening the database tells why.
    guard let name = path.split(scalar: "/", omittingEmptySubsequences: false).last, name != "",
      FileBytes.makeFolders(of: path)
    else { return nil }
    // A whole path: SQLite would take some others for addresses.
    let file = DatabaseFile(path: DatabaseFile.resolve(FileBytes.folder(of: path)) + "/" + name)
    guard file.isAbsent, let turn = try? FileLock(path: file.lockPath, byte: lockByte),
      (try? turn.tryLock()) == true, let writeGuard = try? WriteGuard(path: file.lockPath)
    else { return nil }
    do {
      return try writeGuard.hold {
        file.isAbsent
          ? try FirstImport(file, turn, writeGuard, expectedBytes: expectedBytes) : nil
      }
    } catch {
      throw StorageFailure.translate(error, path: file.path)
    }
  }

  private init(
    _ file: DatabaseFile, _ turn: FileLock, _ writeGuard: WriteGuard, expectedBytes: Int
  ) throws {
    try Schema.withNewImage { image in
      try file.makeSetUp(UnsafeRawBufferPointer(image), roomBytes: expectedBytes)
    }
    do {
      queue = try DatabaseQueue(path: file.setUpPath, configuration: .offers(isReadOnly: false))
      // What cannot be completed is removed: there is nothing to go back to.
      try queue.inDatabase {
        try $0.execute(sql: "PRAGMA journal_mode = OFF; PRAGMA foreign_keys = OFF")
      }
    } catch {
      file.removeSetUp()
      throw error
    }
    self.file = file
    self.turn = turn
    self.writeGuard = writeGuard
    identity = file.setUpIdentity
  }

  /// Ends the import, whatever came of it. What failed is noted in a database as it always is.
  ///
  /// - Returns: false where another program made the database meanwhile. Nothing of the import is left
  ///   then.
  /// - Throws: `OffersError`.
  package func end() async throws -> Bool {
    let ended = state.withLock { $0 }
    // Where it failed, nobody waits for more.
    if !ended.isDone { try? ended.handover?.give(.end) }
    do {
      defer { turn.unlock() }
      // While the file is open, no other one is taken for it.
      if !ended.isDone { try writeGuard.hold(abandon) }
      try queue.close()
    } catch {
      throw StorageFailure.translate(error, path: file.path)
    }
    if let note = ended.note, !ended.isLate {
      // The failure itself is worth more to the caller than a failure to note it.
      try? await OffersDatabase(path: file.path).record(
        note.run, remember: note.source, fetch: note.fetch)
    }
    return !ended.isLate
  }

  /// Removes what there is of it, for a program that is about to end.
  package func abandon() {
    if file.setUpIdentity == identity { file.removeSetUp() }
  }

  package var scratchFolder: String { file.folder }

  package func withSyncLock<Result: Sendable>(
    on feed: String, waitSeconds: Double, _ body: @Sendable () async throws -> Result
  ) async throws -> Result {
    try await OffersDatabase.withSyncLocks(on: [feed], of: file, waitSeconds: waitSeconds, body)
  }

  package func fetchSubscribedFeeds() async throws -> [String] {
    try await read { try FeedTable.names(in: $0) }
  }

  package func findSyncState(of feed: String) async throws -> SyncState? {
    try await read { try FeedTable.findState(feed, in: $0) }
  }

  package func fetchKnownOffers(of feed: String) async throws -> KnownOffers {
    KnownOffers(capacity: 0)
  }

  package func preview(_ plan: SyncPlan) async throws -> (run: SyncRun, changes: [OfferChange]) {
    throw OffersError(.invalidRequest, "A first import is no trial.")
  }

  package func record(
    _ run: SyncRun, remember source: NamedSource?, fetch: FetchState?
  ) async throws {
    state.withLock { $0.note = (run, source, fetch) }
  }

  package func beginIntake(of run: SyncRun, isIndexed: Bool) throws -> (any OfferIntake)? {
    Intake(handover: beginWriting(run, isIndexed))
  }

  package func apply(_ plan: SyncPlan) async throws -> SyncRun {
    let handover =
      state.withLock(\.handover) ?? beginWriting(plan.run, plan.isIndexed)
    return try await withCheckedThrowingContinuation { continuation in
      do {
        try handover.give(.plan(plan, continuation))
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func read<Result: Sendable>(
    _ body: @escaping @Sendable (Database) throws -> Result
  ) async throws -> Result {
    do {
      return try await queue.read(body)
    } catch {
      throw StorageFailure.translate(error, path: file.path)
    }
  }

  /// Takes new offers as they are read.
  private final class Intake: OfferIntake {
    let handover: Handover<Work>

    init(handover: Handover<Work>) { self.handover = handover }

    func take(_ records: any OfferRecordSource) throws { try handover.give(.offers(records)) }
  }

  private func beginWriting(_ run: SyncRun, _ isIndexed: Bool) -> Handover<Work> {
    let handover = Handover<Work>()
    state.withLock { $0.handover = handover }
    queue.asyncWriteWithoutTransaction { self.write(run, isIndexed, $0, handover) }
    return handover
  }

  /// Writes what is handed over, until it is complete or to be taken back.
  private func write(
    _ run: SyncRun, _ isIndexed: Bool, _ database: Database, _ handover: Handover<Work>
  ) {
    var waiting: CheckedContinuation<SyncRun, any Error>?
    do {
      guard let run = try fill(database, run, isIndexed, handover, &waiting) else { return }
      try publish()
      waiting?.resume(returning: run)
    } catch {
      let error = StorageFailure.translate(error, path: file.path)
      if waiting == nil, case .plan(_, let next) = handover.fail(error) { waiting = next }
      waiting?.resume(throwing: error)
    }
  }

  /// - Parameter waiting: becomes who waits for the end.
  /// - Returns: the completed run; nil where all was taken back.
  private func fill(
    _ database: Database, _ run: SyncRun, _ isIndexed: Bool, _ handover: Handover<Work>,
    _ waiting: inout CheckedContinuation<SyncRun, any Error>?
  ) throws -> SyncRun? {
    let gathering = offers_gather_writes(database.sqliteConnection, SQLITE_FCNTL_FILE_POINTER)
    defer { offers_end_gathering(gathering) }
    var completed: SyncRun?
    try database.inTransaction(.immediate) {
      let (feedKey, _) = try FeedTable.fetchKey(
        run.feed, source: run.source, subscribes: true, at: run.startedSeconds, in: database)
      let writer = try DifferenceWriter(database, run, feedKey: feedKey, isIndexed: isIndexed)
      while true {
        switch handover.take() {
        case .offers(let records): try writer.insertAhead(records)
        case .plan(let plan, let continuation):
          waiting = continuation
          completed = try OffersDatabase.apply(plan, by: writer, feedKey: feedKey, in: database)
          return .commit
        case .end: return .rollback
        }
      }
    }
    return completed
  }

  /// Gives the database its name.
  private func publish() throws {
    try writeGuard.hold {
      guard file.isVacant, file.setUpIdentity == identity else {
        state.withLock { $0.isLate = true }
        throw OffersError(
          .storageFailed, "Another program has made \(file.path) meanwhile.",
          hint: "Nothing was changed. Try again.")
      }
      try file.nameSetUp()
      state.withLock { $0.isDone = true }
    }
  }
}
