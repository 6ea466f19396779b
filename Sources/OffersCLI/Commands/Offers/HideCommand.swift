import ArgumentParser
import OffersCore
import OffersStore

struct HideCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hide",
    abstract: "Hide what you do not want, or list it.",
    usage: "offers hide [<what> ...] [<options>]",
    discussion: """
      Hides one offer, by its id, or all offers with some words or of a feed, retailer or category, those to come \
      included. They are left out of lists, searches, changes and watches; --hidden of offers list and offers search \
      shows them. A favorite is never hidden.

      EXAMPLES
        offers hide 900117
        offers hide retailer:Walmart
        offers hide 'cat food'
        offers hide category:Beer --remove
        offers hide
        offers list --hidden
      """)

  @Argument(
    help: """
      An offer (900117, or ibotta:900117), or words and filters by name: coffee -pod, feed:ibotta, retailer:Target, \
      category:Beer. Quote them for the shell.
      """, completion: .selection)
  var what: [String] = []

  @Flag(help: "Show it again.") var remove = false
  @Flag(.json) var json = false
  @OptionGroup var location: UserDatabaseOptions

  func validate() throws {
    if remove, what.isEmpty { throw ValidationError("--remove needs what to show again.") }
  }

  func run() async throws {
    if what.isEmpty { return try await list() }
    let text = what.joined(separator: " ")
    let database = try await location.openExisting()
    if remove {
      let hiding = try await database.unhide(text)
      if json { return try Output.print(.json(Self.document(hiding))) }
      return try Output.print(.line("\(hiding.line): shown again"))
    }
    let (hiding, didChange) = try await database.hide(text)
    let (hidden, favorites) = try await database.countOffers(hiddenBy: hiding)
    if json {
      return try Output.print(
        .json(
          Self.document(hiding)
            + ["offers": hidden, "favorites": favorites, "changed": didChange]))
    }
    let state = didChange ? "hidden" : "was already hidden"
    let count = hidden == 0 ? "no offer" : Units.count(hidden, "offer")
    let kept =
      favorites == 0
      ? "" : "; \(Units.count(favorites, "favorite")) \(favorites == 1 ? "stays" : "stay")"
    try Output.print(.line("\(hiding.line): \(state), \(count) left out now\(kept)"))
    if hidden + favorites == 0, case .selection(let selection) = hiding.subject {
      try await EmptyListNote.tellMistake(
        in: selection, database, try ConfigurationOptions.path(named: nil))
    }
  }

  private func list() async throws {
    let database = try await location.open(.readOnly)
    let hidings = try await database.fetchHidings()
    var counts: [Int] = []
    for hiding in hidings { counts.append(try await database.countOffers(hiddenBy: hiding).hidden) }
    let rows = Array(zip(hidings, counts))
    if json {
      return try Output.print(
        .json(["hidings": rows.map { Self.document($0) + ["offers": $1] }]))
    }
    if rows.isEmpty {
      return Output.note("You hide nothing. Hide a retailer: offers hide retailer:NAME")
    }
    let columns: [Table.Column] = [.right("OFFERS"), .text("HIDDEN")]
    try Output.print(
      .text(Table.text(columns, rows) { hiding, count in [Units.count(count), hiding.line] }))
  }

  private static func document(_ hiding: Hiding) -> JSONObject {
    [
      "hidden": hiding.text, "name": hiding.name, "hidden_at": hiding.createdAt,
    ]
  }
}

extension Hiding {
  /// The text, with the name of an offer.
  fileprivate var line: String {
    DisplayText.oneLine(name.map { "\(text)  \($0)" } ?? text)
  }
}
