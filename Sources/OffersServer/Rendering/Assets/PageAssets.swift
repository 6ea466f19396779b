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

  /// The placeholders in the files: for the version, and for the number of days of a label.
  private static let versionMark = "__VERSION__"
  private static let labelDaysMark = "__LABEL_DAYS__"

  /// The files of this program.
  static let shared = PageAssets()

  private init() {
    var hash = DocumentHash()
    let all =
      Self.contentTypes.map { ($0, $1, EmbeddedPageFiles.find($0) ?? []) }
      + [
        ("styles.css", Self.style, Self.styles),
        ("templates.json", Self.json, PageTemplates.offline),
        ("letters.json", Self.json, LetterTable.json),
      ]
    for (_, _, bytes) in all { bytes.withUnsafeBytes { hash.update($0) } }
    withUnsafeBytes(of: GoodNewsLabels.days) { hash.update($0) }
    // The library of maps is part of the version, because its files have it in their URLs, too.
    for bytes in LeafletFiles.installed.contents { bytes.withUnsafeBytes { hash.update($0) } }
    let version = hash.finish().prefix(6).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
      .joined()
    self.version = version
    files = Dictionary(
      all.map { name, type, bytes in
        guard type.hasPrefix("text/") || type.hasPrefix("application/") else {
          return (name, Asset(type, bytes))
        }
        let text = String(decoding: bytes, as: UTF8.self).replacing(
          bytes: Self.versionMark, with: version
        ).replacing(bytes: Self.labelDaysMark, with: String(GoodNewsLabels.days))
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
  private static let script = "text/javascript; charset=utf-8"
  private static let style = "text/css; charset=utf-8"

  private static let contentTypes = [
    ("add-feed.js", script),
    ("app.js", script),
    ("column.js", script),
    ("detail.js", script),
    ("drag.js", script),
    ("elements.js", script),
    ("events.js", script),
    ("feed-forms.js", script),
    ("household.js", script),
    ("keys.js", script),
    ("lists.js", script),
    ("login.js", script),
    ("map.js", script),
    ("messages.js", script),
    ("news.js", script),
    ("over.js", script),
    ("place-card.js", script),
    ("place.js", script),
    ("refresh.js", script),
    ("renew.js", script),
    ("requests.js", script),
    ("search.js", script),
    ("share.js", script),
    ("sheet.js", script),
    ("slide.js", script),
    ("stars.js", script),
    ("times.js", script),
    ("theme.js", script),
    ("waiting.js", script),
    ("web.js", script),
    ("wishes.js", script),
    ("world.js", script),
    ("world.json", json),
    ("sw.js", script),
    ("mustache.js", script),
    ("offline-data.js", script),
    ("offline-fetch.js", script),
    ("offline-lists.js", script),
    ("offline-pages.js", script),
    ("offline-search.js", script),
    ("offline-texts.js", script),
    ("offline-values.js", script),
    ("manifest.webmanifest", "application/manifest+json"),
    ("icon.svg", "image/svg+xml"),
    ("icon-192.png", "image/png"),
    ("icon-512.png", "image/png"),
    ("icon-maskable-512.png", "image/png"),
    ("inter.woff2", "font/woff2"),
  ]
}
