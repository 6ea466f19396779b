import Foundation
import OffersCore
import OffersStore

/// The dependencies of the server: the store, the sync engine, the guess of feeds, the image source,
/// the parser of times and amounts in queries, the channels of browsers, what maps are drawn with, and the clock.
package struct ServerDependencies: Sendable {
  /// The store, with the data of the owner or of the visitor of a request.
  private(set) var store: OffersDatabase
  let syncer: any FeedSyncer
  let images: any ImageSource
  let texts: any FilterTextReader
  let push: PushChannels
  let maps: MapSettings
  /// Tells whether sites refuse to be framed; nil if that cannot be found out.
  let framing: FrameCheck?
  let now: @Sendable () -> Date
  let jobs: SyncJobs
  /// Prepares searches. An index that a sync has left out is rebuilt even if the client leaves that
  /// needed it first.
  let searchPreparation: SharedWork
  let proposals: FeedProposals

  /// Asks a site for the page at an http or https URL, as a browser would, and returns whether the site refuses
  /// to be shown in a frame of a page of an origin; nil if that cannot be found out. Throws if the site does not
  /// answer.
  package typealias FrameCheck = @Sendable (_ url: String, _ origin: String) async throws -> Bool?

  package init(
    store: OffersDatabase, syncer: any FeedSyncer,
    adder: any FeedAdder,
    images: any ImageSource, texts: any FilterTextReader, push: PushChannels,
    maps: MapSettings = MapSettings(), framing: FrameCheck? = nil,
    now: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.store = store
    self.syncer = syncer
    self.images = images
    self.texts = texts
    self.push = push
    self.maps = maps
    self.framing = framing
    self.now = now
    searchPreparation = SharedWork { try await store.prepareSearch() }
    jobs = SyncJobs(syncer: syncer, now: now)
    proposals = FeedProposals(adder: adder, syncer: syncer, store: store, jobs: jobs)
  }

  /// The content with the favorites, the searches and the read marks of the visitor of a request.
  func of(_ visitor: Visitor?) -> ServerDependencies {
    guard let user = visitor?.user, !user.isOwner else { return self }
    var content = self
    content.store = store.bound(to: user)
    return content
  }

  /// How the offers of each feed are shown. While the definitions cannot be read, which the sync
  /// reports, feeds are shown as at their last sync.
  func fetchPresentations() async throws -> FeedPresentations {
    let known = try? await syncer.fetchKnownFeeds()
    return try await store.fetchPresentations(known ?? [])
  }

  /// The definition of a feed; nil for an unknown name.
  func findKnownFeed(_ name: String) async throws -> KnownFeed? {
    try await syncer.fetchKnownFeeds().first { $0.name == name }
  }

  /// All feeds that are subscribed or have a definition, ordered by name.
  func fetchFeedSummaries() async throws -> [FeedSummary] {
    FeedSummary.all(
      known: try await syncer.fetchKnownFeeds(), subscribed: try await store.fetchFeeds(),
      former: try await store.fetchFormerFeeds())
  }
}

/// A visitor's search, for the pages and the API: in the store, or by the server of a feed.
struct VisitorSearch: Sendable {
  let content: ServerDependencies
  let readLimit: Duration

  /// Searches on a feed's server if the query is for all offers of a feed whose server can be
  /// searched; the store replaces a server that fails or finds nothing. Any other query, and one
  /// that is not trusted, searches the store. The first page of results adds to the recent
  /// searches.
  ///
  /// - Parameters:
  ///   - query: the words, optionally a feed, and the number of the page.
  ///   - typed: the words and filters as they are remembered.
  ///   - limit: the number of results on a page from a feed's server; nil for the server's own number.
  ///   - isTrusted: false for a request from a page of another site, which neither makes this server
  ///     send a request to a feed's server nor adds to the recent searches.
  func find(
    _ query: SearchQuery, typed: String, limit: Int?, isTrusted: Bool
  ) async throws -> SearchAnswer {
    // This may be a write that takes long.
    try await content.searchPreparation.run()
    var answer: SearchAnswer
    if isTrusted, let feed = query.serverFeed,
      try await content.findKnownFeed(feed)?.isSearchable == true
    {
      answer = try await SearchAnswer.ask(
        serverFor: query, in: content.store
      ) {
        try await content.syncer.search(feed, for: query.words, page: query.page, limit: limit)
      } _: {
        try await search($0)
      }
    } else {
      answer = SearchAnswer(
        words: typed, feed: query.feed, page: query.page, source: .store,
        results: try await search(query))
    }
    answer.words = typed
    if isTrusted { try await note(answer) }
    return answer
  }

  private func search(_ query: SearchQuery) async throws -> SearchResults {
    try await ResponseDeadline.run(within: readLimit) { try await content.store.search(query) }
  }

  /// Adds a successful search to the recent searches, unless the answer is a later page.
  private func note(_ answer: SearchAnswer) async throws {
    guard answer.page == 1, answer.isRecent else { return }
    do {
      try await content.store.noteSearch(
        RecentSearch(words: answer.words, feed: answer.feed, searchedAt: content.now()))
    } catch {
      guard error.code == .storageFailed else { throw error }
      // If the database cannot be written to, only this entry is lost; the results are still shown.
    }
  }
}
