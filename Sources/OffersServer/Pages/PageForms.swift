import Hummingbird
import OffersCore

/// The forms on the pages, for browsers that run no scripts. Each leads back to a page.
struct PageForms: Sendable {
  let content: ServedContent

  /// No form of ours is longer.
  private static let limitBytes = 16_384

  func add(to router: Router<BasicRequestContext>) {
    router.post("/offers/:ref/favorite") { request, context in
      let asked = try PageRequest(request, context, parameter: "ref")
      let form = try await Self.form(of: request)
      let ref = try asked.offerRef()
      _ = try await content.store.setFavorites(
        named: [ref.description], to: form.isSet("favorite"))
      return Self.redirect(to: form["back"] ?? PageLinks.offer(ref))
    }
    router.post("/sync") { request, _ in
      let form = try await Self.form(of: request)
      try await start(form["feed"].map { [$0] } ?? [])
      return Self.redirect(to: form["back"])
    }
    router.post("/feeds/:name") { request, context in
      let asked = try PageRequest(request, context, parameter: "name")
      let form = try await Self.form(of: request)
      if form.isSet("subscribed") {
        try await start([asked.name])
      } else {
        _ = try await content.store.unsubscribe(from: asked.name)
      }
      return Self.redirect(to: form["back"] ?? "/settings")
    }
  }

  private func start(_ feeds: [String]) async throws {
    try await content.syncer.sync(feeds, reason: .asked, progress: { _ in }, finished: { _, _ in })
  }

  private static func form(of request: Request) async throws -> SentFields {
    let type = request.headers[.contentType]?.prefix { $0 != ";" }.lowercased()
    guard type == "application/x-www-form-urlencoded" else {
      throw OffersError(.invalidRequest, "This is no form.")
    }
    let body = try await request.body.collect(upTo: limitBytes)
    return SentFields(parsing: String(buffer: body))
  }

  /// The browser goes on to a page, which may be loaded again at will.
  private static func redirect(to path: String?) -> Response {
    Response(
      status: .seeOther,
      headers: [.location: PageLinks.back(path), .cacheControl: "no-store"])
  }
}
