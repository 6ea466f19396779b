import OffersCore

/// The words for the rewards and prices of a list: the title of their column and the texts in it.
struct ValueWords {
  private let feeds: FeedPresentations
  /// The roles of the values in the list.
  private let roles: Set<ValueRole>

  /// Finds out whether the values of a list are rewards, prices or both.
  ///
  /// - Parameters:
  ///   - feeds: the presentations of the feeds.
  ///   - values: the value of each row, with the feed of the row's offer.
  init(_ feeds: FeedPresentations, of values: some Sequence<(feed: String, reward: Reward?)>) {
    self.feeds = feeds
    roles = Set(values.lazy.filter { $0.reward != nil }.map { feeds[$0.feed].valueRole })
  }

  init(_ feeds: FeedPresentations, of offers: [UserOffer]) {
    self.init(feeds, of: offers.lazy.map { ($0.ref.feed, $0.reward) })
  }

  /// Whether no row has a value.
  var isEmpty: Bool { roles.isEmpty }

  /// The title of the column: what all its values are, or `VALUE` for both rewards and prices.
  var title: String {
    if roles.count > 1 { return "VALUE" }
    return (roles.first ?? .reward).rawValue.uppercased()
  }

  /// A value as text in one line, safe for a terminal; `–` for none. Beside rewards, a price is
  /// named as one.
  func text(_ reward: Reward?, of feed: String) -> String {
    reward.map { text($0.text, of: feed) } ?? "–"
  }

  func text(_ text: String, of feed: String) -> String {
    let word = roles.count > 1 && feeds[feed].valueRole == .price ? "price " : ""
    return word + DisplayText.oneLine(text)
  }
}

extension Units {
  /// How often something happened, such as `once` or `12 times`.
  static func times(_ count: Int) -> String {
    count == 1 ? "once" : "\(Units.count(count)) times"
  }
}
