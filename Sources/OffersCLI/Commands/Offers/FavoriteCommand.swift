import ArgumentParser
import OffersCore

struct FavoriteCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "favorite",
    abstract: "Star offers, or remove the star.",
    usage: "offers favorite <id> ... [<options>]",
    discussion: """
      A favorite is kept permanently, also if its offer is gone from the feed. Starring twice is \
      no error. If one of several offers is unknown, none is changed.

      EXAMPLES
        offers favorite 900117 900116
        offers favorite ibotta:900117 --remove
      """)

  @Argument(help: "The offers: 900117, or ibotta:900117 when several feeds have that id.")
  var id: [String]

  @Flag(help: "Remove the star.") var remove = false
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func run() async throws {
    let changes = try await location.openExisting().setFavorites(named: id, to: !remove)
    if json { return try Output.print(.json(Self.document(changes))) }
    for change in changes { try Output.print(.text(line(change))) }
  }

  private func line(_ change: FavoriteChange) -> String {
    let offer = change.offer
    let text = DisplayText.oneLine("\(offer.ref)  \(offer.name)")
    let gone = offer.isGone ? " (gone from its feed)" : ""
    switch (remove, change.didChange) {
    case (false, true): return "★ \(text)\(gone)"
    case (false, false): return "★ \(text)\(gone) (was already a favorite)"
    case (true, true): return "☆ \(text)\(gone)"
    case (true, false): return "☆ \(text)\(gone) (was not a favorite)"
    }
  }

  private static func document(_ changes: [FavoriteChange]) -> JSONObject {
    [
      "favorites": changes.map { change -> JSONObject in
        [
          "ref": change.offer.ref.description, "favorite": change.offer.isFavorite,
          "changed": change.didChange,
        ]
      }
    ]
  }
}
