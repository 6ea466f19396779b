import Hummingbird
import OffersCore

/// The routes of the HTML pages, of their forms and of their assets.
struct PageRoutes: Sendable {
  let content: ServedContent
  let answers: Answers
  let shell: PageShell
  private let hasLogin: Bool

  /// - Parameters:
  ///   - content: what the pages show and the forms change.
  ///   - answers: responds to reads, and caches these responses.
  ///   - hasLogin: whether the server requires a token.
  init(content: ServedContent, answers: Answers, hasLogin: Bool) {
    self.content = content
    self.answers = answers
    self.hasLogin = hasLogin
    shell = PageShell(templates: PageTemplates(), assets: PageAssets())
  }

  func add(to router: Router<BasicRequestContext>) {
    // The middleware applies to the routes that are added after it, and to unknown paths.
    router.add(middleware: PageErrors(shell: shell))
    let source = PageSource(content: content)
    add("/", to: router) { try await OffersPage(source: source, request: $0).page() }
    add("/favorites", to: router) {
      try await OffersPage(source: source, request: $0, isFavorites: true).page()
    }
    add("/feeds/:name", parameter: "name", to: router) {
      try await FeedPage(source: source, request: $0).page()
    }
    add("/offers/:ref", parameter: "ref", to: router) {
      try await OfferPage(source: source, request: $0).page()
    }
    add("/changes", to: router) { try await ChangesPage(source: source, request: $0).page() }
    add("/search", to: router) { try await SearchPage(source: source, request: $0).page() }
    add("/web", to: router) { WebPage(request: $0).page() }
    add("/settings", to: router) { _ in
      try await SettingsPage(source: source, hasLogin: hasLogin).page()
    }
    add("/offline", to: router) { _ in NoticePage.offline }
    PageForms(content: content).add(to: router)
    AssetRoutes(assets: shell.assets).add(to: router)
  }

  private func add(
    _ path: RouterPath, parameter: String? = nil, to router: Router<BasicRequestContext>,
    _ make: @escaping @Sendable (PageRequest) async throws -> Page
  ) {
    router.get(path) { request, context in
      let asked = try PageRequest(request, context, parameter: parameter)
      return try await answers.answer(request) {
        let page = try await make(asked)
        var answer = Answer.page(try shell.html(page, address: asked.address))
        answer.lifetime = page.lifetime
        answer.framesSites = page.framesSites
        return answer
      }
    }
  }
}

/// Middleware that answers an error of a page with a page. Errors of the API pass through.
struct PageErrors: RouterMiddleware {
  let shell: PageShell

  func handle(
    _ request: Request, context: BasicRequestContext,
    next: (Request, BasicRequestContext) async throws -> Response
  ) async throws -> Response {
    do {
      return try await next(request, context)
    } catch {
      if request.uri.path.hasPrefix("/api/") || error is CancellationError { throw error }
      return try NoticePage.response(to: request, for: error, in: shell)
    }
  }
}
