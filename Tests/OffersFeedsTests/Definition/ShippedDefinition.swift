import Foundation
import OffersFeeds

/// The shipped definitions and samples, read from the source folder.
enum ShippedDefinition {
  static let feeds = ["ibotta", "restaurants", "facts", "movies", "albums"]
  static let kinds = ["rss", "rdf", "atom", "jsonfeed", "shopify", "merchant", "chart"]

  private static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
    .appending(path: "Sources/OffersFeeds")

  static func text(_ name: String) throws -> String {
    try String(
      contentsOf: folder.appending(path: "Shipped/\(name).yaml"), encoding: .utf8)
  }

  static func definition(_ name: String) throws -> FeedDefinition {
    let definitions = try DefinitionFile.parse(try text(name), name: "\(name).yaml")
    return definitions[0]
  }

  static func sample(_ name: String) throws -> Data {
    try Data(contentsOf: folder.appending(path: "Samples/\(name).json"))
  }
}
