/// The operations that an open store allows.
public enum StoreAccess: Sendable {
  /// Reads only. The store must exist.
  case readOnly
  /// Reads and writes. A missing store is created if its place allows that.
  case readWrite
}

/// The place of a store, whether it can be opened or not: the path of a file, or the address of a
/// server.
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
  func open(_ access: StoreAccess) async throws -> any OffersStorage

  /// Opens the store, unless there is none; then nothing is created.
  ///
  /// - Returns: nil if there is none.
  func openExisting(_ access: StoreAccess) async throws -> (any OffersStorage)?

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

  package func openExisting(_ access: StoreAccess) async throws -> (any OffersStorage)? {
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
  /// A server that has tools of its own.
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
  /// The file of the store; nil for a store on a server.
  package var file: (any StoreFile)? {
    if case .file(let file) = medium { file } else { nil }
  }

  /// The file of the store, for work that only a file allows.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a store on a server; its advice says what does
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
