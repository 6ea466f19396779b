import Hummingbird
import OffersCore

/// The routes of the HTML pages, of their forms and of their assets.
struct PageRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers
  let shell: PageShell
  private let access: VisitorAuthentication

  /// - Parameters:
  ///   - content: what the pages show and the forms change.
  ///   - answers: responds to reads, and caches these responses.
  ///   - access: decides whom a request is from.
  ///   - basePath: the path below which browsers reach the pages.
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
    add("/", to: router) { try await OffersPage(source: $1, request: $0).page() }
    add("/favorites", to: router) {
      try await OffersPage(source: $1, request: $0, isFavorites: true).page()
    }
    add("/household", to: router) {
      try await HouseholdListPage(source: $1, request: $0).page()
    }
    add("/feeds/:name", parameter: "name", to: router) {
      try await FeedPage(source: $1, request: $0).page()
    }
    add("/offers/:ref", parameter: "ref", to: router) {
      try await OfferPage(source: $1, request: $0).page()
    }
    add("/changes", to: router) { try await ChangesPage(source: $1, request: $0).page() }
    add("/search", to: router) { try await SearchPage(source: $1, request: $0).page() }
    add("/web", to: router) { try await FramedSitePage(source: $1, request: $0).page() }
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
    AddFeedPage(content: content, shell: shell).add(to: router)
    AssetRoutes(assets: shell.assets, mapFiles: content.maps.files).add(to: router)
  }

  private func settings(_ request: PageRequest, _ source: PageSource) -> SettingsPage {
    SettingsPage(
      source: source, access: access, visitor: request.visitor, done: request.fields["done"])
  }

  private func add(
    _ path: RouterPath, parameter: String? = nil, to router: Router<ServedContext>,
    _ make: @escaping @Sendable (PageRequest, PageSource) async throws -> Page
  ) {
    router.get(path) { request, context in
      let asked = try PageRequest(request, context, parameter: parameter)
      return try await answers.answer(request, for: context.visitor) {
        let source = PageSource(content: content.of(context.visitor))
        let page = try await make(asked, source)
        let html = try shell.html(
          page, address: asked.address, for: context.visitor,
          feeds: try await shell.feeds(beside: page))
        var answer = Answer.page(html)
        answer.lifetime = page.lifetime
        answer.reach = page.reach
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
      if request.uri.path.hasPrefix("/api/") || error is CancellationError { throw error }
      if let error = error as? OffersError,
        Self.passedCodes.contains(error.code) || error.isOfAccess || error == .tooManyAtOnce
      {
        throw error
      }
      // A store that fails has no feeds to list, either.
      let feeds = (try? await PageSource(content: shell.content).fetchFeeds()) ?? []
      return try NoticePage.response(
        to: request, for: error, in: shell, by: context.visitor, feeds: feeds)
    }
  }
}
