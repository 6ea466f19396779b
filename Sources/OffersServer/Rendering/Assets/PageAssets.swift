import Foundation
import Hummingbird
import OffersCore

/// The style sheets, scripts and icons of the pages, embedded in the program.
struct PageAssets: Sendable {
  struct Asset: Sendable {
    /// The file at a URL with the current version of the assets, whose content never changes.
    let lasting: TaggedContent
    /// The file at a URL without a version.
    let revalidated: TaggedContent

    init(_ contentType: String, _ bytes: [UInt8]) {
      let body = ByteBuffer(bytes: bytes)
      lasting = TaggedContent(
        contentType, body, cacheControl: "public, max-age=31536000, immutable")
      revalidated = TaggedContent(contentType, body, cacheControl: Answer.revalidated)
    }
  }

  /// The files by name.
  let files: [String: Asset]
  /// The start of a hash over all files. It is part of their URLs, so that browsers may cache a URL
  /// forever.
  let version: String

  /// The placeholders in the files: for the version, for the number of days of a label, for the names of
  /// the files that the service worker stores, and for the attributes with addresses.
  private static let versionMark = "__VERSION__"
  private static let labelDaysMark = "__LABEL_DAYS__"
  private static let filesMark = "__FILES__"
  private static let attributesMark = "__ADDRESS_ATTRIBUTES__"

  /// The files of this program.
  static let shared = PageAssets()

  private init() {
    var hash = DocumentHash()
    let all =
      Self.served.map { ($0.name, $0.type, EmbeddedPageFiles.find($0.name) ?? []) }
      + [
        ("styles.css", Self.style, Self.styles),
        ("templates.json", Self.json, PageTemplates.offline),
        ("letters.json", Self.json, LetterTable.json),
      ]
    for (_, _, bytes) in all { bytes.withUnsafeBytes { hash.update($0) } }
    withUnsafeBytes(of: GoodNewsLabels.days) { hash.update($0) }
    Array(BasePath.attributes.utf8).withUnsafeBytes { hash.update($0) }
    // The library of maps is part of the version, because its files have it in their URLs, too.
    for bytes in LeafletFiles.installed.contents { bytes.withUnsafeBytes { hash.update($0) } }
    let version = hash.finish().prefix(6).hexadecimal
    self.version = version
    let stored = all.map(\.0).filter { !Self.unstored.contains($0) }.joined(separator: " ")
    files = Dictionary(
      all.map { name, type, bytes in
        guard type.hasPrefix("text/") || type.hasPrefix("application/") else {
          return (name, Asset(type, bytes))
        }
        let text = String(decoding: bytes, as: UTF8.self).replacing(
          bytes: Self.versionMark, with: version
        ).replacing(bytes: Self.labelDaysMark, with: String(GoodNewsLabels.days))
          .replacing(bytes: Self.filesMark, with: stored)
          .replacing(bytes: Self.attributesMark, with: BasePath.attributes)
        return (name, Asset(type, Array(text.utf8)))
      }, uniquingKeysWith: { one, _ in one })
  }

  /// All style sheets in one file, because a browser paints nothing before it has each of them.
  private static var styles: [UInt8] {
    styleNames.flatMap { (EmbeddedPageFiles.find($0) ?? []) + [UInt8(ascii: "\n")] }
  }

  /// The style sheets in their order, in which later ones add to earlier ones.
  private static let styleNames = [
    "tokens.css", "layout.css", "controls.css", "messages.css", "panels.css", "cards.css",
    "lists.css", "changes.css", "search.css", "sheet.css", "offer.css", "place.css", "map.css",
    "settings.css", "login.css", "web.css", "sidebar.css", "columns.css", "motion.css",
  ]

  private static let json = "application/json"
  private static let style = "text/css; charset=utf-8"

  /// The content types by the endings of names. Style sheets are served as one, and templates as one.
  private static let contentTypes = [
    "js": "text/javascript; charset=utf-8", "json": json, "png": "image/png",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "woff2": "font/woff2",
  ]

  /// The files that are served as they are, with their types. The API serves its description.
  private static let served: [(name: String, type: String)] =
    EmbeddedPageFiles.names.filter { $0 != "openapi.json" }.compactMap { name in
      contentTypes[name.split(scalar: ".").last.map(String.init) ?? ""].map { (name, $0) }
    }

  /// The files that the service worker does not store: itself, and the ones that browsers request when
  /// they install the app.
  private static let unstored: Set<String> = [
    "sw.js", "manifest.webmanifest", "icon-512.png", "icon-maskable-512.png",
  ]
}
