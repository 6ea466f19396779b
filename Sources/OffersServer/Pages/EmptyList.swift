extension PageFields {
  /// What stands in the place of a list without offers.
  ///
  /// - Parameters:
  ///   - icon: the name of one of the signs.
  ///   - link: where to go on.
  ///   - refreshes: whether there is a button that refreshes; the one feed, or all of them.
  init(
    empty title: String, _ text: String, icon: String, link: (path: String, label: String)? = nil,
    refreshes: Bool = false, feed: String? = nil
  ) {
    self.init { fields in
      fields.set("emptyTitle", title)
      fields.set("emptyText", text)
      fields.set("emptyIcon", icon)
      fields.set("emptyLink", link?.path)
      fields.set("emptyLabel", link?.label)
      fields.set("emptyRefreshes", refreshes)
      fields.set("emptyFeed", feed)
    }
  }
}
