import Hummingbird
import OffersCore

/// The targets of the pages' forms, for browsers without scripts. Each redirects to a page, so that
/// reloading it does not send the form again.
struct PageForms: Sendable {
  let content: ServerDependencies

  func add(to router: Router<ServedContext>) {
    router.post("/offers/:ref/favorite") { request, context in
      let asked = try PageRequest(request, context, parameter: "ref")
      let form = SentFields(try await URLEncodedForm.read(request))
      let ref = try asked.offerRef()
      try await content.of(context.visitor).store.setFavorites([ref], to: form.isSet("favorite"))
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.post("/offers/:ref/share") { request, context in
      let asked = try PageRequest(request, context, parameter: "ref")
      let form = SentFields(try await URLEncodedForm.read(request))
      let ref = try asked.offerRef()
      let store = content.of(context.visitor).store
      if form.isSet("share") {
        try await store.share([ref], at: content.now())
      } else {
        try await store.unshare([ref])
      }
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.post("/searches/forget") { request, context in
      let form = SentFields(try await URLEncodedForm.read(request))
      if let words = form["words"] {
        try await content.of(context.visitor).store.removeSearch(
          RecentSearch.ID(words: words, feed: form["feed"]))
      }
      return Self.redirect(to: form["back"] ?? "/search")
    }
    router.post("/sync") { request, context in
      let form = SentFields(try await URLEncodedForm.read(request))
      let accepts = form.isSet("accept-removals")
      let keeps = form.isSet("keep-missing")
      if accepts || keeps { try context.fetchVisitor().check(.admin) }
      let parameters = SyncParameters(
        form["feed"].map { [$0] } ?? [], acceptsRemovals: accepts, keepsMissing: keeps)
      context.record.note(parameters)
      try await start(
        parameters,
        hintWhileBusy:
          "No other refresh was started. Wait until it has finished, then refresh again.")
      return Self.redirect(to: form["back"])
    }
    router.post("/feeds/:name") { request, context in
      let asked = try PageRequest(request, context, parameter: "name")
      let form = SentFields(try await URLEncodedForm.read(request))
      if form["subscribed"] == nil {
        try context.fetchVisitor().check(.admin)
        try await change(asked.name, form)
      } else if form.isSet("subscribed") {
        context.record.did("feed subscribed")
        try await subscribe(to: asked.name)
      } else {
        context.record.did("feed unsubscribed")
        _ = try await content.store.unsubscribe(from: asked.name)
      }
      return Self.redirect(to: form["back"] ?? SettingsSection.feeds.path)
    }
  }

  /// Sets the sync interval and the source of a feed. A new source is synced immediately, and stored
  /// by that sync if it succeeds.
  private func change(_ feed: String, _ form: SentFields) async throws {
    let summary = try await summary(of: feed)
    let every = form["every"]
    let seconds = every.flatMap { Int($0) }
    if let every, seconds == nil, every != "default" {
      throw Problem(.badRequest, "“\(every.prefix(80))” is not an interval in seconds.")
    }
    try await content.store.checkPermit()
    // The form shows the present source with hidden values, and sends it back as it was shown.
    if let source = form["source"], source != summary.shownSource, source != summary.source {
      try await start(
        SyncParameters([feed]), from: source,
        hintWhileBusy: "Nothing was changed. Wait until it has finished, then save again.")
    }
    if every != nil { _ = try await content.syncer.setInterval(seconds, of: feed) }
  }

  /// Subscribes to a feed, and syncs it for the first time.
  private func subscribe(to feed: String) async throws {
    let summary = try await summary(of: feed)
    _ = try await content.store.subscribe(to: feed, source: summary.ownSource)
    try await start(
      SyncParameters([feed]),
      hintWhileBusy: "The feed is subscribed. Wait until it has finished, then refresh the feed.")
  }

  /// The feed with this name.
  ///
  /// - Throws: `OffersError` with `notFound` for an unknown feed, or one without a definition.
  private func summary(of feed: String) async throws -> FeedSummary {
    let all = try await content.fetchFeedSummaries()
    guard let summary = all.first(where: { $0.name == feed && $0.known != nil }) else {
      throw OffersError(.notFound, "There is no feed “\(feed.prefix(80))”.")
    }
    return summary
  }

  /// Starts a sync.
  ///
  /// - Parameters:
  ///   - source: the source to read, as a user typed it; nil for the remembered ones.
  ///   - hintWhileBusy: the hint of the error if another sync is running.
  private func start(
    _ parameters: SyncParameters, from source: String? = nil, hintWhileBusy: String
  ) async throws {
    do {
      _ = try await content.jobs.start(parameters, from: source)
    } catch let problem as Problem where problem.id != nil {
      throw Problem(
        .conflict, "A refresh is already running.", hint: hintWhileBusy, code: .locked)
    }
  }

  private static func redirect(to path: String?) -> Response {
    .seeOther(ReturnPath.checked(path))
  }
}
