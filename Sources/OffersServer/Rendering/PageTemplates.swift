import Mustache
import OffersCore

/// The Mustache templates of all pages, parsed once.
struct PageTemplates: Sendable {
  private let library: MustacheLibrary
  /// The templates that could not be parsed, with the reasons. A test checks that there are none.
  let unreadable: [String]

  /// The parsed templates, which all servers of a process share.
  static let shared = PageTemplates()

  private init() {
    MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
    var library = MustacheLibrary()
    var unreadable: [String] = []
    for name in Self.names {
      let bytes = EmbeddedPageFiles.find("\(name).mustache") ?? []
      // Mustache resets the escaping at the start of each partial, so that every template sets it.
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

  /// Renders a template.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an unknown template.
  func render(_ name: String, _ fields: PageFields) throws -> String {
    guard let text = library.render(fields, withTemplate: name) else {
      throw OffersError(.invalidRequest, "There is no page “\(name)”.")
    }
    return text
  }

  /// The templates of the pages that a browser makes while the server cannot be reached, as a JSON
  /// object of their texts by name.
  static var offline: [UInt8] {
    var json = JSONWriter()
    json.object { json in
      for name in names where !serverOnly.contains(name) {
        json.member(
          name, String(decoding: EmbeddedPageFiles.find("\(name).mustache") ?? [], as: UTF8.self))
      }
    }
    return json.bytes
  }

  private static let serverOnly: Set<String> = [
    "account", "add-feed", "adding", "bare", "field-error", "household", "identity", "login",
    "pair", "pairing", "passphrase", "proposal", "sessions", "settings", "settings-about",
    "settings-browser", "settings-devices", "settings-feeds", "settings-people", "this-device",
    "token",
    "tokens", "users", "welcome", "your-data",
  ]

  private static let names = EmbeddedPageFiles.names.filter { $0.hasSuffix(".mustache") }
    .map { String($0.dropLast(".mustache".count)) }
}
