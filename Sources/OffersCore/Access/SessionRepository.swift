import Foundation

/// The sessions of the browsers that are logged in.
///
/// At most `Session.limit` are stored of each user. Every call may throw `OffersError` with `storageFailed`.
package protocol SessionRepository: Sendable {
  /// The session with an id; nil if there is none. An expired one is returned as well.
  func findSession(_ id: [UInt8]) async throws -> Session?

  /// All sessions, the last seen one first, expired ones included.
  func fetchSessions() async throws -> [Session]

  /// Stores a new session durably, and removes expired ones.
  ///
  /// - Throws: `OffersError.accessEnded` or `.roleChanged` if the ground of the login is no longer true;
  ///   `notFound` for an unknown user.
  func putSession(_ session: Session, on ground: SessionGround) async throws

  /// Checks the permit of the current task, as each write does, before a change that is not of the store.
  ///
  /// - Throws: `OffersError.accessEnded`, or `.roleChanged`.
  func checkPermit() async throws

  /// Records that a session and its user were seen, unless a later time is stored. Does not wait for the write,
  /// which may fail or be lost.
  func noteSession(_ id: [UInt8], seenAt: Date)

  /// Removes sessions durably; an id without a session is ignored.
  func endSessions(_ ids: [[UInt8]]) async throws
}
