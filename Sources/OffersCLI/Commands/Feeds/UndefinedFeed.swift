import OffersCore

/// The texts about a feed that has no definition here: it was removed, comes from an import, or has
/// its definition in another file.
enum UndefinedFeed {
  /// The state of a feed without a definition, and the commands that define or remove it; nil for a feed with
  /// a definition.
  static func advice(on summary: FeedSummary) -> String? {
    guard summary.known == nil else { return nil }
    let name = summary.name
    let what =
      summary.feed != nil
      ? "has no definition here, so it is not synced"
      : "is not subscribed and has no definition here, but \(stored(summary))"
    var remedies = [
      "If another file has its definition, name that file: --config FILE",
      "To define it again: offers feeds add \(name) SOURCE",
    ]
    // After `feeds remove --offers` only favorites are stored, and the command would remove nothing more.
    if summary.feed != nil
      || summary.former.map({ $0.currentCount + $0.goneCount > $0.favoriteCount }) == true
    {
      remedies.append("To remove it: offers feeds remove \(name) --offers")
    }
    return ([what] + remedies).joined(separator: ". ")
  }

  /// The source that a user named for the feed, with hidden values and a note.
  static func source(of summary: FeedSummary) -> String {
    guard let chosen = summary.feed?.chosenSource ?? summary.former?.source else {
      return "no definition"
    }
    return "\(AddressRedaction.hidden(in: chosen)) (no definition)"
  }

  /// The offers and favorites that are stored of a feed without a subscription, such as `12 offers
  /// and 1 favorite of it are stored`.
  private static func stored(_ summary: FeedSummary) -> String {
    guard let former = summary.former else { return "it is known" }
    let offers = former.currentCount + former.goneCount
    let parts = [
      offers > 0 ? Units.count(offers, "offer") : nil,
      former.favoriteCount > 0 ? Units.count(former.favoriteCount, "favorite") : nil,
    ].compactMap(\.self)
    let verb = parts.count == 1 && max(offers, former.favoriteCount) == 1 ? "is" : "are"
    return "\(parts.joined(separator: " and ")) of it \(verb) stored"
  }
}
