/// Detects commits to the database by any process: this one, a cron job, another shell.
public protocol ChangeSignal: Sendable {
  /// A number that changes with each commit of any process. Cheap enough to be read before each
  /// answer. Values from before a restart cannot be compared with those after it.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  func fetchDataVersion() throws -> Int64
}
