public import OffersCore
import Synchronization

/// The values of a read, for a screen that shows it: the present one at once, then each one that differs from
/// the one before it; see `OffersDatabase.updates(of:)`.
///
/// A value is read when the loop asks for it. So a slow loop misses values in between and never gets an old one.
public struct OfferUpdates<Value: Equatable & Sendable>: AsyncSequence, Sendable {
  fileprivate let database: OffersDatabase
  fileprivate let read: SharedRead<Value>

  /// Begins a loop. It follows the commits before its first read, so that none is lost in between.
  public func makeAsyncIterator() -> Iterator {
    Iterator(
      commits: database.commits.makeAsyncIterator(), database: database, read: read)
  }

  /// The values of one loop.
  public struct Iterator: AsyncIteratorProtocol {
    fileprivate var commits: AsyncStream<DataCommit>.Iterator
    fileprivate let database: OffersDatabase
    fileprivate let read: SharedRead<Value>
    /// The last value that was returned.
    private var last: Value?

    fileprivate init(
      commits: AsyncStream<DataCommit>.Iterator, database: OffersDatabase, read: SharedRead<Value>
    ) {
      (self.commits, self.database, self.read) = (commits, database, read)
    }

    /// Waits for the next value; nil once the task is cancelled or the database is closed.
    public mutating func next(
      isolation actor: isolated (any Actor)? = #isolation
    ) async -> Value? {
      while let commit = await commits.next(isolation: actor) {
        if !commit.concerns(database.user) { continue }
        // The first read is of the version now, which may be newer than the one that was told last.
        var version = last == nil ? nil : commit.version
        while !Task.isCancelled {
          do {
            let known = if let version { version } else { try await database.fetchDataVersion() }
            let value = try await read.value(at: known)
            if value == last { break }
            last = value
            return value
          } catch let error as OffersError where [.notFound, .invalidRequest].contains(error.code) {
            // Only a commit can change that, unless the database is closed, which ends the commits.
            break
          } catch {
            version = nil
            // The only error is the cancellation, which ends the loop.
            try? await Task.sleep(for: CommitWatch.retryInterval)
          }
        }
      }
      return nil
    }
  }
}

extension OffersDatabase {
  /// The offers that a query selects, for a screen that shows them: at once, and again when they have changed
  /// by a commit of any process, about 250 milliseconds later at most.
  ///
  /// The loop ends when its task is cancelled or the database is closed. It waits while the offers cannot be
  /// read, also for an unknown feed or an invalid query: `fetchOffers(_:)` tells why. An offer that expires
  /// leaves the list with the next commit.
  ///
  /// ```swift
  /// for await offers in database.updates(of: OfferQuery(favoritesOnly: true)) {
  ///   favorites = offers
  /// }
  /// ```
  ///
  /// A thousand screens may be open at a time. Those of one user with equal queries share each read.
  public func updates(of query: OfferQuery) -> OfferUpdates<[UserOffer]> {
    OfferUpdates(database: self, read: watch.read(of: query, for: self))
  }

  /// The values of any read, as `updates(of:)` has those of a query.
  ///
  /// ```swift
  /// for await offer in database.updates({ try await $0.findOffer(ref) }) {
  ///   …
  /// }
  /// ```
  ///
  /// - Parameter fetch: reads from this database only, because a commit is the reason to read again, unless it is
  ///   one of pictures or of favorites of others. Its value is shared by all loops over the sequence.
  public func updates<Value: Equatable & Sendable>(
    _ fetch: @escaping @Sendable (OffersDatabase) async throws -> Value
  ) -> OfferUpdates<Value> {
    OfferUpdates(database: self, read: SharedRead(self, fetch))
  }

  /// The versions of the data: the current one, then each new one about 250 milliseconds after its commit at
  /// most. Several commits within that time count as one.
  ///
  /// Each stream has one observer and ends when its task is cancelled or the database is closed. While
  /// the database cannot be read, it waits.
  package var commits: AsyncStream<DataCommit> { watch.commits }
}

/// A version of the data, and what has changed since the one before it in the same stream.
package struct DataCommit: Hashable, Sendable {
  /// The version, as `OffersDatabase.fetchDataVersion()` tells it.
  package let version: Int64
  /// What has changed, if that is favorites and pictures only; nil for anything else, for the first version
  /// of a stream, and where it is not known, as of the commits of other processes.
  package let changes: DataChanges?

  package init(version: Int64, changes: DataChanges? = nil) {
    self.version = version
    self.changes = changes
  }

  /// Whether offers, or what a user has marked of them, may have changed: not if only pictures were stored, or
  /// favorites of others changed.
  package func concerns(_ user: User.ID) -> Bool {
    changes.map { $0.favorites[user] != nil } ?? true
  }

  /// The later of two commits, with the changes of both.
  package func followed(by next: DataCommit) -> DataCommit {
    DataCommit(
      version: next.version,
      changes: changes.flatMap { own in next.changes.map { own.followed(by: $0) } })
  }
}

/// Changes of favorites and of the cache of pictures.
package struct DataChanges: Hashable, Sendable {
  /// The favorites that changed, by the user whose they are, each with whether it is a favorite since then.
  package var favorites: [User.ID: [OfferRef: Bool]]
  /// Whether pictures, or what is known of them, changed.
  package var hasPictures: Bool

  package init(favorites: [User.ID: [OfferRef: Bool]] = [:], hasPictures: Bool = false) {
    self.favorites = favorites
    self.hasPictures = hasPictures
  }

  /// The changes of pictures alone.
  package static let pictures = DataChanges(hasPictures: true)

  package func followed(by next: DataChanges) -> DataChanges {
    DataChanges(
      favorites: favorites.merging(next.favorites) { $0.merging($1) { $1 } },
      hasPictures: hasPictures || next.hasPictures)
  }
}

extension AsyncStream<DataCommit>.Continuation {
  /// Tells the observer a commit. A slow one gets one commit in place of several, with the changes of all.
  package func tell(_ commit: DataCommit) {
    if case .dropped(let last) = yield(commit) { yield(last.followed(by: commit)) }
  }
}

/// Passes the commits of an engine on to all who follow them: it listens to the engine once, and only while
/// somebody follows. It also knows the reads that observers share.
final class CommitWatch: Sendable {
  private struct State {
    var followers: [Int: AsyncStream<DataCommit>.Continuation] = [:]
    var lastFollower = 0
    /// The version that was told last; nil before the first.
    var version: Int64?
    /// Follows the engine. After the last follower it is cancelled, and the next one begins behind it.
    var task: Task<Void, Never>?
    var reads: [ReadKey: WeakRead] = [:]
  }

  /// The shortest time between two commits that are told.
  private static let interval = Duration.milliseconds(250)
  /// The time after which an observer reads again that could not read.
  static let retryInterval = Duration.seconds(1)

  /// Few reads of observers run at a time, so that the other reads of the program need not wait for all of them.
  let turns = FairTurns<User.ID>(limit: 2, keyLimit: 2)
  private let engine: any Engine
  private let state = Mutex(State())

  init(_ engine: any Engine) { self.engine = engine }

  var commits: AsyncStream<DataCommit> {
    AsyncStream(bufferingPolicy: .bufferingNewest(1)) { follower in
      let number = state.withLock { state in
        state.lastFollower += 1
        state.followers[state.lastFollower] = follower
        if let version = state.version { follower.yield(DataCommit(version: version)) }
        if state.task?.isCancelled ?? true {
          state.task = Task.detached { [last = state.task] in
            await last?.value
            await self.follow()
          }
        }
        return state.lastFollower
      }
      follower.onTermination = { [weak self] _ in self?.end(number) }
    }
  }

  private func end(_ number: Int) {
    state.withLock { state in
      guard state.followers.removeValue(forKey: number) != nil, state.followers.isEmpty else {
        return
      }
      state.task?.cancel()
      state.version = nil
    }
  }

  private func follow() async {
    for await commit in engine.commits() {
      state.withLock { state in
        // The followers of now belong to the task behind this one.
        if Task.isCancelled { return }
        state.version = commit.version
        for follower in state.followers.values { follower.tell(commit) }
      }
      // The only error is the cancellation, which ends the loop.
      try? await Task.sleep(for: Self.interval)
    }
    // The database is closed.
    let followers = state.withLock { state -> [AsyncStream<DataCommit>.Continuation] in
      if Task.isCancelled { return [] }
      defer { (state.followers, state.task, state.version) = ([:], nil, nil) }
      return Array(state.followers.values)
    }
    for follower in followers { follower.finish() }
  }
}

extension CommitWatch {
  fileprivate struct ReadKey: Hashable {
    let query: OfferQuery
    let user: User.ID
  }

  fileprivate struct WeakRead {
    weak var read: SharedRead<[UserOffer]>?
  }

  /// The read of a query, which its observers share.
  fileprivate func read(
    of query: OfferQuery, for database: OffersDatabase
  ) -> SharedRead<[UserOffer]> {
    let key = ReadKey(query: query, user: database.user)
    return state.withLock { state in
      if let read = state.reads[key]?.read { return read }
      let read = SharedRead(
        database, { try await $0.fetchOffers(query) },
        whenUnused: { [weak self] in self?.forget(key) })
      state.reads[key] = WeakRead(read: read)
      return read
    }
  }

  /// Forgets a read that nobody uses, unless a new observer has begun another one.
  private func forget(_ key: ReadKey) {
    // It is returned, because its release calls this again, which needs the lock.
    _ = state.withLock { state in
      let read = state.reads[key]?.read
      if read == nil { state.reads[key] = nil }
      return read
    }
  }
}

/// A read whose result all of its observers share, once for each version of the data.
private final class SharedRead<Value: Sendable>: Sendable {
  private struct Reading {
    let version: Int64
    let task: Task<Value, any Error>
    /// The number of observers that were not cancelled.
    var observerCount = 0
  }

  private let database: OffersDatabase
  private let fetch: @Sendable (OffersDatabase) async throws -> Value
  private let whenUnused: @Sendable () -> Void
  private let last = Mutex<Reading?>(nil)

  init(
    _ database: OffersDatabase, _ fetch: @escaping @Sendable (OffersDatabase) async throws -> Value,
    whenUnused: @escaping @Sendable () -> Void = {}
  ) {
    (self.database, self.fetch, self.whenUnused) = (database, fetch, whenUnused)
  }

  deinit { whenUnused() }

  /// The result of a read that began when the data had a version, or later.
  func value(at version: Int64) async throws -> Value {
    let task = last.withLock { last in
      var reading = last.flatMap { $0.version == version ? $0 : nil } ?? begin(at: version)
      reading.observerCount += 1
      last = reading
      return reading.task
    }
    // The stream ends for an observer that is cancelled, while the others go on waiting.
    let (results, observer) = AsyncStream.makeStream(of: Result<Value, any Error>.self)
    Task {
      observer.yield(await task.result)
      observer.finish()
    }
    for await result in results {
      // The next observer tries again.
      if case .failure = result { last.withLock { if $0?.task == task { $0 = nil } } }
      return try result.get()
    }
    leave(task)
    throw CancellationError()
  }

  private func begin(at version: Int64) -> Reading {
    // Detached, because it belongs to none of the observers.
    Reading(
      version: version,
      task: Task.detached { [database, fetch] in
        try await database.watch.turns.run(for: database.user) { try await fetch(database) }
      })
  }

  /// Cancels a read whose observers were all cancelled.
  private func leave(_ task: Task<Value, any Error>) {
    last.withLock { last in
      guard last?.task == task else { return }
      last?.observerCount -= 1
      guard last?.observerCount == 0 else { return }
      last = nil
      task.cancel()
    }
  }
}
