/// The failed attempts to log in, kept so that the waits outlast a restart.
///
/// At most `LoginAttempts.limit` networks are stored. Every call may throw `OffersError` with
/// `storageFailed`.
package protocol AttemptRepository: Sendable {
  /// The attempts of all networks, and those of all together.
  func fetchAttempts() async throws -> [LoginAttempts]

  /// Stores attempts, each in place of those of the same network unless these failed later, and
  /// removes the attempts of other networks. A power cut may lose the last changes.
  ///
  /// - Parameters:
  ///   - attempts: the attempts to store.
  ///   - networks: the networks whose attempts are removed.
  func putAttempts(_ attempts: [LoginAttempts], removing networks: [String]) async throws
}
