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
    for name in Self.names {
      let bytes = EmbeddedFile.find("\(name).mustache") ?? []
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

  private static let names = [
    "alert", "bare", "card", "changes", "chips", "choice", "empty", "feed", "icons", "more",
    "notice", "offer", "offers", "picture", "poster", "search", "searchbox", "settings", "shell",
    "star", "web",
  ]
}
