import OffersCore

/// The place of a store, whether it can be opened or not: the path of a file, or the address of a
/// PostgreSQL database.
package protocol StorePlace: Sendable {
  /// The place as people know it. It has no password.
  var name: String { get }

  /// The thing that keeps the store.
  var medium: StoreMedium { get }

  /// Whether there is a store, so that opening it for writing would not create one. A store that only
  /// a connection could look for counts as existing.
  var exists: Bool { get }

  /// The error of a call that needs an existing store if there is none, with the code `notFound`.
  var missing: OffersError { get }

  /// A folder with room for temporary files of the caller.
  var temporaryFolder: String { get }

  /// The findings about the way to the store, whether it can be opened or not.
  var findings: [Finding] { get }

  /// Opens the store, bound to its owner.
  ///
  /// - Throws: `OffersError`, such as `notFound` if the access is read-only and there is no store;
  ///   `CancellationError`.
  func open(_ access: OffersDatabase.Access) async throws -> OffersDatabase

  /// Opens the store, unless there is none; then nothing is created.
  ///
  /// - Returns: nil if there is none.
  func openExisting(_ access: OffersDatabase.Access) async throws -> OffersDatabase?

  /// Checks that no other process has the store open, nor another part of this one.
  ///
  /// - Throws: `OffersError` with `locked` if one has it open.
  func requireUnused() async throws

  /// Records a use of a cached image: as a hit, and for the order of eviction. Nothing is recorded while
  /// another process writes to the file.
  func noteImageUse(of url: String) async throws
}

extension StorePlace {
  package var findings: [Finding] { [] }

  package func openExisting(_ access: OffersDatabase.Access) async throws -> OffersDatabase? {
    guard exists else { return nil }
    do {
      return try await open(access)
    } catch let error as OffersError where error.code == .notFound {
      // Another process is just creating it.
      return nil
    }
  }
}

/// The thing that keeps a store.
package enum StoreMedium: Sendable {
  /// A file of this machine, of which this program takes care.
  case file(any StoreFile)
  /// A PostgreSQL server, which has tools of its own.
  ///
  /// - Parameter tools: the advice which of the tools does some work instead.
  case server(tools: @Sendable (StoreFileOperation) -> Hint)
}

/// Work on the file of a store.
package enum StoreFileOperation: CaseIterable, Sendable {
  case backup
  case restoration
  case examination
  case repair

  /// The verb for the work.
  fileprivate var text: String {
    switch self {
    case .backup: "copies"
    case .restoration: "restores"
    case .examination: "checks"
    case .repair: "repairs"
    }
  }
}

extension StorePlace {
  /// The file of the store; nil for a store in PostgreSQL.
  package var file: (any StoreFile)? {
    if case .file(let file) = medium { file } else { nil }
  }

  /// The file of the store, for work that only a file allows.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a store in PostgreSQL; its advice says what does
  ///   the work instead.
  package func fetchFile(for work: StoreFileOperation) throws(OffersError) -> any StoreFile {
    switch medium {
    case .file(let file): return file
    case .server(let tools):
      throw OffersError(
        .invalidRequest,
        "\(name) is a database on a server, which is not a file that this program \(work.text).",
        hint: tools(work))
    }
  }
}

/// The file of a store, whether it can be opened or not.
package protocol StoreFile: StorePlace {
  /// The path of the file.
  var path: String { get }

  /// The size of the file and of its write-ahead log, in bytes.
  var sizeBytes: Int { get }

  /// The free space on the disk of the file, in bytes; nil if unknown.
  func findFreeBytes() -> Int?

  /// Checks the file and its folder without opening the store.
  func examineFile() -> [Finding]

  /// Reports the files that killed processes have left beside the store.
  func examineRemains() -> Finding

  /// Removes the files that killed processes have left beside the store, which need not exist.
  ///
  /// - Returns: nil if there is none.
  func removeRemains() -> Repair?

  /// The advice for a store that could not be opened. For a damaged one, it depends on whether
  /// anything is left to salvage.
  func hint(on error: OffersError) async -> Hint?

  /// Replaces the store by a copy of a backup. The old one is kept beside it.
  ///
  /// - Parameters:
  ///   - backup: the path of the backup. It stays as it is.
  ///   - copying: called with the path of the incomplete copy once it is created, and with nil once
  ///     it is removed or complete. An interrupted program removes that copy.
  /// - Throws: `OffersError`: `invalidRequest` if both are the same file; `notFound`,
  ///   `newerDatabase`, or `storageFailed` for a backup that cannot be used; `locked` if the store is
  ///   open in any program. Nothing was changed then.
  func restore(
    from backup: String, copying: @escaping @Sendable (String?) -> Void
  ) async throws -> Restoration

  /// Replaces the store by a new one with what can be read of a damaged one and no sync brings back: users,
  /// feeds with their sources, and favorites. The old one is kept beside it.
  ///
  /// - Parameters:
  ///   - damaged: the path of the damaged store, which stays as it is; nil for the store itself.
  ///   - copying: as in `restore(from:copying:)`.
  /// - Throws: as `restore(from:copying:)`; `OffersError` with `storageFailed` if nothing can be read.
  func salvage(
    from damaged: String?, copying: @escaping @Sendable (String?) -> Void
  ) async throws -> Restoration
}

extension StoreFile {
  package var name: String { path }
  package var medium: StoreMedium { .file(self) }
}

/// The result of a restoration.
package struct Restoration: Hashable, Sendable {
  /// The path of the restored store, with links resolved.
  package let path: String
  package let bytes: Int
  /// The path of the old store; nil if there was none. Its log and journal, if it has any, are beside
  /// it.
  package let aside: String?
  /// The counts of salvaged rows; nil if a backup was restored.
  package let salvaged: SalvageSummary?
  /// The parts of the schema that this program did not create.
  package let foreignSchema: [String]

  package init(
    path: String, bytes: Int, aside: String?, salvaged: SalvageSummary? = nil,
    foreignSchema: [String] = []
  ) {
    self.path = path
    self.bytes = bytes
    self.aside = aside
    self.salvaged = salvaged
    self.foreignSchema = foreignSchema
  }
}

/// The rows that were copied from a damaged store.
package struct SalvageSummary: Hashable, Sendable {
  package var users = 0
  package var feeds = 0
  package var favorites = 0
  /// The kinds of rows of which some could not be read.
  package var unread: [ExportRecord.Section] = []

  package init() {}
}
