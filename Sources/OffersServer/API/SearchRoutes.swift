import Foundation
import Hummingbird
import OffersCore

/// Searches, and those that were made last.
struct SearchRoutes: Sendable {
  let content: ServedContent
  let answers: Answers

  private static let usualLimit = 20
  private static let pages = 1...1_000_000

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/search") { request, _ in
      let parameters = try QueryParameters(request, ["q", "feed", "favorites", "limit", "page"])
      // A page of another site may not make us ask somebody, or change what we remember.
      let isTrusted = !WriteRules.isFromOtherSite(request)
      return try await answers.answer(request) {
        let found = try await search(parameters, isTrusted: isTrusted)
        var json = JSONWriter()
        json.value(found)
        var answer = Answer.json(json)
        // What a server says may be another thing the next time.
        if found.isStandIn || found.source == .server { answer.lifetime = .never }
        return answer
      }
    }
    router.get("/api/v1/searches") { request, _ in
      _ = try QueryParameters(request, [])
      return try await answers.answer(request) {
        var json = JSONWriter()
        json.value(try await content.store.fetchRecentSearches())
        return .json(json)
      }
    }
  }

  private func search(
    _ parameters: QueryParameters, isTrusted: Bool
  ) async throws -> SearchAnswer {
    let words = try parameters.fetchText("q").split(whereSeparator: \.isWhitespace)
      .joined(separator: " ")
    let limit = try parameters.number("limit", OfferRoutes.limits)
    let query = SearchQuery(
      words, feed: parameters.text("feed"),
      favoritesOnly: try parameters.flag("favorites") ?? false,
      limit: limit ?? Self.usualLimit, page: try parameters.number("page", Self.pages) ?? 1)
    let answer: SearchAnswer
    if isTrusted, let feed = query.feed, try isSearchable(feed) {
      answer = try await SearchAnswer.ask(
        serverFor: query, limit: limit, in: content.store
      ) {
        try await content.syncer.search(feed, for: words, page: query.page)
      } _: {
        try await content.store.search($0)
      }
    } else {
      answer = SearchAnswer(
        words: words, feed: query.feed, page: query.page, source: .store,
        results: try await content.store.search(query))
    }
    if isTrusted { try await note(answer) }
    return answer
  }

  private func isSearchable(_ feed: String) throws -> Bool {
    try content.syncer.fetchKnownFeeds().first { $0.name == feed }?.isSearchable ?? false
  }

  /// Remembers a search that found something, unless it is the latest one already.
  private func note(_ answer: SearchAnswer) async throws {
    guard answer.page == 1, !answer.results.hits.isEmpty else { return }
    let latest = try await content.store.fetchRecentSearches().first
    if let latest, latest.words == answer.foundWords, latest.feed == answer.feed { return }
    do {
      try await content.store.noteSearch(
        RecentSearch(words: answer.foundWords, feed: answer.feed, searchedAt: content.now()))
    } catch let error as OffersError where error.code == .storageFailed {
      // What was found is told all the same; a database that cannot be written to only forgets it.
    }
  }
}
