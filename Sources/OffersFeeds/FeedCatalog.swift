import OffersCore

/// The feeds that ship with the program.
package enum FeedCatalog {
  /// Cash-back offers: a bare array of `{id, url, name, description, terms, current_value}`, where
  /// `url` is the picture.
  package static let ibotta = FeedDefinition(
    name: "ibotta",
    title: "Ibotta offers",
    itemsPath: [],
    fields: [
      .id: ["id"],
      .name: ["name"],
      .description: ["description"],
      .terms: ["terms"],
      .reward: ["current_value"],
      .imageURL: ["url"],
    ],
    dollarCurrency: "USD")

  package static let all = [ibotta]

  /// The definition with this name, or nil.
  package static func find(_ name: String) -> FeedDefinition? {
    all.first { $0.name == name }
  }

  /// The built-in sample document of a shipped feed: invented offers, so that the program can be
  /// tried with no network.
  package static func findSample(of name: String) -> [UInt8]? {
    name == ibotta.name ? PackageResources.ibotta_json : nil
  }
}
