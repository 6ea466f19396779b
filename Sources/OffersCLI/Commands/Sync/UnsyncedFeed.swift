import OffersCore
import OffersFeeds

/// A feed that can be read and was not read yet.
enum UnsyncedFeed {
  /// Runs what reads a feed's offers, and says of one that is only not synced what to do.
  ///
  /// - Parameter feed: the one that was named, if one was.
  static func explaining<Result>(
    _ feed: String?, _ configurationPath: @autoclosure () throws -> SettingPath,
    _ body: () async throws -> Result
  ) async throws -> Result {
    do {
      return try await body()
    } catch let error as OffersError where error.code == .notFound {
      guard let feed, try configurationPath().load().names.contains(feed) else { throw error }
      throw OffersError(
        .notFound, "The feed \(feed) was not synced yet.", hint: "Sync it: offers sync \(feed)",
        cause: error.message)
    }
  }
}
