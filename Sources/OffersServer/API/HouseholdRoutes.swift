import Foundation
import Hummingbird
import OffersCore

/// The routes of the household list.
struct HouseholdRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/household", ["limit", "cursor"], on: router) { parameters, context in
      try await of(context).list(parameters)
    }
    router.put("/api/v1/offers/{ref}/share") { request, context in
      try await change(request, context) { [now = content.now()] store, name in
        try await store.share(named: [name], at: now)
      }
    }
    router.delete("/api/v1/offers/{ref}/share") { request, context in
      try await change(request, context) { store, name in
        try await store.unshare(named: [name])
      }
    }
  }

  private func list(_ parameters: QueryParameters) async throws -> Answer {
    let list = parameters.fingerprint(without: ["cursor", "limit"]) ^ 3
    var query = HouseholdQuery()
    query.limit = try parameters.number("limit", OfferRoutes.limits) ?? OfferRoutes.usualLimit
    if let text = parameters.text("cursor") {
      guard case .offer(let position) = try Cursor(text, of: list) else { throw Cursor.refusal }
      query.after = position
    }
    let page = try await content.store.fetchHousehold(
      query, maximumBytes: Answer.pageBytes)
    let total = try await content.store.countHousehold()
    let next = page.hasMore ? page.offers.last.map { Cursor.offer($0.position) } : nil
    let now = content.now()
    let pricedFeeds = try await content.fetchPresentations().pricedFeeds
    var answer = Answer.json(pricedFeeds: pricedFeeds) { json in
      json.member("offers", each: page.offers) { $0.value($1, at: now) }
      json.member("total", total)
      json.member("next_cursor", next?.text(of: list))
    }
    answer.lifetime = .whileNoneExpires
    return answer
  }

  private func change(
    _ request: Request, _ context: ServedContext,
    _ change: (any ServerDependencies.Store, String) async throws -> [SharingChange]
  ) async throws -> Response {
    _ = try QueryParameters(request, [])
    _ = try await JSONBody.read(request, members: [])
    let pricedFeeds = try await content.fetchPresentations().pricedFeeds
    let changes = try await change(of(context).content.store, try context.segment("ref"))
    return Answers.result { json in
      json.pricedFeeds = pricedFeeds
      json.member("changed", changes.first?.didChange)
      if let change = changes.first {
        json.member("offer") { $0.value(change.offer, at: content.now()) }
      }
    }
  }
}
