import Foundation
import Hummingbird
import OffersCore

struct FeedRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    // The feed definitions come from a file, whose edits are no commits to the database.
    answers.read("/api/v1/feeds", lifetime: .never, on: router) { _, context in
      let (feeds, now) = (try await of(context).content.fetchFeedSummaries(), content.now())
      return .json { json in json.member("feeds", objects: feeds) { Self.write($1, now, to: &$0) } }
    }
    answers.read("/api/v1/feeds/{name}", lifetime: .never, on: router) { _, context in
      let feed = try await of(context).fetchFeed(try context.segment("name"))
      return .json { Self.write(feed, content.now(), to: &$0) }
    }
    write(.put, "subscription", on: router) { feed, _ in
      guard feed.known != nil else { return false }
      return try await content.store.subscribe(to: feed.name, source: feed.ownSource)
    }
    write(.delete, "subscription", on: router) { feed, _ in
      try await content.store.unsubscribe(from: feed.name)
    }
    write(.put, "interval", ["every_seconds"], on: router) { feed, body in
      guard let seconds = try body.number("every_seconds") else {
        throw Problem(.badRequest, "The member “every_seconds” is missing.")
      }
      return try await setInterval(Int(clamping: seconds), of: feed)
    }
    write(.delete, "interval", on: router) { feed, _ in try await setInterval(nil, of: feed) }
  }

  private func setInterval(_ seconds: Int?, of feed: FeedSummary) async throws -> Bool {
    try await content.store.checkPermit()
    return try await content.syncer.setInterval(seconds, of: feed.name)
  }

  /// Adds a route that changes a part of a feed, and answers with the feed's new state.
  ///
  /// - Parameter change: makes the change, and returns whether it made a difference.
  private func write(
    _ method: HTTPRequest.Method, _ part: String, _ members: [String] = [],
    on router: Router<ServedContext>,
    _ change: @escaping @Sendable (FeedSummary, JSONBody) async throws -> Bool
  ) {
    router.write(method, RouterPath("/api/v1/feeds/{name}/\(part)"), members) { body, context in
      let (routes, name) = (of(context), try context.segment("name"))
      let didChange = try await change(try await routes.fetchFeed(name), body)
      let (feed, now) = (try await routes.fetchFeed(name), content.now())
      return Answers.result { json in
        json.member("changed", didChange)
        json.member("feed", object: feed) { Self.write($1, now, to: &$0) }
      }
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

struct ProposalRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    router.write(.post, "/api/v1/proposals", ["source", "name"]) { body, context in
      let (source, name) = (try Self.source(in: body), try Self.text("name", in: body))
      let user = try context.fetchVisitor().user
      let proposal = try await context.whileConnected {
        try await content.proposals.propose(source, name: name, by: user)
      }
      return Answers.result { Self.write(proposal, to: &$0) }
    }
    answers.read("/api/v1/proposals/{number}/images/{index}", on: router) { _, context in
      let (offer, source) = try offer(of: context)
      return try await ImageRoutes(content: content, answers: answers).answer(
        with: offer, feedSource: source, as: .preview)
    }
    router.write(.post, "/api/v1/feeds", ["source", "name", "title"]) { body, context in
      let (source, name) = (try Self.source(in: body), try Self.text("name", in: body))
      let (title, user) = (try Self.text("title", in: body), try context.fetchVisitor().user)
      return try await context.whileConnected {
        let added = try await content.proposals.add(source, name: name, title: title, by: user)
        context.record.note("feed", added.name)
        return try await of(context).response(to: added)
      }
    }
  }

  private func response(to added: FeedProposals.Added) async throws -> Response {
    let (feeds, now) = (try await content.fetchFeedSummaries(), content.now())
    let feed = feeds.first { $0.name == added.name }
    var response = Answers.result(status: .created) { json in
      if let feed {
        json.member("feed", object: feed) { FeedRoutes.write($1, now, to: &$0) }
      }
      json.member("sync") { if let sync = added.sync { $0.value(sync) } else { $0.null() } }
    }
    response.headers[.location] = "/api/v1/feeds/" + PercentCode.encode(added.name)
    return response
  }

  /// An offer of a proposal that the visitor has asked for, and the source of the proposal.
  private func offer(of context: ServedContext) throws -> (Offer, source: String) {
    guard let number = Int(try context.segment("number")),
      let index = Int(try context.segment("index"))
    else { throw OffersError(.notFound, "There is no such proposal.") }
    let proposal = content.proposals.find(number, by: try context.fetchVisitor().user)
    guard let proposal, proposal.offers.indices.contains(index) else {
      throw OffersError(.notFound, "This proposal has expired.")
    }
    return (proposal.offers[index], proposal.source)
  }

  private static func source(in sent: JSONBody) throws -> String {
    guard let source = try text("source", in: sent) else {
      throw Problem(.badRequest, "The member “source” is missing.", hint: "Send an address.")
    }
    return source
  }

  /// A text without the white space around it; nil for an empty one.
  private static func text(_ name: String, in sent: JSONBody) throws -> String? {
    let text = try sent.text(name)?.trimmingCharacters(in: .whitespacesAndNewlines)
    return text?.isEmpty == true ? nil : text
  }

  private static func write(_ numbered: FeedProposals.Numbered, to json: inout JSONWriter) {
    let proposal = numbered.proposal
    json.member("number", numbered.number)
    json.member("source", proposal.source)
    json.member("name", proposal.name)
    json.member("title", proposal.title)
    json.member("format", proposal.format)
    json.member("layout", proposal.presentation.layout.rawValue)
    json.member("fields", objects: proposal.fields) { json, field in
      json.member("name", field.name)
      json.member("from", field.from)
      json.member("offers", field.offerCount)
    }
    json.member("records", proposal.recordCount)
    json.member("offers", proposal.offerCount)
    json.member("first", objects: proposal.offers) { json, offer in
      json.member("id", offer.ref.offerID)
      json.member("name", offer.name)
      json.member("reward", offer.reward?.text)
      json.member("image_url", offer.imageURLText)
    }
    json.member("notes", each: proposal.notes) { $0.value($1) }
    json.member("definition", proposal.definition)
  }
}

struct SyncRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/sync", lifetime: .never, on: router) { _, _ in
      var json = JSONWriter()
      json.value(content.jobs.status)
      return .json(json)
    }
    router.write(
      .post, "/api/v1/sync", ["feeds", "source", "accept_removals", "keep_missing"]
    ) { body, context in
      let source = try body.text("source")
      let parameters = SyncParameters(
        try body.texts("feeds") ?? [], acceptsRemovals: try body.flag("accept_removals") ?? false,
        keepsMissing: try body.flag("keep_missing") ?? false)
      if parameters.acceptsRemovals, parameters.keepsMissing {
        throw Problem(
          .badRequest, "The members “accept_removals” and “keep_missing” exclude each other.")
      }
      // A new source is a setting, and removals were held back for an admin to decide.
      if source != nil || parameters.acceptsRemovals || parameters.keepsMissing {
        try context.fetchVisitor().check(.admin)
      }
      context.record.note(parameters, hasSource: source != nil)
      let status = try await content.jobs.start(parameters, from: source)
      var json = JSONWriter()
      json.value(status)
      return Answers.result(json, status: .accepted)
    }
  }
}
