import ArgumentParser

/// `offers household`
struct HouseholdCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "household",
    abstract: "List, add and remove what users share.",
    discussion: """
      All users see the household list, with the names of those who share an offer. Sharing an \
      offer stars it for you. Taking it off the list ends the sharing by everyone, and nobody's \
      star; removing your star ends your own sharing.

      EXAMPLES
        offers household
        offers household add 900117
        offers household add ibotta:900116 --user ben
        offers household remove 900117
      """,
    subcommands: [
      HouseholdListCommand.self, HouseholdAddCommand.self, HouseholdRemoveCommand.self,
    ],
    defaultSubcommand: HouseholdListCommand.self)
}
