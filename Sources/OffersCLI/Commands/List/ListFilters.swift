import ArgumentParser

/// The options that narrow a list.
struct ListFilters: ParsableArguments {
  @Option(name: .long, help: "Only this feed.", completion: Completions.feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, gone ones too.")
  var favorites = false

  @Option(name: .long, help: ArgumentHelp("Only what this shop sells.", valueName: "name"))
  var retailer: String?

  @Option(name: .long, help: ArgumentHelp("Only what has this category.", valueName: "name"))
  var category: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only what pays so much or more: 1.50 in any currency, $1.50 or 1.50 EUR in one, or 5%.",
      valueName: "reward"))
  var rewardAtLeast: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only what was first seen since then: 12h, 7d, 2w ago, a day (2026-11-01), or a time.",
      valueName: "time"))
  var newSince: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Only what expires so soon: 30m, 48h, 7d or 2w.", valueName: "within"))
  var expiring: String?

  @Flag(name: .long, help: "Only what is gone from its feed.")
  var gone = false

  /// What they ask for.
  var selection: ListSelection {
    ListSelection(
      feed: feed, favoritesOnly: favorites, goneOnly: gone, retailer: retailer,
      category: category, rewardAtLeast: rewardAtLeast, newSince: newSince, expiring: expiring)
  }
}
