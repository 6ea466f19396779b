import Hummingbird
import OffersCore

/// The routes of style sheets, scripts and icons, and of the map library's files.
struct AssetRoutes: Sendable {
  let assets: PageAssets
  let mapFiles: LeafletFiles

  /// Whether a path is that of a file for browsers that are logged in: the service worker, or one of the map
  /// library.
  static func isFile(_ path: String) -> Bool { path == "/sw.js" || path.hasPrefix("/map/") }

  func add(to router: Router<ServedContext>) {
    router.get("/assets/:name") { request, context in
      try respond(assets.files[try context.parameters.require("name")], to: request)
    }
    // A service worker controls the paths below its own URL; at the root it controls all pages.
    add("/sw.js", "sw.js", to: router)
    add("/manifest.webmanifest", "manifest.webmanifest", to: router)
    add("/favicon.ico", "icon.svg", to: router)
    router.get("/map/**") { request, context in
      try respond(
        mapFiles.find(context.parameters.getCatchAll().joined(separator: "/")), to: request)
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
    let isOfVersion = SentFields(parsing: request.uri.query ?? "")["v"] == assets.version
    return (isOfVersion ? file.lasting : file.revalidated).response(to: request)
  }
}
