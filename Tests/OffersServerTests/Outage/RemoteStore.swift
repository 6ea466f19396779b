import Foundation
import OffersCore
import Synchronization

@testable import OffersServer

/// A store on another machine, as it were: a test decides whether it can be reached.
struct RemoteStore: Sendable {
  /// The connection to the store.
  final class Line: Sendable {
    private let failure = Mutex<OffersError?>(nil)
    /// Waits before each read of the readiness; a test can have it hang.
    let gate = Mutex<(@Sendable () async -> Void)?>(nil)

    func cut(_ code: OffersError.Code = .storeUnreachable) {
      failure.withLock {
        $0 = OffersError(
          code, "Could not connect to db1.internal, port 5432.", cause: "ECONNREFUSED")
      }
    }

    /// Called before each access but that of the readiness; a test can have it hang.
    let hold = Mutex<(@Sendable () async throws -> Void)?>(nil)

    func mend() { failure.withLock { $0 = nil } }

    func check() throws {
      if let failure = failure.withLock({ $0 }) { throw failure }
    }
  }

  private let base: any OffersStorage
  let line: Line

  init(_ base: any OffersStorage, _ line: Line = Line()) {
    self.base = base
    self.line = line
  }

  private func ask<Value>(_ body: (any OffersStorage) async throws -> Value) async throws -> Value {
    try line.check()
    try await line.hold.withLock { $0 }?()
    return try await body(base)
  }
}

extension RemoteStore: UserRecords {
  func record(of user: User) -> RemoteStore { RemoteStore(base.record(of: user), line) }
}

extension RemoteStore: OfferRepository {
  func findOffer(_ ref: OfferRef) async throws -> UserOffer? {
    try await ask { try await $0.findOffer(ref) }
  }

  func fetchOffer(named text: String) async throws -> UserOffer {
    try await ask { try await $0.fetchOffer(named: text) }
  }

  func fetchOffers(_ query: OfferQuery) async throws -> [UserOffer] {
    try await ask { try await $0.fetchOffers(query) }
  }

  func fetchOfferPage(_ query: OfferQuery, maximumBytes: Int) async throws -> OffersCore.OfferPage {
    try await ask { try await $0.fetchOfferPage(query, maximumBytes: maximumBytes) }
  }

  func countOffers(_ query: OfferQuery) async throws -> Int {
    try await ask { try await $0.countOffers(query) }
  }
}

extension RemoteStore: FavoriteRepository {
  func setFavorites(_ refs: [OfferRef], to isFavorite: Bool) async throws -> [FavoriteChange] {
    try await ask { try await $0.setFavorites(refs, to: isFavorite) }
  }

  func setFavorites(named names: [String], to isFavorite: Bool) async throws -> [FavoriteChange] {
    try await ask { try await $0.setFavorites(named: names, to: isFavorite) }
  }
}

extension RemoteStore: HouseholdRepository {
  func share(_ refs: [OfferRef], at time: Date) async throws -> [SharingChange] {
    try await ask { try await $0.share(refs, at: time) }
  }

  func share(named names: [String], at time: Date) async throws -> [SharingChange] {
    try await ask { try await $0.share(named: names, at: time) }
  }

  func unshare(_ refs: [OfferRef]) async throws -> [SharingChange] {
    try await ask { try await $0.unshare(refs) }
  }

  func unshare(named names: [String]) async throws -> [SharingChange] {
    try await ask { try await $0.unshare(named: names) }
  }

  func findHouseholdOffer(_ ref: OfferRef) async throws -> HouseholdOffer? {
    try await ask { try await $0.findHouseholdOffer(ref) }
  }

  func fetchHousehold(_ query: HouseholdQuery, maximumBytes: Int) async throws -> HouseholdOfferPage
  {
    try await ask { try await $0.fetchHousehold(query, maximumBytes: maximumBytes) }
  }

  func countHousehold(of feed: String?) async throws -> Int {
    try await ask { try await $0.countHousehold(of: feed) }
  }
}

extension RemoteStore: FeedRepository {
  func fetchFeeds() async throws -> [Feed] {
    try await ask { try await $0.fetchFeeds() }
  }

  func fetchFormerFeeds() async throws -> [FormerFeed] {
    try await ask { try await $0.fetchFormerFeeds() }
  }

  func fetchPresentations() async throws -> [String: FeedPresentation] {
    try await ask { try await $0.fetchPresentations() }
  }

  func findSource(of feed: String) async throws -> String? {
    try await ask { try await $0.findSource(of: feed) }
  }

  func subscribe(to feed: String, source: String) async throws -> Bool {
    try await ask { try await $0.subscribe(to: feed, source: source) }
  }

  func unsubscribe(from feed: String) async throws -> Bool {
    try await ask { try await $0.unsubscribe(from: feed) }
  }
}

extension RemoteStore: PreparableSearch {
  func search(_ query: SearchQuery) async throws -> SearchResults {
    try await ask { try await $0.search(query) }
  }

  func fetchRecentSearches() async throws -> [RecentSearch] {
    try await ask { try await $0.fetchRecentSearches() }
  }

  func noteSearch(_ search: RecentSearch) async throws {
    try await ask { try await $0.noteSearch(search) }
  }

  func removeSearch(_ id: RecentSearch.ID) async throws -> Bool {
    try await ask { try await $0.removeSearch(id) }
  }
}

extension RemoteStore: ChangeRepository {
  func fetchChanges(_ query: ChangeQuery) async throws -> (changes: [OfferChange], lastID: Int64) {
    try await ask { try await $0.fetchChanges(query) }
  }

  func fetchChangePage(_ query: ChangeQuery) async throws -> ChangePage {
    try await ask { try await $0.fetchChangePage(query) }
  }

  func findMark(of reader: String) async throws -> ReaderMark? {
    try await ask { try await $0.findMark(of: reader) }
  }

  func setMark(_ mark: ReaderMark, of reader: String) async throws {
    try await ask { try await $0.setMark(mark, of: reader) }
  }

  func fetchHistory(named text: String) async throws -> (offer: UserOffer, points: [RewardPoint]) {
    try await ask { try await $0.fetchHistory(named: text) }
  }

  func fetchHistory(named text: String, _ bounds: HistoryQuery) async throws -> HistoryPage {
    try await ask { try await $0.fetchHistory(named: text, bounds) }
  }
}

extension RemoteStore: CommitSignal {
  func fetchDataVersion() async throws -> Int64 {
    try await ask { try await $0.fetchDataVersion() }
  }
}

extension RemoteStore: StoreReadiness {
  func checkReadiness() async throws {
    await line.gate.withLock { $0 }?()
    try await ask { try await $0.checkReadiness() }
  }
}

extension RemoteStore: SessionRepository {
  func findSession(_ id: [UInt8]) async throws -> Session? {
    try await ask { try await $0.findSession(id) }
  }

  func fetchSessions() async throws -> [Session] {
    try await ask { try await $0.fetchSessions() }
  }

  func putSession(_ session: Session, on ground: SessionGround) async throws {
    try await ask { try await $0.putSession(session, on: ground) }
  }

  func checkPermit() async throws {
    try await ask { try await $0.checkPermit() }
  }

  func endSessions(_ ids: [[UInt8]]) async throws {
    try await ask { try await $0.endSessions(ids) }
  }

  func noteSession(_ id: [UInt8], seenAt: Date) { base.noteSession(id, seenAt: seenAt) }
}

extension RemoteStore: AttemptRepository {
  func fetchAttempts() async throws -> [LoginAttempts] {
    try await ask { try await $0.fetchAttempts() }
  }

  func putAttempts(_ attempts: [LoginAttempts], removing networks: [String]) async throws {
    try await ask { try await $0.putAttempts(attempts, removing: networks) }
  }
}

extension RemoteStore: UserRepository {
  func fetchUsers() async throws -> [User] {
    try await ask { try await $0.fetchUsers() }
  }

  func findUser(named name: String) async throws -> User? {
    try await ask { try await $0.findUser(named: name) }
  }

  func addUser(named name: String, role: User.Role) async throws -> User {
    try await ask { try await $0.addUser(named: name, role: role) }
  }

  func changeUser(_ id: User.ID, name: String?, role: User.Role?) async throws -> User {
    try await ask { try await $0.changeUser(id, name: name, role: role) }
  }

  func removeUser(_ id: User.ID) async throws {
    try await ask { try await $0.removeUser(id) }
  }
}

extension RemoteStore: CredentialRepository {
  func findPassphrase(of user: User.ID) async throws -> PassphraseHash? {
    try await ask { try await $0.findPassphrase(of: user) }
  }

  func fetchUsersWithPassphrase() async throws -> Set<User.ID> {
    try await ask { try await $0.fetchUsersWithPassphrase() }
  }

  func setPassphrase(
    _ passphrase: PassphraseHash?, of user: User.ID, keeping session: [UInt8]?
  ) async throws {
    try await ask { try await $0.setPassphrase(passphrase, of: user, keeping: session) }
  }

  func fetchTokens(of user: User.ID?) async throws -> [APIToken] {
    try await ask { try await $0.fetchTokens(of: user) }
  }

  func findToken(hash: [UInt8]) async throws -> APIToken? {
    try await ask { try await $0.findToken(hash: hash) }
  }

  func addToken(_ token: APIToken, hash: [UInt8]) async throws -> APIToken {
    try await ask { try await $0.addToken(token, hash: hash) }
  }

  func revokeToken(_ id: APIToken.ID) async throws {
    try await ask { try await $0.revokeToken(id) }
  }

  func noteToken(_ id: APIToken.ID, usedAt: Date) { base.noteToken(id, usedAt: usedAt) }
}

extension RemoteStore: IdentityRepository {
  func findUser(with identity: Identity) async throws -> User.ID? {
    try await ask { try await $0.findUser(with: identity) }
  }

  func fetchUsers(withIdentityOf issuer: String) async throws -> Set<User.ID> {
    try await ask { try await $0.fetchUsers(withIdentityOf: issuer) }
  }

  func addIdentity(_ identity: Identity, to user: User.ID, at now: Date) async throws {
    try await ask { try await $0.addIdentity(identity, to: user, at: now) }
  }

  func removeIdentity(of issuer: String, from user: User.ID) async throws {
    try await ask { try await $0.removeIdentity(of: issuer, from: user) }
  }
}

extension RemoteStore: ServerKeyRepository {
  func fetchServerKey(for purpose: String, orStore candidate: [UInt8]) async throws -> [UInt8] {
    try await ask { try await $0.fetchServerKey(for: purpose, orStore: candidate) }
  }
}
