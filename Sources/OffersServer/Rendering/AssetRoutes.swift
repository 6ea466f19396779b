import Hummingbird
import OffersCore

/// The routes of style sheets, scripts and icons, and of the map library's files.
struct AssetRoutes: Sendable {
  let assets: PageAssets
  let mapFiles: LeafletFiles

  func add(to router: Router<ServedContext>) {
    router.get("/assets/:name") { request, context in
      let name = try context.parameters.require("name")
      let isOfVersion = SentFields(parsing: request.uri.query ?? "")["v"] == assets.version
      return try respond(name, request, isForever: isOfVersion)
    }
    // A service worker controls the paths below its own URL; at the root it controls all pages.
    add("/sw.js", "sw.js", to: router)
    add("/manifest.webmanifest", "manifest.webmanifest", to: router)
    add("/favicon.ico", "icon.svg", to: router)
    router.get("/map/**") { request, context in
      let path = context.parameters.getCatchAll().joined(separator: "/")
      guard let file = mapFiles.find(path) else { throw HTTPError(.notFound) }
      return TaggedContent(
        file.contentType, ByteBuffer(bytes: file.bytes), cacheControl: "private, max-age=86400"
      ).response(to: request)
    }
  }

  private func add(
    _ path: RouterPath, _ name: String, to router: Router<ServedContext>
  ) {
    router.get(path) { request, _ in try respond(name, request) }
  }

  private func respond(
    _ name: String, _ request: Request, isForever: Bool = false
  ) throws -> Response {
    guard let file = assets.files[name] else { throw HTTPError(.notFound) }
    return (isForever ? file.lasting : file.revalidated).response(to: request)
  }
}
