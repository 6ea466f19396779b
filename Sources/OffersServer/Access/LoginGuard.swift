import Foundation
import HTTPTypes
import Logging
import OffersCore
import OffersStore
import Synchronization

/// Makes clients that show wrong tokens or passphrases wait, ever longer.
///
/// Wrong tokens are counted by network, and all together. The right token is checked before and is
/// accepted during any wait. A strong token makes that safe: the waits do not protect it, they bound
/// the work and the log that guesses cause. So nobody can lock out others by guessing.
///
/// Passphrases are counted by network and by account, and not looked at during a wait; codes by network. The
/// browsers that are logged in to an account are counted by themselves.
///
/// All attempts are in memory, at most `LoginAttempts.limit` of networks and of accounts, and changes are written
/// to the database at most once a second, so that no request waits for a write. Those that other servers on the
/// same database have written are read before an attempt, once a second as well: with several servers, a second
/// may see an attempt more on each.
actor LoginGuard {
  private var attempts: [String: LoginAttempts] = [:]
  /// The networks whose attempts have changed since the last write.
  private var changed: Set<String> = []
  /// When the stored attempts were read; nil before the first time.
  private var loadedAt: Date?
  /// The numbers of writes that have begun and have ended. What was read during a write may be older than what is
  /// in memory.
  private var begunWrites = 0
  private var endedWrites = 0
  /// The last write; the next begins when it has ended.
  private var write: Task<Void, Never>?
  /// The task that writes in a second.
  private var writer: Task<Void, Never>?
  private var isClosed = false
  /// Whether the last read or write failed, which is logged once.
  private var hasFailed = false

  private let repository: OffersDatabase
  private let now: @Sendable () -> Date
  private let logger: Logger
  private let refusals: LoginRefusalLog

  init(_ repository: OffersDatabase, now: @escaping @Sendable () -> Date, logger: Logger) {
    self.repository = repository
    self.now = now
    self.logger = logger
    refusals = LoginRefusalLog(logger)
  }

  /// Counts an attempt with a wrong token, and logs it.
  ///
  /// - Returns: the time to wait in whole seconds, if the attempt was made within a wait, and was
  ///   not counted; nil if it was counted.
  func fail(_ client: Peer) async -> Int? {
    let wait = await begin([client.network, LoginAttempts.overall], client)
    if wait == nil { refuse(client) }
    return wait
  }

  /// Counts an attempt as failed, until `succeed` forgets it. An attempt within a wait is not
  /// counted, and is logged.
  ///
  /// - Parameter names: by what the attempt is counted; see `LoginAttempts.network`.
  /// - Returns: the time to wait in whole seconds, for an attempt within a wait; nil if it was
  ///   counted.
  func begin(_ names: [String], _ client: Peer) async -> Int? {
    await load()
    let now = now()
    if let wait = names.compactMap({ attempts[$0]?.waitSeconds(at: now) }).max(), wait > 0 {
      refuse(client, status: 429)
      writeLater()
      return Int(wait.rounded(.up))
    }
    for name in names {
      attempts[name, default: LoginAttempts(network: name)].fail(at: now)
      changed.insert(name)
    }
    dropOldest()
    writeLater()
    return nil
  }

  func refuse(_ client: Peer, status: Int = 401) {
    refusals.note(client, status: status, at: now())
  }

  /// Takes back an attempt that `begin` has counted and that was then not looked at.
  func takeBack(_ names: [String]) {
    for name in names {
      attempts[name]?.takeBack()
      if let count = attempts[name]?.count, count <= 0 { attempts[name] = nil }
      changed.insert(name)
    }
    writeLater()
  }

  /// Forgets the failed attempts of a client's network, after the right token.
  func succeed(_ client: Peer) async { await succeed([client.network]) }

  /// Forgets failed attempts, after a successful one.
  func succeed(_ names: [String]) async {
    await load()
    for name in names where attempts.removeValue(forKey: name) != nil {
      changed.insert(name)
      writeLater()
    }
  }

  /// Writes the changes at once, after a write that is still under way, so that all changes of before
  /// are stored at the end. A failure is logged, and the changes are written later.
  func writeNow() async {
    let next = Task { [write] in
      await write?.value
      await writeChanges()
    }
    write = next
    await next.value
  }

  private func writeChanges() async {
    refusals.noteLeftOut()
    if changed.isEmpty { return }
    let names = changed
    let kept = names.compactMap { attempts[$0] }
    changed = []
    begunWrites += 1
    defer { endedWrites += 1 }
    do {
      try await repository.putAttempts(
        kept, removing: Array(names.subtracting(kept.map(\.network))))
      hasFailed = false
    } catch {
      changed.formUnion(names)
      note(error)
      writeLater()
    }
  }

  private func writeLater() {
    guard writer == nil, !isClosed else { return }
    writer = Task {
      // The only error is the cancellation by `close`, which writes itself.
      try? await Task.sleep(for: .seconds(1))
      if Task.isCancelled { return }
      writer = nil
      await writeNow()
    }
  }

  func close() async {
    isClosed = true
    writer?.cancel()
    await writer?.value
    await writeNow()
  }

  /// Reads the stored attempts, unless that was done in the last second.
  private func load() async {
    let now = now()
    if let loadedAt, abs(now.timeIntervalSince(loadedAt)) < Self.loadSeconds { return }
    guard begunWrites == endedWrites else { return }
    let writes = begunWrites
    // The first attempts wait for those that are stored; later ones do not read at the same time.
    if loadedAt != nil { loadedAt = now }
    do {
      let stored = try await repository.fetchAttempts()
      guard begunWrites == writes else { return }
      loadedAt = now
      // Attempts in memory that have changed since the last write are newer than the stored ones.
      let newer = attempts.filter { changed.contains($0.key) }
      attempts = Dictionary(stored.map { ($0.network, $0) }) { first, _ in first }
      for network in changed { attempts[network] = newer[network] }
      dropOldest()
    } catch {
      // The attempts are counted in memory meanwhile, and read by a later attempt.
      note(error)
    }
  }

  /// The interval at which the stored attempts are read, in seconds.
  private static let loadSeconds = 1.0

  private func note(_ error: any Error) {
    if !hasFailed { logger.error("failed logins not stored", metadata: ["error": "\(error)"]) }
    hasFailed = true
  }

  /// Drops networks and accounts until at most the limit of each is left. Attempts that were counted before the
  /// stored ones could be read may exceed it.
  private func dropOldest() {
    guard attempts.count > LoginAttempts.limit else { return }
    for isOfAccount in [false, true] {
      let all = attempts.values.filter {
        $0.isOfAccount == isOfAccount && $0.network != LoginAttempts.overall
      }
      let excess = all.count - LoginAttempts.limit
      if excess <= 0 { continue }
      for each in all.sorted(by: { $0.isLighter(than: $1) }).prefix(excess) {
        attempts[each.network] = nil
        changed.insert(each.network)
      }
    }
  }
}

/// The browsers and the networks from which users have logged in, so that strangers do not keep them out.
///
/// A browser that has logged in keeps a cookie that names its user, with an authentication code, also after the
/// logout. The cookie opens no session. A login with it does not wait because of the wrong passphrases of
/// strangers, and has a queue without them. The code is made of the user's passphrase, too, so that a new
/// passphrase makes the cookie worthless.
final class KnownBrowsers: Sendable {
  private struct Place: Hashable {
    let user: User.ID
    let network: String
  }

  /// How long a browser keeps the cookie, in seconds: a year.
  private static let keepSeconds = 365 * 86_400
  /// The maximum number of networks. Beyond it, those of before are forgotten.
  private static let networkLimit = 10_000

  private let store: OffersDatabase
  private let cookie: ServedCookie
  private let key: StoredKey
  /// The networks; nil before those of the stored sessions were read.
  private let networks = Mutex<Set<Place>?>(nil)

  init(_ store: OffersDatabase, cookies: CookieScope) {
    self.store = store
    cookie = cookies.cookie("offers-browser")
    key = StoredKey(store, for: "known browser")
  }

  func note(_ user: User.ID, from client: Peer) {
    networks.withLock { networks in
      if networks?.count == Self.networkLimit { networks = [] }
      networks?.insert(Place(user: user, network: client.network))
    }
  }

  /// The `Set-Cookie` field by which a browser is known to have logged in as a user.
  func cookie(for user: User.ID) async throws -> String {
    cookie.setting(try await value(for: user), seconds: Self.keepSeconds)
  }

  /// Whether a request is from a browser that has logged in as a user.
  func knows(_ user: User.ID, in fields: HTTPFields) async throws -> Bool {
    let shown = cookie.values(in: fields, of: 1...128)
    if shown.isEmpty { return false }
    let value = try await value(for: user)
    return shown.contains { SecretBytes.areEqual(Array($0.utf8), Array(value.utf8)) }
  }

  /// Whether a user has logged in from the network of a client.
  func knows(_ user: User.ID, at client: Peer) async throws -> Bool {
    if networks.withLock({ $0 }) == nil {
      let stored = try await store.fetchSessions().prefix(Self.networkLimit).compactMap { session in
        Peer(session.peer).map { Place(user: session.user, network: $0.network) }
      }
      networks.withLock { if $0 == nil { $0 = Set(stored) } }
    }
    return networks.withLock {
      $0?.contains(Place(user: user, network: client.network)) ?? false
    }
  }

  private func value(for user: User.ID) async throws -> String {
    let passphrase = try await store.findPassphrase(of: user)
    let message = Array("\(user)".utf8) + [0] + (passphrase?.hash ?? [])
    let code = try await key.fetch().code(of: message)
    return "\(user).\(Base64URL.text(of: code))"
  }
}

/// The log of refused attempts to log in, in a format that programs such as fail2ban read.
///
/// Each refused attempt gives a line with the address of its client:
/// `login refused client=192.0.2.7 status=401`. At most ten lines a second are written, one for
/// each client; the number of others is logged afterwards: `login refusals not logged count=120`.
final class LoginRefusalLog: Sendable {
  private struct State {
    var second = Int64.min
    var lineCount = 0
    var clients: Set<Peer> = []
    var leftOut = 0
  }

  private static let linesPerSecond = 10

  private let logger: Logger
  private let state = Mutex(State())

  init(_ logger: Logger) { self.logger = logger }

  func note(_ client: Peer, status: Int, at now: Date) {
    if admit(client, at: now) {
      logger.warning(
        "login refused", metadata: ["client": "\(client.text)", "status": "\(status)"])
    }
  }

  /// Whether a line may be written, which then counts as written.
  ///
  /// - Parameter client: the client that has no other line in the same second; nil for any.
  func admit(_ client: Peer? = nil, at now: Date) -> Bool {
    let second = now.storedSeconds
    return state.withLock { state in
      if state.second != second {
        state.second = second
        state.lineCount = 0
        state.clients = []
      }
      guard state.lineCount < Self.linesPerSecond,
        client.map({ state.clients.insert($0).inserted }) ?? true
      else {
        state.leftOut += 1
        return false
      }
      state.lineCount += 1
      return true
    }
  }

  func noteLeftOut() {
    let count = state.withLock { state in
      defer { state.leftOut = 0 }
      return state.leftOut
    }
    if count > 0 {
      logger.warning("login refusals not logged", metadata: ["count": "\(count)"])
    }
  }
}

/// Derives passphrases for requests, a few at a time, each on a thread of its own.
///
/// Strangers get their turns by their wide networks, so that nobody who has many addresses keeps out the others.
/// Who is known, from a login before, does not wait for strangers.
struct PassphraseHasher: Sendable {
  enum Client: Sendable {
    /// A browser that is or was logged in as a user, or the network of one.
    case known(User.ID)
    case stranger(Peer)
  }

  let strangers = FairTurns<String>(
    limit: 2, keyLimit: 1, waitingLimit: 256, keyWaitingLimit: 4)
  private let known = FairTurns<User.ID>(
    limit: 1, keyLimit: 1, waitingLimit: 256, keyWaitingLimit: 4)
  private let cost: Passphrase.Cost

  init(cost: Passphrase.Cost) { self.cost = cost }

  /// Whether a text is a passphrase, as `Passphrase.matches`.
  ///
  /// - Throws: `OffersError.tooManyAtOnce`.
  func matches(
    _ text: String, _ stored: PassphraseHash?, for client: Client
  ) async throws -> Bool {
    let derive = { @Sendable [cost] in
      try await OwnThread.run { try Passphrase.matches(text, stored, cost: cost) }
    }
    return switch client {
    case .known(let user): try await known.run(for: user, derive)
    case .stranger(let peer): try await strangers.run(for: peer.wideNetwork, derive)
    }
  }

  /// The stored form of a new passphrase of a user who is logged in.
  func hash(_ text: String, for user: User.ID) async throws -> PassphraseHash {
    try await known.run(for: user) { [cost] in
      try await OwnThread.run { try Passphrase.hash(text, cost: cost) }
    }
  }
}
