import Foundation
import Hummingbird
import OffersCore

struct ChangeRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  /// The maximum age of the changes in a list without `since` and without a cursor, in seconds.
  private static let usualSeconds = 7.0 * 86_400
  /// The maximum size of each text of an offer in an answer, in bytes. Names fit; longer texts,
  /// such as descriptions, are truncated.
  private static let textBytes = OfferLimits.nameBytes

  func add(to router: Router<ServedContext>) {
    // The list contains the expiring offers, which depend on the current time.
    answers.read(
      "/api/v1/changes",
      ["cursor", "since", "kind", "limit"] + OfferFilter.ofChanges.map(\.words.parameter),
      lifetime: .never, on: router
    ) { parameters, context in try await of(context).list(parameters) }
  }

  private func list(_ parameters: QueryParameters) async throws -> Answer {
    let now = content.now()
    let list = parameters.fingerprint(without: ["cursor", "limit", "since"]) ^ 1
    var query = ChangeQuery(now: now)
    let selection = try parameters.selection(OfferFilter.ofChanges, content.texts, at: now)
    (query.feed, query.favoritesOnly) = (selection.feed, selection.favoritesOnly)
    query.kinds = try parameters.choices("kind", as: OfferChange.Kind.self)
    query.textBytes = Self.textBytes
    query.limit = try parameters.number("limit", OfferRoutes.limits) ?? OfferRoutes.usualLimit
    let since = try parameters.read("since") { try content.texts.readTime($0, now: now) }
    if let cursor = try parameters.cursor(of: list) {
      guard since == nil else {
        throw Problem(
          .badRequest, "The parameters “cursor” and “since” exclude each other.",
          hint: "A cursor knows where it begins.")
      }
      let (id, begin, key) = try cursor.change()
      query.afterID = id
      query.since = begin
      query.afterExpiring = key.map { ExpiringPosition(at: begin, offerKey: $0) }
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
    return .json(
      try await document { json in
        json.object { json in
          json.member("changes", each: page.changes) { $0.value($1) }
          json.member("has_more", page.hasMore)
          json.member("next_cursor", next.text(of: list))
        }
      })
  }
}

/// The routes of the badges that tell how many changes and notices are new since the user has last looked. That is kept in the
/// user's data, so that it is the same on all of their devices.
struct NewsRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  /// The name of the read mark of the page of changes.
  fileprivate static let reader = "page"
  /// The number above which changes are not counted.
  private static let limit = 99
  /// The kinds that count. A first sync is no news about an offer, and an offer that expires is not a recorded
  /// change, so that a mark cannot pass it.
  private static let kinds: Set<OfferChange.Kind> = [.new, .up, .down, .changed, .gone, .back]

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/news", on: router) { _, context in try await of(context).count() }
    router.write(.put, "/api/v1/news/seen", ["latest"]) { body, context in
      guard let latest = try body.number("latest"), latest >= 0 else {
        throw Problem(
          .badRequest, "The member “latest” is not the number of a change.",
          hint: "Send the number that the page of changes or GET /api/v1/news has told.")
      }
      let content = of(context).content
      // A mark beyond the last change would hide changes that are still to come.
      let known = try await content.store.fetchChanges(
        ChangeQuery(since: .distantFuture, now: content.now())
      ).lastID
      guard latest <= known else {
        throw Problem(.badRequest, "There is no change with the number \(latest) yet.")
      }
      return try await content.see(latest, of: Self.reader)
    }
    router.write(.put, "/api/v1/notices/seen", ["latest"]) { body, context in
      let content = of(context).content
      let known = try await content.store.fetchNotices(limit: 1).first?.id ?? 0
      guard let latest = try body.number("latest"), (0...known).contains(latest) else {
        throw Problem(
          .badRequest, "The member “latest” is not the number of a notice.",
          hint: "Send the number that the page of notices or GET /api/v1/news has told.")
      }
      return try await content.see(latest, of: ReaderMark.ofNotices)
    }
  }

  private func count() async throws -> Answer {
    var (query, isMarked) = try await content.unseenChanges(at: content.now())
    query.kinds = Self.kinds
    query.textBytes = 0
    query.limit = Self.limit + 1
    let (changes, lastID) = try await content.store.fetchChanges(query)
    let seen = try await content.store.findMark(of: ReaderMark.ofNotices)?.changeID
    let notices = try await content.store.fetchNotices(after: seen, limit: Self.limit + 1)
    func write(_ count: Int, _ latest: Int64, to json: inout JSONWriter) {
      json.member("count", min(count, Self.limit))
      json.member("has_more", count > Self.limit)
      json.member("latest", Int(latest))
    }
    var answer = Answer.json { json in
      write(changes.count, lastID, to: &json)
      json.member("notices") { json in
        json.object { write(notices.count, notices.first?.id ?? seen ?? 0, to: &$0) }
      }
    }
    // Without a mark the count depends on the time.
    if !isMarked { answer.lifetime = .seconds(60) }
    return answer
  }
}

extension ServerDependencies {
  /// Records that the user has seen all up to a number.
  fileprivate func see(_ latest: Int64, of reader: String) async throws -> Response {
    try await store.setMark(ReaderMark(changeID: latest, readAt: now()), of: reader)
    return Answers.result { $0.member("latest", Int(latest)) }
  }

  /// How far back changes count as new for a user who has never looked, in seconds: as far as the page
  /// of changes shows them.
  private static let firstSeconds = 7.0 * 86_400

  /// The query for the changes that the user has not seen on the page of changes, and whether the user has ever
  /// looked at it.
  func unseenChanges(at now: Date) async throws -> (query: ChangeQuery, isMarked: Bool) {
    let mark = try await store.findMark(of: NewsRoutes.reader)
    var query = ChangeQuery(now: now)
    if let mark { query.afterID = mark.changeID } else { query.since = now - Self.firstSeconds }
    return (query, mark != nil)
  }
}
