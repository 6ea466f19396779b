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
        form["feed"].map { [$0] } ?? [],
        isBusy: "Nothing else was begun. Wait until it has ended, then refresh again.")
      return Self.redirect(to: form["back"])
    }
    router.post("/feeds/:name") { request, context in
      let asked = try PageRequest(request, context, parameter: "name")
      let form = SentFields(try await FieldList.read(request))
      if form.isSet("subscribed") {
        try await subscribe(to: asked.name)
      } else {
        _ = try await content.store.unsubscribe(from: asked.name)
      }
      return Self.redirect(to: form["back"] ?? "/settings")
    }
  }

  /// Takes a feed up, and reads it for the first time.
  private func subscribe(to feed: String) async throws {
    let known = try content.syncer.fetchKnownFeeds().filter { $0.name == feed }
    let summary = FeedSummary.all(known: known, subscribed: []).first
    guard let summary else {
      throw OffersError(.notFound, "There is no feed “\(feed.prefix(80))”.")
    }
    _ = try await content.store.subscribe(to: feed, source: summary.source)
    try start(
      [feed], isBusy: "The feed is among yours. Wait until it has ended, then refresh the feed.")
  }

  /// - Parameter isBusy: what people are told who ask while another refresh runs.
  private func start(_ feeds: [String], isBusy: String) throws {
    do {
      _ = try content.jobs.start(feeds)
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
