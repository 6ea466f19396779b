import Foundation
import Hummingbird
import OffersCore

/// The routes of offers, of their reward histories and of favorites.
struct OfferRoutes: Sendable {
  let content: ServedContent
  let answers: Answers

  static let usualLimit = 50
  static let limits = 1...500
  private static let listParameters = [
    "feed", "favorites", "gone", "retailer", "category", "min_reward", "new_since", "expiring",
    "sort", "reverse", "limit", "cursor",
  ]

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/offers") { request, _ in
      let parameters = try QueryParameters(request, Self.listParameters)
      return try await answers.answer(request) { try await list(parameters) }
    }
    router.get("/api/v1/offers/{ref}") { request, context in
      _ = try QueryParameters(request, [])
      return try await answers.answer(request) {
        let offer = try await content.store.fetchOffer(named: try context.segment("ref"))
        var json = JSONWriter()
        json.value(offer)
        return .json(json)
      }
    }
    router.get("/api/v1/offers/{ref}/history") { request, context in
      _ = try QueryParameters(request, [])
      return try await answers.answer(request) {
        let history = try await content.store.fetchHistory(named: try context.segment("ref"))
        var json = JSONWriter()
        json.value(historyOf: history.offer, history.points)
        return .json(json)
      }
    }
    router.get("/api/v1/favorites") { request, _ in
      _ = try QueryParameters(request, [])
      return try await answers.answer(request) {
        let offers = try await content.store.fetchOffers(OfferQuery(favoritesOnly: true))
        return .json { json in
          json.member("favorites", each: offers) { $0.value($1.ref.description) }
        }
      }
    }
    router.put("/api/v1/offers/{ref}/favorite") { try await mark($0, $1, true) }
    router.delete("/api/v1/offers/{ref}/favorite") { try await mark($0, $1, false) }
  }

  private func list(_ parameters: QueryParameters) async throws -> Answer {
    var query = try query(parameters)
    let list = parameters.fingerprint(without: ["cursor", "limit"])
    let limit = try parameters.number("limit", Self.limits) ?? Self.usualLimit
    if let text = parameters.text("cursor") {
      guard case .offer(let place) = try Cursor(text, of: list) else {
        throw Cursor.refusal
      }
      query.after = place
    }
    query.limit = limit + 1
    var offers = try await content.store.fetchOffers(query)
    let hasMore = offers.count > limit
    offers = Array(offers.prefix(limit))
    query.after = nil
    let total = try await content.store.countOffers(query)
    let next = hasMore ? offers.last.map { Cursor(behind: $0, by: query.sort) } : nil
    var answer = Answer.json { json in
      json.member("offers", each: offers) { $0.value($1) }
      json.member("total", total)
      json.member("next_cursor", next?.text(of: list))
    }
    // These filters depend on the current time.
    if query.newSince != nil || query.expiring != nil { answer.lifetime = .never }
    return answer
  }

  private func query(_ parameters: QueryParameters) throws -> OfferQuery {
    let now = content.now()
    var query = OfferQuery(feed: parameters.text("feed"))
    query.favoritesOnly = try parameters.flag("favorites") ?? false
    query.goneOnly = try parameters.flag("gone") ?? false
    query.retailer = parameters.text("retailer")
    query.category = parameters.text("category")
    query.rewardMinimum = try parameters.read("min_reward", content.texts.readRewardMinimum)
    query.newSince = try parameters.read("new_since") { try content.texts.readTime($0, now: now) }
    query.expiring = try parameters.read("expiring") {
      now...(now + (try content.texts.readSeconds($0)))
    }
    query.sort = try parameters.choice("sort", as: OfferQuery.Sort.self) ?? .feed
    query.isReversed = try parameters.flag("reverse") ?? false
    return query
  }

  private func mark(
    _ request: Request, _ context: BasicRequestContext, _ isFavorite: Bool
  ) async throws -> Response {
    _ = try QueryParameters(request, [])
    _ = try await JSONBody.read(request, members: [])
    let name = try context.segment("ref")
    let changes = try await content.store.setFavorites(named: [name], to: isFavorite)
    return Answers.result { json in
      json.member("changed", changes.first?.didChange)
      if let change = changes.first { json.member("offer") { $0.value(change.offer) } }
    }
  }
}

extension BasicRequestContext {
  /// The value of a path parameter, percent-decoded.
  ///
  /// - Throws: `Problem` with status 400 for an empty value or invalid percent-encoding.
  func segment(_ name: String) throws -> String {
    guard let raw = parameters.get(name), let text = PercentCode.decode(raw[...]), !text.isEmpty
    else { throw Problem(.badRequest, "The address is not well-formed.") }
    return text
  }
}
