import EmbeddedFeeds
import OffersCore

/// The definitions that ship with the program: those of the named feeds, and those of the
/// well-known kinds of documents, such as RSS. Each is a YAML file in the format that users write.
package enum FeedCatalog {
  /// The names of the shipped feeds.
  package static let names = ["albums", "facts", "ibotta", "movies", "restaurants"]

  /// Returns the definition of the shipped feed with this name, or nil when there is none.
  package static func find(_ name: String) throws -> FeedDefinition? {
    names.contains(name) ? try definition(of: name) : nil
  }

  /// Returns the definition of a shipped feed, or of a well-known kind, such as `rss`.
  static func definition(of name: String) throws -> FeedDefinition {
    let text = String(decoding: findFile("\(name).yaml") ?? [], as: UTF8.self)
    return try DefinitionFile.parse(text, name: "\(name).yaml")[0]
  }

  /// Returns the YAML file of the shipped feed with this name, or nil when there is none.
  package static func findText(of name: String) -> String? {
    guard names.contains(name), let file = findFile("\(name).yaml") else { return nil }
    return String(decoding: file, as: UTF8.self)
  }

  /// Returns the built-in sample document of a shipped feed, or nil when there is no such feed. Its
  /// offers are invented, so that the program can be tried without a network.
  package static func findSample(of name: String) -> [UInt8]? {
    names.contains(name) ? findFile("\(name).json") : nil
  }

  /// Returns the picture at an address of a sample, so that its offers have pictures without a network;
  /// nil for any other address. The part of the path that begins with `sample-` names it.
  package static func findPicture(at address: String) -> [UInt8]? {
    guard let host = pictureHosts.first(where: address.hasPrefix),
      let part = address.dropFirst(host.count).split(scalar: "/").first(where: {
        $0.hasPrefix("sample-")
      })
    else { return nil }
    return findFile("\(part.dropFirst("sample-".count)).png")
  }

  private static let pictureHosts = ["https://images.example.com/", "https://image.tmdb.org/"]

  /// Returns the bytes of a file of the folders `Shipped`, `Samples` and `Pictures`, which are embedded in the
  /// program; nil when there is none with this name.
  private static func findFile(_ name: String) -> [UInt8]? {
    var count: UInt = 0
    guard let bytes = embedded_feed_file(name, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}
