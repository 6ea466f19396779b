import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersStore

struct FeedsRemoveCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Unsubscribe from a feed. Its offers stay, unless you add --offers.",
    usage: "offers feeds remove <name> [<options>]",
    discussion: """
      The feed is no longer synced, and its definition is removed from the database. Its offers and \
      favorites stay. With --offers its offers and their changes are removed as well, except \
      favorites, which are marked as gone.

      To subscribe again to a feed that ships with the program: offers sync NAME. It is then read \
      from its previous source. To subscribe again to a feed of your own: offers feeds add NAME \
      SOURCE

      EXAMPLES
        offers feeds remove restaurants
        offers feeds remove deals --offers
      """)

  @Argument(help: "The feed.") var name: String
  @Flag(help: "Remove its offers as well, except favorites.") var offers = false
  @Flag(help: "Remove the offers without being asked.") var yes = false
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  var logEntry: LogEntry? { LogEntry("feed removed", ["feed": name]) }

  func run() async throws {
    let file = try configuration.path
    let place = try location.place
    let database = try await place.openExisting(.readWrite)
    let known = try await file.load(from: database)
    let stored: StoredFeedCounts? =
      if let database { try await StoredFeedCounts(of: name, in: database) } else { nil }
    if offers, let stored { try confirm(stored) }
    var did: [String] = []
    var left = ""
    var hint: PrintedText?
    if let database {
      let isRemoving = offers && stored?.isKept == true
      let forgets = try isOwn(in: known)
      let keepsSettings = FeedCatalog.names.contains(name)
      let remove: @Sendable () async throws -> (wasSubscribed: Bool, wasDefined: Bool) = { [name] in
        let had = try await database.removeDefinition(
          of: name, forgettingSource: forgets, keepingSettings: keepsSettings)
        if isRemoving { try await database.removeOffers(of: name, at: Date()) }
        return had
      }
      let had =
        isRemoving
        ? try await database.withSyncLock(on: name, waitSeconds: 5, remove) : try await remove()
      if had.wasSubscribed { did.append("no longer synced") }
      if had.wasDefined { did.append("its definition was removed") }
      if let stored, isRemoving {
        left = try await removed(stored, from: database)
      } else if let stored, stored.isKept {
        left = stored.left
        hint = .line("To remove its offers as well: offers feeds remove \(name) --offers")
      }
    }
    if did.isEmpty {
      // A feed without a definition is known by what is stored of it.
      if left.isEmpty { _ = try known.fetch(name) }
      did.append("was not subscribed")
    }
    let done = "\(name): \(did.joined(separator: "; "))"
    try Output.print(
      .text(left.isEmpty && !did.contains("no longer synced") ? done : "\(done).\(left)"))
    if let hint { Output.note(hint) }
    if known.findOrigin(of: name) == .file {
      Output.note(
        .line("\(name) is still defined in \(file.text), which is yours: remove it there, too"))
    }
  }

  private func confirm(_ stored: StoredFeedCounts) throws {
    guard stored.offers > 0, !yes else { return }
    let offers = Units.count(stored.offers, "offer")
    let favorites = stored.favorites == 0 ? "Favorites stay." : stored.favoritesStay + "."
    try Confirmation.require(
      "Remove \(name) with \(offers)? \(favorites)", to: "remove \(offers)",
      hint: "To remove them without being asked, add --yes")
  }

  /// Whether the feed is one of the database alone, so that its chosen source is forgotten, because a later
  /// feed with this name would be another one. If a shipped feed has the same name and source, that feed
  /// remains and keeps the chosen source.
  private func isOwn(in known: FeedConfiguration) throws -> Bool {
    guard known.findOrigin(of: name) == .database else { return false }
    let source = try known.find(name)?.source
    return try FeedCatalog.find(name).map { $0.source == source } != true
  }

  /// A sentence about what is gone and what stays, once the offers are removed.
  private func removed(
    _ stored: StoredFeedCounts, from database: OffersDatabase
  ) async throws -> String {
    let rest = try await StoredFeedCounts(of: name, in: database)
    let removed = max(0, stored.offers - (rest?.offers ?? 0))
    let verb = removed == 1 ? "was" : "were"
    let favorites = stored.favorites == 0 ? "" : ". \(stored.favoritesStay), marked as gone"
    return " \(Units.count(removed, "offer")) \(verb) removed\(favorites)."
  }
}

/// The numbers of the offers and favorites that are stored of a feed, subscribed or not.
private struct StoredFeedCounts {
  /// The number of its offers, gone ones included.
  let offers: Int
  let favorites: Int

  /// Nil for a feed that the database does not know.
  init?(of name: String, in database: OffersDatabase) async throws {
    if let feed = try await database.fetchFeeds().first(where: { $0.name == name }) {
      offers = feed.currentCount + feed.goneCount
      favorites = feed.favoriteCount
    } else if let feed = try await database.fetchFormerFeeds().first(where: { $0.name == name }) {
      offers = feed.currentCount + feed.goneCount
      favorites = feed.favoriteCount
    } else {
      return nil
    }
  }

  var isKept: Bool { offers > 0 || favorites > 0 }

  /// A sentence about what stays of the feed; empty if it has no offer.
  var left: String {
    if offers == 0 { return "" }
    let starred =
      favorites == 0 ? "" : ", with \(Units.count(favorites, "favorite")), kept for good"
    return
      " \(offers == 1 ? "Its offer stays" : "Its \(Units.count(offers)) offers stay")\(starred)."
  }

  var favoritesStay: String {
    favorites == 1 ? "Its favorite stays" : "Its \(Units.count(favorites)) favorites stay"
  }
}
