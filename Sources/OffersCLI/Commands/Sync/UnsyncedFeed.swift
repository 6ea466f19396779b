import OffersCore
import OffersFeeds

/// The error for a feed that is defined but has never been synced.
enum UnsyncedFeed {
  /// Runs a closure that reads the offers of a feed. If it throws `notFound` and the feed has a
  /// definition, the error says instead that the feed has to be synced first.
  ///
  /// - Parameters:
  ///   - feed: the feed that the user named; nil for none.
  ///   - configurationPath: the file of definitions, which is read only after an error.
  ///   - database: the database, which has definitions, too.
  ///   - body: the closure that reads the offers.
  static func explaining<Result>(
    _ feed: String?, _ configurationPath: @autoclosure () throws -> SettingPath,
    in database: any OffersStorage, _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as OffersError where error.code == .notFound {
      guard let feed, try await configurationPath().load(from: database).names.contains(feed) else {
        throw error
      }
      throw OffersError(
        .notFound, "The feed \(feed) has not been synced yet.",
        hint: "Sync it: offers sync \(feed)",
        cause: error.message)
    }
  }
}
