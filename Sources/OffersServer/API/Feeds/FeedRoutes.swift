import Foundation
import Hummingbird
import OffersCore

/// The routes of the feeds, of their subscriptions and of their sync intervals.
struct FeedRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/feeds", on: router) { _, context in
      let (feeds, now) = (try await of(context).content.fetchFeedSummaries(), content.now())
      var answer = Answer.json { json in
        json.member("feeds", objects: feeds) { Self.write($1, now, to: &$0) }
      }
      // The feed definitions come from a file, whose edits are no commits to the database.
      answer.lifetime = .never
      return answer
    }
    answers.read("/api/v1/feeds/{name}", on: router) { _, context in
      let (feed, now) = (
        try await of(context).fetchFeed(try context.segment("name")), content.now()
      )
      var answer = Answer.json { Self.write(feed, now, to: &$0) }
      answer.lifetime = .never
      return answer
    }
    addIntervals(to: router)
    router.put("/api/v1/feeds/{name}/subscription") { request, context in
      try await change(request, context) { feed, _ in
        guard feed.known != nil else { return false }
        return try await content.store.subscribe(to: feed.name, source: feed.ownSource)
      }
    }
    router.delete("/api/v1/feeds/{name}/subscription") { request, context in
      try await change(request, context) { feed, _ in
        try await content.store.unsubscribe(from: feed.name)
      }
    }
  }

  private func addIntervals(to router: Router<ServedContext>) {
    router.put("/api/v1/feeds/{name}/interval") { request, context in
      try await change(request, context, members: ["every_seconds"]) { feed, body in
        guard let number = body["every_seconds"] as? NSNumber, JSONBody.truth(number) == nil,
          let seconds = Int(exactly: number.doubleValue)
        else { throw Problem(.badRequest, "The member “every_seconds” must be a whole number.") }
        try await content.store.checkPermit()
        return try await content.syncer.setInterval(seconds, of: feed.name)
      }
    }
    router.delete("/api/v1/feeds/{name}/interval") { request, context in
      try await change(request, context) { feed, _ in
        try await content.store.checkPermit()
        return try await content.syncer.setInterval(nil, of: feed.name)
      }
    }
  }

  /// Changes a feed, and answers with its new state.
  ///
  /// - Parameters:
  ///   - members: the members that the body of the request may have.
  ///   - body: makes the change, and returns whether it made a difference.
  private func change(
    _ request: Request, _ context: ServedContext, members: [String] = [],
    _ body: (FeedSummary, [String: Any]) async throws -> Bool
  ) async throws -> Response {
    _ = try QueryParameters(request, [])
    let sent = try await JSONBody.read(request, members: members)
    let name = try context.segment("name")
    let routes = of(context)
    let didChange = try await body(try await routes.fetchFeed(name), sent)
    let (feed, now) = (try await routes.fetchFeed(name), content.now())
    return Answers.result { json in
      json.member("changed", didChange)
      json.member("feed", object: feed) { Self.write($1, now, to: &$0) }
    }
  }

  private func fetchFeed(_ name: String) async throws -> FeedSummary {
    let feeds = try await content.fetchFeedSummaries()
    if let feed = feeds.first(where: { $0.name == name }) { return feed }
    throw OffersError(
      .notFound, "There is no feed “\(name)”.",
      hint: NearestWord.hint(for: name, among: feeds.map(\.name), title: "Feeds"))
  }

  static func write(_ summary: FeedSummary, _ now: Date, to json: inout JSONWriter) {
    let feed = summary.feed
    json.writeMembers(of: summary, now: now)
    json.member("searchable", summary.known?.isSearchable ?? false)
    json.member("gone", feed?.goneCount)
    json.member("favorites", feed?.favoriteCount)
    json.member("last_success_at", feed?.lastSuccessAt)
    json.member("last_run", feed?.lastRun)
    json.writeSyncMembers(of: feed)
  }
}
