import ArgumentParser

/// The options that filter a list.
struct ListFilters: ParsableArguments {
  @Option(name: .long, help: "Only this feed.", completion: .feeds)
  var feed: String?

  @Flag(name: .long, help: "Only favorites, including those that are gone or expired.")
  var favorites = false

  @Option(name: .long, help: ArgumentHelp("Only offers of this retailer.", valueName: "name"))
  var retailer: String?

  @Option(name: .long, help: ArgumentHelp("Only offers of this category.", valueName: "name"))
  var category: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only this reward or more: 1.50 in any currency, $1.50 in dollars, 1.50 EUR, or 5%.",
      valueName: "reward"))
  var rewardAtLeast: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only this price or less: 20 in any currency, $20 in dollars, or 19.90 EUR.",
      valueName: "price"))
  var priceAtMost: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp(
      "Only offers first seen since: 12h, 7d, 2w ago, a day (2026-11-01), or a time.",
      valueName: "time"))
  var newSince: String?

  @Option(
    name: .long, parsing: .unconditional,
    help: ArgumentHelp("Only offers that expire within 30m, 48h, 7d or 2w.", valueName: "within"))
  var expiring: String?

  @Flag(name: .long, help: "Only offers that are gone from their feed.")
  var gone = false

  @Flag(name: .long, help: "List expired offers, too, behind all others.")
  var expired = false
}
