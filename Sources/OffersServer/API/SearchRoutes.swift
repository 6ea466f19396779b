import Foundation
import Hummingbird
import OffersCore

/// The routes of the search and of the recent searches.
struct SearchRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  private static let usualLimit = 20
  private static let pages = 1...1_000_000

  func add(to router: Router<ServedContext>) {
    router.get("/api/v1/search") { request, context in
      let parameters = try QueryParameters(
        request, ["q", "feed", "favorites", "expired", "limit", "page"])
      // A page of another site may neither make this server send a request to a feed's server, nor
      // add to the recent searches. Nor may a token that only reads.
      let isTrusted =
        !WriteRules.mayBeFromOtherSite(request) && context.visitor.map { $0.right > .read } ?? false
      return try await answers.answer(request, for: context.visitor) {
        let found = try await of(context).search(
          parameters, isTrusted: isTrusted, readLimit: context.readLimit)
        var json = JSONWriter()
        json.pricedFeeds = try await content.fetchPresentations().pricedFeeds
        json.value(found, at: content.now())
        var answer = Answer.json(json)
        answer.lifetime = Answer.Lifetime.whileNoneExpires
        // A search on a feed's server may have other results the next time. The answer to a page of
        // another site, which comes from the store alone, must not be reused for a trusted request.
        if !isTrusted || found.isStandIn || found.source == .server { answer.lifetime = .never }
        return answer
      }
    }
    answers.read("/api/v1/searches", on: router) { _, context in
      var json = JSONWriter()
      json.value(try await of(context).content.store.fetchRecentSearches())
      return .json(json)
    }
    router.delete("/api/v1/searches") { request, context in
      let parameters = try QueryParameters(request, ["words", "feed"])
      _ = try await JSONBody.read(request, members: [])
      let store = of(context).content.store
      let didChange = try await store.removeSearch(
        RecentSearch.ID(
          words: try parameters.fetchText("words"), feed: parameters.text("feed")))
      return Answers.result { $0.member("changed", didChange) }
    }
  }

  private func search(
    _ parameters: QueryParameters, isTrusted: Bool, readLimit: Duration
  ) async throws -> SearchAnswer {
    let words = SearchWords.spaced(try parameters.fetchText("q"))
    let limit = try parameters.number("limit", OfferRoutes.limits)
    var query = SearchQuery(
      words, feed: parameters.text("feed"),
      favoritesOnly: try parameters.flag("favorites") ?? false,
      includesExpired: try parameters.flag("expired") ?? false, now: content.now(),
      limit: limit ?? Self.usualLimit, page: try parameters.number("page", Self.pages) ?? 1)
    query.maximumBytes = Answer.pageBytes
    return try await ServedSearch(content: content, readLimit: readLimit).find(
      query, limit: limit, isTrusted: isTrusted)
  }
}
