/// Tells that something was written, whoever wrote it: this program, cron, a shell.
public protocol ChangeSignal: Sendable {
  /// A number that differs after each commit of any process. It takes microseconds, and may be
  /// asked before each answer. It says nothing across a restart.
  ///
  /// - Throws: `OffersError` with `storageFailed`.
  func fetchDataVersion() throws -> Int64
}
