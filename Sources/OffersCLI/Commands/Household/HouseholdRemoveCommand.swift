import ArgumentParser
import OffersCore

/// `offers household remove`
struct HouseholdRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Take offers off the list, whoever shares them.",
    usage: "offers household remove <id> ... [<options>]",
    discussion: """
      Nobody loses a star by it. If one of several offers is unknown, none is taken off.

      EXAMPLES
        offers household remove 900117
      """)

  @Argument(
    help: "The offers: 900117, or ibotta:900117 when several feeds have that id.")
  var id: [String]

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

  @OptionGroup var location: UserRecordOptions

  func run() async throws {
    let changes = try await location.openExisting().unshare(named: id)
    try SharingChange.print(changes, asJSON: json, mark: "-", unchanged: "was not shared")
  }
}
