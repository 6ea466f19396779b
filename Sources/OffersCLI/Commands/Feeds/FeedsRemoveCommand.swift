import ArgumentParser
import OffersCore
import OffersFeeds

/// `offers feeds remove`
struct FeedsRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Unsubscribe from a feed. Its offers and favorites stay.",
    discussion: """
      The feed is no longer synced, and its definition is removed from your file. To subscribe to \
      a shipped feed again, sync it by its name: it is then read from its previous source.
      """)

  @Argument(help: "The feed.")
  var name: String

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let file = try configuration.path
    let known = try file.load()
    let place = try location.place
    var did: [String] = []
    var left = ""
    if let database = try await place.openExisting(.readWrite) {
      if let feed = try await database.fetchFeeds().first(where: { $0.name == name }) {
        left = Self.left(of: feed)
      }
      if try await database.unsubscribe(from: name) { did.append("no longer synced") }
      // The chosen source of a feed in the user's file is forgotten, because a later feed with this
      // name would be another one. If a shipped feed has the same name and source, that feed
      // remains and keeps the chosen source.
      if let own = known.own.first(where: { $0.name == name }),
        try FeedCatalog.find(name).map({ $0.source == own.source }) != true
      {
        try await database.forgetSource(of: name)
      }
    }
    if try file.read() != nil {
      try TextFile.update(file.text) { yaml in
        let rest = try yaml.flatMap {
          try DefinitionEdit.removing(name, from: $0, name: file.text)
        }
        if rest != nil {
          did.append("its definition was removed from \(DisplayText.oneLine(file.text))")
        }
        return rest
      }
    }
    if did.isEmpty {
      _ = try known.fetch(name)
      try Output.print("\(name): was not subscribed")
    } else {
      try Output.print("\(name): \(did.joined(separator: "; ")).\(left)")
    }
  }

  /// A sentence about what stays of a feed; empty if it has no offer.
  private static func left(of feed: Feed) -> String {
    let count = feed.currentCount + feed.goneCount
    if count == 0 { return "" }
    let favorites =
      feed.favoriteCount == 0
      ? "" : ", with \(Units.count(feed.favoriteCount, "favorite")), kept for good"
    return
      " \(count == 1 ? "Its offer stays" : "Its \(Units.count(count)) offers stay")\(favorites)."
  }
}
