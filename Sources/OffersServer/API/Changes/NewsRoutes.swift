import Foundation
import Hummingbird
import OffersCore

/// The routes of the badge that tells how much is new since the user has last looked. That is kept in the
/// user's record, so that it is the same on all of their devices.
struct NewsRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  /// The name of the read mark of the page of changes.
  private static let reader = "page"
  /// How far back changes count as new for a user who has never looked, in seconds: as far as the page
  /// of changes shows them.
  private static let firstSeconds = 7.0 * 86_400
  /// The number above which changes are not counted.
  private static let limit = 99
  /// The kinds that count. A first sync is no news about an offer, and an offer that expires is not a recorded
  /// change, so that a mark cannot pass it.
  private static let kinds: Set<OfferChange.Kind> = [.new, .up, .down, .changed, .gone, .back]

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/news", on: router) { _, context in try await of(context).count() }
    router.put("/api/v1/news/seen") { request, context in
      _ = try QueryParameters(request, [])
      let body = try await JSONBody.read(request, members: ["latest"])
      guard let number = body["latest"] as? NSNumber, JSONBody.truth(number) == nil,
        let latest = Int64(exactly: number.doubleValue), latest >= 0
      else {
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
      try await content.store.setMark(
        ReaderMark(changeID: latest, readAt: content.now()), of: Self.reader)
      return Answers.result { $0.member("latest", Int(latest)) }
    }
  }

  private func count() async throws -> Answer {
    let now = content.now()
    let mark = try await content.store.findMark(of: Self.reader)
    var query = ChangeQuery(now: now)
    query.kinds = Self.kinds
    query.textBytes = 0
    query.limit = Self.limit + 1
    if let mark { query.afterID = mark.changeID } else { query.since = now - Self.firstSeconds }
    let (changes, lastID) = try await content.store.fetchChanges(query)
    var answer = Answer.json { json in
      json.member("count", min(changes.count, Self.limit))
      json.member("has_more", changes.count > Self.limit)
      json.member("latest", Int(lastID))
    }
    // Without a mark the count depends on the time.
    if mark == nil { answer.lifetime = .seconds(60) }
    return answer
  }
}
