extension PageFields {
  /// The message in place of an empty list.
  ///
  /// - Parameters:
  ///   - title: the heading of the message.
  ///   - text: the paragraph below the heading.
  ///   - icon: the name of a symbol in icons.mustache, without its prefix `i-`.
  ///   - link: the path and the label of a button that leads to another page; nil for none.
  ///   - refreshes: whether there is a button that syncs feeds.
  ///   - feed: the feed that this button syncs; nil for all feeds.
  ///   - isAlert: whether screen readers announce the message immediately.
  init(
    empty title: String, _ text: String, icon: String, link: (path: String, label: String)? = nil,
    refreshes: Bool = false, feed: String? = nil, isAlert: Bool = false
  ) {
    self.init { fields in
      fields.set("emptyTitle", title)
      fields.set("emptyText", text)
      fields.set("emptyIcon", icon)
      fields.set("emptyLink", link?.path)
      fields.set("emptyLabel", link?.label)
      fields.set("emptyRefreshes", refreshes)
      fields.set("emptyFeed", feed)
      fields.set("isAlert", isAlert)
    }
  }

  /// The message in place of a list that is empty because of an error, with a button that syncs.
  ///
  /// - Parameter feed: the feed that the button syncs.
  init(empty title: String, error: ErrorWords, feed: String) {
    self.init(empty: title, error.sentence, icon: "warning", refreshes: true, feed: feed)
    set("technical", error.details)
  }
}
