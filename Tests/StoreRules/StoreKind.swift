import MemoryStore
import OffersCore
import OffersSQLite
import OffersTestSupport

/// A store as the rules need it.
typealias RuledStore = OfferRepository & FavoriteRepository & HouseholdRepository & FeedRepository
  & SearchPreparation & ChangeRepository & LabelRepository & UserRepository & UserRecords
  & SyncStore
  & CommitSignal

/// The stores that keep the rules of this suite. There are no exceptions: a rule that is not true of
/// each of them belongs to the tests of the one that it is true of.
enum StoreKind: String, CaseIterable, Codable, Sendable {
  /// A database file.
  case sqlite
  /// A fake in memory.
  case memory

  /// The stores that are databases, which several processes can have open.
  static let databases = allCases.filter { $0 != .memory }

  /// Opens an empty store without feeds, for one test.
  func open() async throws -> OpenStore {
    switch self {
    case .sqlite:
      let folder = try FolderOfStore()
      return OpenStore(store: try await folder.open(), folder: folder)
    case .memory:
      return OpenStore(store: MemoryStore(), folder: nil)
    }
  }

  /// Opens the store of another process by its address.
  func open(at address: String) async throws -> any RuledStore {
    switch self {
    case .sqlite: try await OffersDatabase.open(path: address)
    case .memory:
      throw OffersError(.invalidRequest, "A store in memory belongs to one process.")
    }
  }
}

/// A store that a test has for itself.
struct OpenStore: Sendable {
  /// The store, bound to its owner.
  let store: any RuledStore
  fileprivate let folder: FolderOfStore?

  /// The address by which another process can open the store: the path of the file; nil for a store in
  /// memory.
  var address: String? { folder?.path }

  /// The same data through connections, caches and write turns of its own, as another process has
  /// them; for a store in memory, the store itself.
  func openAgain() async throws -> any RuledStore { try await folder?.open() ?? store }
}

/// The folder of a database file, which is removed with the last database that has it open.
///
/// A database keeps its definitions of feeds, of which there are none here, and with them the folder:
/// a test need not keep anything but the store.
private final class FolderOfStore: FeedDefinitions {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  var path: String { folder.file("offers.sqlite") }

  func open() async throws -> OffersDatabase {
    try await OffersDatabase.open(path: path, proposesFeed: false, definitions: self)
  }

  func defines(_ feed: String) -> Bool { false }
  func isSelection(_ feed: String) throws -> Bool { false }
}
