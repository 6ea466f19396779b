import Hummingbird
import OffersCore

/// The routes of style sheets, scripts and icons, and of the map library's files.
struct AssetRoutes: Sendable {
  let assets: PageAssets
  let mapFiles: LeafletFiles

  /// The `Cache-Control` of a URL with the current version of the assets, whose content never
  /// changes.
  private static let forever = "public, max-age=31536000, immutable"
  private static let revalidated = "private, no-cache"

  func add(to router: Router<ServedContext>) {
    router.get("/assets/:name") { request, context in
      let name = try context.parameters.require("name")
      let isOfVersion = SentFields(parsing: request.uri.query ?? "")["v"] == assets.version
      return try respond(name, request, isOfVersion ? Self.forever : Self.revalidated)
    }
    // A service worker controls the paths below its own URL; at the root it controls all pages.
    add("/sw.js", "sw.js", to: router)
    add("/manifest.webmanifest", "manifest.webmanifest", to: router)
    add("/favicon.ico", "icon.svg", to: router)
    router.get("/map/**") { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      guard let file = mapFiles.find(path) else { throw HTTPError(.notFound) }
      return Self.respond(file.contentType, file.bytes, request, "private, max-age=86400")
    }
  }

  private func add(
    _ path: RouterPath, _ name: String, to router: Router<ServedContext>
  ) {
    router.get(path) { request, _ in try respond(name, request, Self.revalidated) }
  }

  private func respond(
    _ name: String, _ request: Request, _ cacheControl: String
  ) throws -> Response {
    guard let file = assets.files[name] else { throw HTTPError(.notFound) }
    return Self.respond(file.contentType, file.bytes, request, cacheControl)
  }

  private static func respond(
    _ contentType: String, _ bytes: [UInt8], _ request: Request, _ cacheControl: String
  ) -> Response {
    let body = ByteBuffer(bytes: bytes)
    let tag = EntityTag.make(of: body)
    if let field = request.headers[.ifNoneMatch], EntityTag.isNamed(tag, in: field) {
      return Response(status: .notModified, headers: [.eTag: tag, .cacheControl: cacheControl])
    }
    return Response(
      status: .ok,
      headers: [.contentType: contentType, .cacheControl: cacheControl, .eTag: tag],
      body: ResponseBody(byteBuffer: body))
  }
}
