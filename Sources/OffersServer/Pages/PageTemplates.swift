import Mustache
import OffersCore

/// The templates of all pages, read once.
struct PageTemplates: Sendable {
  private let library: MustacheLibrary
  /// The templates that Mustache could not read. There are none in a program that was tested.
  let unreadable: [String]

  init() {
    MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
    var library = MustacheLibrary()
    var unreadable: [String] = []
    for (name, bytes) in Self.all {
      // A partial begins with Mustache's own escaping again, so that each of them has to say so.
      let text = "{{% CONTENT_TYPE:\(PageEscaping.name)}}" + String(decoding: bytes, as: UTF8.self)
      do {
        try library.register(text, named: name)
      } catch {
        unreadable.append("\(name): \(error)")
      }
    }
    self.library = library
    self.unreadable = unreadable
  }

  /// - Throws: `OffersError` with `invalidRequest` for a name that no template has.
  func render(_ name: String, _ fields: PageFields) throws -> String {
    guard let text = library.render(fields, withTemplate: name) else {
      throw OffersError(.invalidRequest, "There is no page “\(name)”.")
    }
    return text
  }

  private static let all: [(String, [UInt8])] = [
    ("alert", PackageResources.alert_mustache),
    ("bare", PackageResources.bare_mustache),
    ("card", PackageResources.card_mustache),
    ("changes", PackageResources.changes_mustache),
    ("chips", PackageResources.chips_mustache),
    ("choice", PackageResources.choice_mustache),
    ("empty", PackageResources.empty_mustache),
    ("feed", PackageResources.feed_mustache),
    ("icons", PackageResources.icons_mustache),
    ("more", PackageResources.more_mustache),
    ("notice", PackageResources.notice_mustache),
    ("offer", PackageResources.offer_mustache),
    ("offers", PackageResources.offers_mustache),
    ("picture", PackageResources.picture_mustache),
    ("poster", PackageResources.poster_mustache),
    ("search", PackageResources.search_mustache),
    ("searchbox", PackageResources.searchbox_mustache),
    ("settings", PackageResources.settings_mustache),
    ("shell", PackageResources.shell_mustache),
    ("star", PackageResources.star_mustache),
    ("web", PackageResources.web_mustache),
  ]
}
