import Foundation
import Hummingbird
import OffersCore

/// The route of the recorded changes, in pages that a cursor continues.
struct ChangeRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  /// The maximum age of the changes in a list without `since` and without a cursor, in seconds.
  private static let usualSeconds = 7.0 * 86_400
  /// The maximum size of each text of an offer in an answer, in bytes. Names fit; longer texts,
  /// such as descriptions, are truncated.
  private static let textBytes = OfferLimits.nameBytes

  func add(to router: Router<ServedContext>) {
    answers.read(
      "/api/v1/changes", ["cursor", "since", "feed", "kind", "favorites", "limit"], on: router
    ) { parameters, context in
      var answer = try await of(context).list(parameters)
      // The list contains the expiring offers, which depend on the current time.
      answer.lifetime = .never
      return answer
    }
  }

  private func list(_ parameters: QueryParameters) async throws -> Answer {
    let now = content.now()
    let list = parameters.fingerprint(without: ["cursor", "limit", "since"]) ^ 1
    var query = ChangeQuery(now: now)
    query.feed = parameters.text("feed")
    query.kinds = try parameters.choices("kind", as: OfferChange.Kind.self)
    query.favoritesOnly = try parameters.flag("favorites") ?? false
    query.textBytes = Self.textBytes
    query.limit = try parameters.number("limit", OfferRoutes.limits) ?? OfferRoutes.usualLimit
    let since = try parameters.read("since") { try content.texts.readTime($0, now: now) }
    if let text = parameters.text("cursor") {
      guard since == nil else {
        throw Problem(
          .badRequest, "The parameters “cursor” and “since” exclude each other.",
          hint: "A cursor knows where it begins.")
      }
      guard case .change(let id, let seconds, let key) = try Cursor(text, of: list) else {
        throw Cursor.refusal
      }
      query.afterID = id
      let since = Date(storedSeconds: seconds)
      query.since = since
      query.afterExpiring = key.map { ExpiringPosition(at: since, offerKey: $0) }
    } else {
      query.since = since ?? now - Self.usualSeconds
    }
    let page = try await content.store.fetchChangePage(query)
    // The time from which on the next page lists expiring offers: unchanged while recorded changes
    // remain, and after the last page a second from now, so that no offer is listed twice.
    let told =
      page.lastExpiring.map { max($0.at, query.since ?? .distantPast) }
      ?? (page.hasMore ? query.since ?? now : now + 1)
    let next = Cursor.change(
      id: page.lastID, since: told.storedSeconds,
      expiringKey: page.lastExpiring?.offerKey)
    let pricedFeeds = try await content.fetchPresentations().pricedFeeds
    return .json(pricedFeeds: pricedFeeds) { json in
      json.member("changes", each: page.changes) { $0.value($1) }
      json.member("has_more", page.hasMore)
      json.member("next_cursor", next.text(of: list))
    }
  }
}
