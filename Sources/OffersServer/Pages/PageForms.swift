import Hummingbird
import OffersCore

/// The forms on the pages, for browsers that run no scripts. Each leads back to a page.
struct PageForms: Sendable {
  let content: ServedContent

  func add(to router: Router<BasicRequestContext>) {
    router.post("/offers/:ref/favorite") { request, context in
      let asked = try PageRequest(request, context, parameter: "ref")
      let form = SentFields(try await FieldList.read(request))
      let ref = try asked.offerRef()
      _ = try await content.store.setFavorites(
        named: [ref.description], to: form.isSet("favorite"))
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.post("/sync") { request, _ in
      let form = SentFields(try await FieldList.read(request))
      try start(
        WantedSync(
          form["feed"].map { [$0] } ?? [], acceptsRemovals: form.isSet("accept-removals")),
        isBusy: "Nothing else was begun. Wait until it has ended, then refresh again.")
      return Self.redirect(to: form["back"])
    }
    router.post("/feeds/:name") { request, context in
      let asked = try PageRequest(request, context, parameter: "name")
      let form = SentFields(try await FieldList.read(request))
      if form["subscribed"] == nil {
        try await change(asked.name, form)
      } else if form.isSet("subscribed") {
        try await subscribe(to: asked.name)
      } else {
        _ = try await content.store.unsubscribe(from: asked.name)
      }
      return Self.redirect(to: form["back"] ?? "/settings")
    }
  }

  /// Sets how often a feed is synced and where it is read from. Another source is read at once, and
  /// remembered once that has worked.
  private func change(_ feed: String, _ form: SentFields) async throws {
    let summary = try await summary(of: feed)
    let every = form["every"]
    let seconds = every.flatMap { Int($0) }
    if let every, seconds == nil, every != "default" {
      throw Problem(.badRequest, "“\(every.prefix(80))” is no time between syncs.")
    }
    if let source = form["source"], source != summary.source {
      try start(
        WantedSync([feed], source: source),
        isBusy: "Nothing was changed. Wait until it has ended, then save again.")
    }
    if every != nil { _ = try await content.syncer.setInterval(seconds, of: feed) }
  }

  /// Takes a feed up, and reads it for the first time.
  private func subscribe(to feed: String) async throws {
    let summary = try await summary(of: feed)
    _ = try await content.store.subscribe(to: feed, source: summary.source)
    try start(
      WantedSync([feed]),
      isBusy: "The feed is among yours. Wait until it has ended, then refresh the feed.")
  }

  /// - Throws: `OffersError` with `notFound`.
  private func summary(of feed: String) async throws -> FeedSummary {
    let all = try await content.fetchFeedSummaries()
    guard let summary = all.first(where: { $0.name == feed && $0.known != nil }) else {
      throw OffersError(.notFound, "There is no feed “\(feed.prefix(80))”.")
    }
    return summary
  }

  /// - Parameter isBusy: what people are told who ask while another refresh runs.
  private func start(_ wanted: WantedSync, isBusy: String) throws {
    do {
      _ = try content.jobs.start(wanted)
    } catch let problem as Problem where problem.id != nil {
      throw Problem(.conflict, "A refresh is running already.", hint: isBusy, code: .locked)
    }
  }

  /// The browser goes on to a page, which may be loaded again at will.
  private static func redirect(to path: String?) -> Response {
    Response(
      status: .seeOther,
      headers: [.location: PageLinks.back(path), .cacheControl: "no-store"])
  }
}
