import Hummingbird
import OffersCore

/// The routes of the HTML pages, of their forms and of their assets.
struct PageRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers
  let shell: PageShell
  private let access: VisitorAuthentication

  init(
    content: ServerDependencies, answers: Answers, access: VisitorAuthentication,
    basePath: BasePath
  ) {
    self.content = content
    self.answers = answers
    self.access = access
    shell = PageShell(
      content: content, templates: .shared, assets: .shared, basePath: basePath)
  }

  func add(to router: Router<ServedContext>) {
    // The middleware applies to the routes that are added after it, and to unknown paths.
    router.add(middleware: PageErrors(shell: shell))
    add("/", to: router) { try await TodayPage(content: $1, request: $0).page() }
    add(RouterPath(OffersPage.path), to: router) {
      try await OffersPage(content: $1, request: $0).page()
    }
    add("/favorites", to: router) {
      try await OffersPage(content: $1, request: $0, isFavorites: true).page()
    }
    add("/household", to: router) {
      try await HouseholdListPage(content: $1, request: $0).page()
    }
    add("/feeds/:name", parameter: "name", to: router) {
      try await FeedPage(content: $1, request: $0).page()
    }
    add("/offers/:ref", parameter: "ref", to: router) {
      try await OfferPage(content: $1, request: $0).page()
    }
    add("/changes", to: router) { try await ChangesPage(content: $1, request: $0).page() }
    add(RouterPath(WatchesPage.path), to: router) {
      try await WatchesPage(content: $1, request: $0).page()
    }
    add(RouterPath(NoticeListPage.path), to: router) {
      try await NoticeListPage(content: $1, request: $0).page()
    }
    add("/search", to: router) { try await SearchPage(content: $1, request: $0).page() }
    add("/web", to: router) { try await FramedSitePage(content: $1, request: $0).page() }
    add("/settings", to: router) { try await settings($0, $1).list() }
    for section in SettingsSection.allCases {
      add(RouterPath(section.path), to: router) { try await settings($0, $1).page(section) }
    }
    add("/offline", to: router) { _, _ in
      var page = NoticePage.offline
      // The page is stored once for all users of a browser.
      page.sidebarFeeds = []
      return page
    }
    PageForms(content: content).add(to: router)
    WatchForms(content: content).add(to: router)
    AddFeedPage(content: content, shell: shell).add(to: router)
    AssetRoutes(assets: shell.assets, maps: content.maps).add(to: router)
  }

  private func settings(_ request: PageRequest, _ content: ServerDependencies) -> SettingsPage {
    SettingsPage(
      content: content, access: access, visitor: request.visitor, done: request.fields["done"])
  }

  private func add(
    _ path: RouterPath, parameter: String? = nil, to router: Router<ServedContext>,
    _ make: @escaping @Sendable (PageRequest, ServerDependencies) async throws -> Page
  ) {
    router.get(path) { request, context in
      let asked = try PageRequest(request, context, parameter: parameter)
      return try await answers.answer(request, for: context.visitor) {
        let source = content.of(context.visitor)
        let page = try await make(asked, source)
        let html = try shell.html(
          page, address: asked.address, for: context.visitor,
          feeds: try await shell.feeds(beside: page))
        var answer = Answer.page(html)
        answer.lifetime = page.lifetime
        answer.reach = page.reach
        // An offer with a map opens over every list and beside it.
        if page.reach == .ownContent, page.menuEntry != .settings, let tiles = source.maps.tiles {
          answer.reach = .images(from: tiles.origin)
        }
        return answer
      }
    }
  }
}

/// Middleware that answers an error of a page with a page. Errors of the API pass through, those of a
/// store that cannot be reached, which has no feeds to list, those of one that belongs to a newer program, and refusals of an access that has ended, which sees no feeds.
struct PageErrors: RouterMiddleware {
  let shell: PageShell

  private static let passedCodes: [OffersError.Code] = [.storeUnreachable, .newerDatabase]

  func handle(
    _ request: Request, context: ServedContext,
    next: (Request, ServedContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if request.uri.path.hasPrefix("/api/") || error.isCancellation { throw error }
      if let error = error as? OffersError,
        Self.passedCodes.contains(error.code) || error.isOfAccess || error == .tooManyAtOnce
      {
        throw error
      }
      // A store that fails has no feeds to list, either.
      let feeds = (try? await shell.content.fetchFeeds()) ?? []
      return try NoticePage.response(
        to: request, for: error, in: shell, by: context.visitor, feeds: feeds)
    }
  }
}

/// The targets of the pages' forms, for browsers without scripts. Each redirects to a page, so that
/// reloading it does not send the form again.
struct PageForms: Sendable {
  let content: ServerDependencies

  func add(to router: Router<ServedContext>) {
    router.form("/offers/:ref/favorite") { form, _, context in
      let ref = try OfferRef(named: try context.segment("ref"))
      try await content.of(context.visitor).store.setFavorites([ref], to: form.isSet("favorite"))
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.form("/offers/:ref/share") { form, _, context in
      let ref = try OfferRef(named: try context.segment("ref"))
      let store = content.of(context.visitor).store
      if form.isSet("share") {
        try await store.share([ref], at: content.now())
      } else {
        try await store.unshare([ref])
      }
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.form("/hidings") { form, _, context in
      let store = content.of(context.visitor).store
      if let what = form["what"] {
        if form.isSet("hide") {
          try await store.hide(what, now: content.now())
        } else {
          try await store.unhide(what)
        }
      }
      return Self.redirect(to: form["back"] ?? SettingsSection.hidden.path)
    }
    router.form("/searches/forget") { form, _, context in
      if let words = form["words"] {
        try await content.of(context.visitor).store.removeSearch(
          words, of: form["feed"])
      }
      return Self.redirect(to: form["back"] ?? "/search")
    }
    router.form("/sync") { form, _, context in
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
    router.form("/feeds/:name") { form, _, context in
      let name = try context.segment("name")
      if form["subscribed"] == nil {
        try context.fetchVisitor().check(.admin)
        try await change(name, form)
      } else if form.isSet("subscribed") {
        context.record.did("feed subscribed")
        try await subscribe(to: name)
      } else {
        context.record.did("feed unsubscribed")
        _ = try await content.store.unsubscribe(from: name)
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
    let shown = [summary.source, summary.shownSource, FeedSettings.source(of: summary)]
    if let source = form["source"], !shown.contains(source) {
      try await start(
        SyncParameters([feed]), from: source,
        hintWhileBusy: "Wait until it has finished, then save again.")
    }
    if every != nil { _ = try await content.syncer.setInterval(seconds, of: feed) }
  }

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
  /// - Parameter source: the source to read, as a user typed it; nil for the remembered ones.
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

/// The routes of style sheets, scripts and icons, and of the map library's files.
struct AssetRoutes: Sendable {
  let assets: PageAssets
  let maps: MapSettings

  /// Whether a path is that of a file for browsers that are logged in: the service worker, or one of the map
  /// library.
  static func isFile(_ path: String) -> Bool { path == "/sw.js" || path.hasPrefix("/map/") }

  func add(to router: Router<ServedContext>) {
    router.get("/assets/:name") { request, context in
      try respond(assets.files[try context.parameters.require("name")], to: request)
    }
    // A service worker controls the paths below its own URL; at the root it controls all pages.
    let worker = assets.worker(loading: maps.tiles)
    router.get("/sw.js") { request, _ in try respond(worker, to: request) }
    add("/manifest.webmanifest", "manifest.webmanifest", to: router)
    add("/favicon.ico", "icon.svg", to: router)
    router.get("/map/**") { request, context in
      try respond(
        maps.files.find(context.parameters.getCatchAll().joined(separator: "/")), to: request)
    }
  }

  private func add(
    _ path: RouterPath, _ name: String, to router: Router<ServedContext>
  ) {
    router.get(path) { request, _ in try respond(assets.files[name], to: request) }
  }

  /// Responds with a file. A URL with the current version names the same content for ever.
  private func respond(_ file: PageAssets.Asset?, to request: Request) throws -> Response {
    guard let file else { throw HTTPError(.notFound) }
    let isOfVersion = request.fields["v"] == assets.version
    return (isOfVersion ? file.lasting : file.revalidated).response(to: request)
  }
}
