import Foundation
import Hummingbird
import OffersCore
import OffersStore

/// The routes of offers, of their reward histories, of favorites and of the household list.
struct OfferRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  static let usualLimit = 50
  static let limits = 1...500
  private static let listParameters =
    OfferFilter.allCases.map(\.words.parameter) + ["q", "sort", "reverse", "limit", "cursor"]
  /// The maximum number of points of a reward history in an answer.
  private static let historyLimit = 5000

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/offers", Self.listParameters, on: router) { parameters, context in
      try await of(context).list(parameters)
    }
    answers.read("/api/v1/offers/{ref}", lifetime: .whileNoneExpires, on: router) { _, context in
      let offer = try await of(context).content.store.fetchOffer(
        named: try context.segment("ref"))
      return .json(try await document { $0.value(offer, at: content.now()) })
    }
    answers.read("/api/v1/offers/{ref}/history", ["cursor"], on: router) { parameters, context in
      try await of(context).history(of: try context.segment("ref"), parameters)
    }
    answers.read("/api/v1/favorites", on: router) { _, context in
      var query = OfferQuery(favoritesOnly: true)
      query.textBytes = 0
      let offers = try await of(context).content.store.fetchOffers(query)
      return .json { json in
        json.member("favorites", each: offers) { $0.value($1.ref.description) }
      }
    }
    answers.read(
      "/api/v1/household", ["limit", "cursor"], lifetime: .whileNoneExpires, on: router
    ) { parameters, context in try await of(context).household(parameters) }
    for isOn in [true, false] {
      let method = isOn ? HTTPRequest.Method.put : .delete
      router.write(method, "/api/v1/offers/{ref}/favorite") { _, context in
        let (store, name) = (of(context).content.store, try context.segment("ref"))
        let change = try await store.setFavorites(named: [name], to: isOn).first
        return try await result(change, changed: \.didChange) {
          $0.value($1.offer, at: content.now())
        }
      }
      router.write(method, "/api/v1/offers/{ref}/share") { _, context in
        let (store, name) = (of(context).content.store, try context.segment("ref"))
        let changes =
          isOn
          ? try await store.share(named: [name], at: content.now())
          : try await store.unshare(named: [name])
        return try await result(changes.first, changed: \.didChange) {
          $0.value($1.offer, at: content.now())
        }
      }
    }
  }

  private func list(_ parameters: QueryParameters) async throws -> Answer {
    var query = try await query(parameters)
    let list = parameters.fingerprint(without: ["cursor", "limit"])
    query.limit = try parameters.number("limit", Self.limits) ?? Self.usualLimit
    query.after = try parameters.cursor(of: list)?.offer()
    let page = try await content.store.fetchOfferPage(query, maximumBytes: Answer.pageBytes)
    query.after = nil
    let total = try await content.store.countOffers(query)
    var answer = try await answer(with: page.offers, total: total, next: page.next, of: list) {
      $0.value($1, at: query.now ?? content.now())
    }
    // The times of these filters can be relative to the current time.
    let isTimed = OfferFilter.allCases.contains { $0.isTimed && query.selection.has($0) }
    answer.lifetime = isTimed ? .never : .whileNoneExpires
    return answer
  }

  private func household(_ parameters: QueryParameters) async throws -> Answer {
    let list = parameters.fingerprint(without: ["cursor", "limit"]) ^ 3
    var query = HouseholdQuery()
    query.limit = try parameters.number("limit", Self.limits) ?? Self.usualLimit
    query.after = try parameters.cursor(of: list)?.offer()
    let page = try await content.store.fetchHousehold(query, maximumBytes: Answer.pageBytes)
    let (total, now) = (try await content.store.countHousehold(), content.now())
    return try await answer(with: page.offers, total: total, next: page.next, of: list) {
      $0.value($1, at: now)
    }
  }

  private func history(of name: String, _ parameters: QueryParameters) async throws -> Answer {
    let list = parameters.fingerprint(without: ["cursor"]) ^ 2
    var bounds = HistoryQuery(maximumBytes: Answer.pageBytes)
    bounds.limit = Self.historyLimit
    if let cursor = try parameters.cursor(of: list) { bounds.before = try cursor.change().id }
    let page = try await content.store.fetchHistory(named: name, bounds)
    return .json(
      try await document { json in
        json.object { json in
          json.members(historyOf: page.offer.offer, page.points)
          json.member(
            "next_cursor", page.before.map { Cursor.change(id: $0, since: 0).text(of: list) })
        }
      })
  }

  private func query(_ parameters: QueryParameters) async throws -> OfferQuery {
    let now = content.now()
    var query = OfferQuery(now: now)
    query.selection = try parameters.selection(OfferFilter.allCases, content.texts, at: now)
    query.pricedFeeds = try await content.fetchPresentations().pricedFeeds
    let text = try parameters.text("q").map { try SelectionText(parsing: $0) }
    query.sort = try parameters.choice("sort", as: OfferQuery.Sort.self) ?? text?.sort ?? .feed
    let isReversed = parameters.text("sort") == nil && text?.isReversed ?? false
    query.isReversed = try parameters.flag("reverse") ?? isReversed
    return query
  }
}

extension ServedContext {
  /// The value of a path parameter, percent-decoded.
  ///
  /// - Throws: `Problem` with status 400 for an empty value or invalid percent-encoding.
  func segment(_ name: String) throws -> String {
    guard let raw = parameters.get(name), let text = PercentCode.decode(raw[...]), !text.isEmpty
    else { throw Problem(.badRequest, "The address is not well-formed.") }
    return text
  }
}

/// The routes of what a user hides.
struct HidingRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/hidings", on: router) { _, context in
      let hidings = try await of(context).content.store.fetchHidings()
      return .json { json in
        json.member("hidings", objects: hidings) { $0.members(of: $1) }
      }
    }
    router.put("/api/v1/hidings") { request, context in
      let parameters = try QueryParameters(request, ["what"])
      _ = try await JSONBody(of: request)
      let (hiding, didChange) = try await of(context).content.store.hide(
        try parameters.fetchText("what"), now: content.now())
      return Answers.result { json in
        json.members(of: hiding)
        json.member("changed", didChange)
      }
    }
    router.delete("/api/v1/hidings") { request, context in
      let parameters = try QueryParameters(request, ["what"])
      _ = try await JSONBody(of: request)
      let hiding = try await of(context).content.store.unhide(try parameters.fetchText("what"))
      return Answers.result { json in
        json.members(of: hiding)
        json.member("changed", true)
      }
    }
  }
}

extension JSONWriter {
  fileprivate mutating func members(of hiding: Hiding) {
    member("hidden", hiding.text)
    member("name", hiding.name)
    member("hidden_at", hiding.createdAt)
  }
}

struct SearchRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  private static let usualLimit = 20
  private static let pages = 1...1_000_000

  func add(to router: Router<ServedContext>) {
    router.get("/api/v1/search") { request, context in
      let parameters = try QueryParameters(
        request, ["q", "limit", "page"] + OfferFilter.allCases.map(\.words.parameter))
      // A page of another site may neither make this server send a request to a feed's server, nor
      // add to the recent searches. Nor may a token that only reads.
      let isTrusted =
        !WriteRules.mayBeFromOtherSite(request) && context.visitor.map { $0.right > .read } ?? false
      return try await answers.answer(request, for: context.visitor) {
        let found = try await of(context).search(
          parameters, isTrusted: isTrusted, readLimit: context.readLimit)
        var answer = Answer.json(try await document { $0.value(found, at: content.now()) })
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
      _ = try await JSONBody(of: request)
      let store = of(context).content.store
      let didChange = try await store.removeSearch(
        try parameters.fetchText("words"), of: parameters.text("feed"))
      return Answers.result { $0.member("changed", didChange) }
    }
  }

  private func search(
    _ parameters: QueryParameters, isTrusted: Bool, readLimit: Duration
  ) async throws -> SearchAnswer {
    let words = SearchWords.spaced(try parameters.fetchText("q"))
    let limit = try parameters.number("limit", OfferRoutes.limits)
    let now = content.now()
    var query = SearchQuery(
      try parameters.selection(OfferFilter.allCases, content.texts, at: now), now: now,
      limit: limit ?? Self.usualLimit, page: try parameters.number("page", Self.pages) ?? 1)
    query.pricedFeeds = try await content.fetchPresentations().pricedFeeds
    query.maximumBytes = Answer.pageBytes
    return try await VisitorSearch(content: content, readLimit: readLimit).find(
      query, typed: words, limit: limit, isTrusted: isTrusted)
  }
}
