import Synchronization

/// A cache of responses by target, with a limit of bytes.
///
/// All entries were made from one version of the database; the first of another version empties the cache,
/// as does one for which there is no room.
final class ResponseCache: Sendable {
  /// A response.
  struct Entry: Sendable {
    let content: TaggedContent
    /// The time of expiry; nil if only a write invalidates the entry.
    let until: ContinuousClock.Instant?
  }

  private struct State {
    var version = Int64.min
    /// The entries by target.
    var entries: [String: Entry] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())
  private let limitBytes: Int
  /// The estimated size of an entry besides its content and its target, in bytes.
  private static let overheadBytes = 1024

  init(limitBytes: Int = 32 << 20) {
    self.limitBytes = limitBytes
  }

  /// The response to a target, if it was made from this version of the database and has not expired.
  func find(_ target: String, version: Int64) -> Entry? {
    state.withLock { state in
      guard state.version == version, let entry = state.entries[target] else { return nil }
      if let until = entry.until, until <= .now { return nil }
      return entry
    }
  }

  /// Adds a response, unless it is larger than an eighth of the cache. It replaces the response to
  /// the same target.
  ///
  /// - Parameters:
  ///   - entry: the response to add.
  ///   - target: the path and query of the request that it answers.
  ///   - version: the version of the database from before the response was made.
  func put(_ entry: Entry, at target: String, version: Int64) {
    let bytes = Self.bytes(of: entry, at: target)
    if bytes > limitBytes / 8 { return }
    state.withLock { state in
      if let old = state.entries.removeValue(forKey: target) {
        state.bytes -= Self.bytes(of: old, at: target)
      }
      if state.version != version || state.bytes + bytes > limitBytes {
        state = State(version: version)
      }
      state.entries[target] = entry
      state.bytes += bytes
    }
  }

  private static func bytes(of entry: Entry, at target: String) -> Int {
    entry.content.body.readableBytes + 2 * target.utf8.count + overheadBytes
  }

  /// The number and the total size of the entries, for tests.
  var contents: (count: Int, bytes: Int) { state.withLock { ($0.entries.count, $0.bytes) } }
}
