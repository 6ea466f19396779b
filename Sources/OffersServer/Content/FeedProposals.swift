import Foundation
import OffersCore
import OffersPlatform
import OffersStore
import Synchronization

/// Looks at feeds that people may add, one at a time, and adds them.
final class FeedProposals: Sendable {
  /// A proposal with the number that it has in URLs.
  struct Numbered: Sendable {
    let number: Int
    let proposal: FeedProposal
    /// The user who asked for it, and to whom alone it is shown.
    let user: User.ID
  }

  struct Added: Sendable {
    let name: String
    /// The first sync of the feed; nil if another sync was running, so that the feed waits for a
    /// refresh.
    let sync: SyncStatus?
  }

  private struct State {
    var isBusy = false
    var lastNumber = 0
    var kept: [Numbered] = []
  }

  /// The number of proposals that are kept, so that a feed that was shown is added as it was shown.
  private static let keptCount = 4
  /// The seconds after which a client may ask again while another feed is looked at.
  private static let retrySeconds = 5

  private let state = Mutex(State())
  private let adder: any FeedAdder
  private let syncer: any FeedSyncer
  private let store: OffersDatabase
  private let jobs: SyncJobs

  init(
    adder: any FeedAdder, syncer: any FeedSyncer, store: OffersDatabase,
    jobs: SyncJobs
  ) {
    self.adder = adder
    self.syncer = syncer
    self.store = store
    self.jobs = jobs
  }

  /// Reads a source, and guesses how to read it as a feed.
  ///
  /// - Parameter name: the wanted name of the feed; nil to propose one.
  /// - Throws: `Problem` with status 409 while another feed is looked at, or if there is a feed with
  ///   this name; `OffersError` as `FeedAdder.propose`; `CancellationError`.
  func propose(_ source: String, name: String?, by user: User) async throws -> Numbered {
    try SentAddress.checkPasted(source)
    if let name { try await checkIsNew(name) }
    let isFree = state.withLock { state in
      defer { state.isBusy = true }
      return !state.isBusy
    }
    guard isFree else {
      var problem = Problem(
        .conflict, "Another feed is being looked at.", hint: "Try again in a moment.",
        code: .locked)
      problem.headers[.retryAfter] = String(Self.retrySeconds)
      throw problem
    }
    defer { state.withLock { $0.isBusy = false } }
    let proposal = try await adder.propose(source: source, name: name)
    return state.withLock { state in
      state.lastNumber += 1
      let numbered = Numbered(
        number: state.lastNumber, proposal: proposal, user: user.id)
      state.kept.removeAll { $0.proposal.source == proposal.source && $0.user == user.id }
      state.kept.append(numbered)
      if state.kept.count > Self.keptCount { state.kept.removeFirst() }
      return numbered
    }
  }

  /// The kept proposal with a number for a user; nil if there is none.
  func find(_ number: Int, by user: User) -> FeedProposal? {
    state.withLock { $0.kept.first { $0.number == number && $0.user == user.id }?.proposal }
  }

  /// The kept proposal of a source for a user; nil if there is none.
  func find(_ source: String, by user: User) -> Numbered? {
    state.withLock { $0.kept.last { $0.proposal.source == source && $0.user == user.id } }
  }

  /// Adds a feed, subscribes to it, and starts its first sync. The source is read again only if its
  /// proposal has expired.
  ///
  /// - Parameters:
  ///   - name: the name of the feed; nil for the proposed one.
  ///   - title: the title of the feed; nil for the one that the document has.
  /// - Throws: as `propose`, as `FeedAdder.add`, and as `OffersDatabase.checkPermit`.
  func add(
    _ source: String, name: String?, title: String?, by user: User
  ) async throws -> Added {
    if let name { try await checkIsNew(name) }
    let proposal =
      if let known = find(source, by: user) { known.proposal } else {
        try await propose(source, name: name, by: user).proposal
      }
    let name = name ?? proposal.name
    try await checkIsNew(name)
    // Looking at the feed may have taken longer than the access of its user.
    try await store.checkPermit()
    // A task of its own: once it has begun, a client that goes away leaves nothing half done.
    return try await Task { try await add(proposal, name, title) }.value
  }

  private func add(_ proposal: FeedProposal, _ name: String, _ title: String?) async throws -> Added
  {
    try await adder.add(proposal, name: name, title: title == proposal.title ? nil : title)
    state.withLock { $0.kept.removeAll { $0.proposal.source == proposal.source } }
    _ = try await store.subscribe(to: name, source: proposal.source)
    do {
      return Added(name: name, sync: try await jobs.start(SyncParameters([name])))
    } catch is Problem {
      // Another sync is running, or the server is shutting down. The feed is added in any case.
      return Added(name: name, sync: nil)
    }
  }

  private func checkIsNew(_ name: String) async throws {
    guard try await syncer.fetchKnownFeeds().contains(where: { $0.name == name }) else { return }
    throw Problem(.conflict, "There is already a feed \(name).", hint: "Choose another name.")
  }
}

/// The address of a feed that a request names.
package enum SentAddress {
  /// Checks that an address is a valid http or https URL without environment variables and hidden values.
  /// Reading files and variables of the machine is reserved to the command line.
  ///
  /// - Parameter hint: the hint of the error: how to name the source on the server's own machine.
  package static func check(_ address: String, hint: String) throws {
    let url = URL(string: address)
    guard ["http", "https"].contains(url?.scheme?.lowercased()), url?.host != nil else {
      throw OffersError(
        .invalidRequest,
        "“\(address.prefix(200))” is not an http:// or https:// address.", hint: hint)
    }
    if address.contains("{env:") {
      throw OffersError(
        .invalidRequest,
        "A source with an environment variable cannot be set over HTTP.",
        hint: hint)
    }
    _ = try SyncSource.url(address).validated()
  }

  /// How to add a source on the server's own machine, where it may be any source: the hint of an
  /// error about a feed to add.
  package static func addingHint(_ source: String) -> String {
    let word = ShellQuoting.word(String(source.prefix(200)))
    return "On the server's own machine: offers feeds add NAME \(word)"
  }

  /// Checks the address of a feed or a site as a person pasted it, such as one without `https://`.
  package static func checkPasted(_ text: String) throws {
    do {
      for address in try PastedAddress(text, isFile: nil).sources {
        try check(address, hint: addingHint(text))
      }
    } catch let error as OffersError where error.hint == PastedAddress.form {
      throw OffersError(error.code, error.message, hint: Hint(addingHint(text)))
    }
  }
}
