import Foundation
import OffersCore

/// The style sheets, scripts and icons of the pages, embedded in the program.
struct PageAssets: Sendable {
  struct Asset: Sendable {
    let contentType: String
    let bytes: [UInt8]
  }

  /// By name.
  let files: [String: Asset]
  /// Stands for all of them: it differs when one of them does.
  let version: String

  /// Where a file names the version of all of them.
  private static let versionMark = "__VERSION__"

  init() {
    var hash = DocumentHash()
    for (_, _, bytes) in Self.all { bytes.withUnsafeBytes { hash.update($0) } }
    let version = hash.finish().prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    self.version = version
    files = Dictionary(
      Self.all.map { name, type, bytes in
        guard type.hasPrefix("text/") || type.hasPrefix("application/") else {
          return (name, Asset(contentType: type, bytes: bytes))
        }
        let text = String(decoding: bytes, as: UTF8.self).replacing(Self.versionMark, with: version)
        return (name, Asset(contentType: type, bytes: Array(text.utf8)))
      }, uniquingKeysWith: { one, _ in one })
  }

  private static let script = "text/javascript; charset=utf-8"
  private static let style = "text/css; charset=utf-8"

  private static let all: [(String, String, [UInt8])] = [
    ("app.css", style, PackageResources.app_css),
    ("controls.css", style, PackageResources.controls_css),
    ("pages.css", style, PackageResources.pages_css),
    ("app.js", script, PackageResources.app_js),
    ("events.js", script, PackageResources.events_js),
    ("lists.js", script, PackageResources.lists_js),
    ("map.js", script, PackageResources.map_js),
    ("messages.js", script, PackageResources.messages_js),
    ("refresh.js", script, PackageResources.refresh_js),
    ("renew.js", script, PackageResources.renew_js),
    ("search.js", script, PackageResources.search_js),
    ("stars.js", script, PackageResources.stars_js),
    ("web.js", script, PackageResources.web_js),
    ("wishes.js", script, PackageResources.wishes_js),
    ("sw.js", script, PackageResources.sw_js),
    ("manifest.webmanifest", "application/manifest+json", PackageResources.manifest_webmanifest),
    ("icon.svg", "image/svg+xml", PackageResources.icon_svg),
    ("icon-192.png", "image/png", PackageResources.icon_192_png),
    ("icon-512.png", "image/png", PackageResources.icon_512_png),
    ("icon-maskable-512.png", "image/png", PackageResources.icon_maskable_512_png),
  ]
}
