import OffersCore

/// The pages of the settings: a list of sections, and a page for each.
struct SettingsPage {
  let source: PageSource
  let access: VisitorAuthentication
  /// Whom the request is from; nil for nobody in particular.
  let visitor: Visitor?
  /// The form of the page that was sent just before, whose outcome is told; nil for none.
  var done: String?

  private var right: Right { visitor?.right ?? .read }

  private var account: AccountSections {
    AccountSections(access: access, visitor: visitor, now: source.now, done: done)
  }

  /// The list of the sections, each with a line about its state.
  func list() async throws -> Page {
    let account = try await account.fields()
    let feeds = try await source.fetchFeeds()
    let groups: [[SettingsSection]] = [[.feeds], [.people, .devices], [.browser, .about]]
    var rows: [[PageFields]] = []
    for group in groups {
      var found: [PageFields] = []
      for section in group where isShown(section, hasAccount: account != nil) {
        found.append(row(section, account, feeds))
      }
      if !found.isEmpty { rows.append(found) }
    }
    var page = Page("settings", title: "Settings", menuEntry: .settings) { fields in
      fields.set("groups", rows.map { rows in PageFields { $0.set("rows", rows) } })
    }
    page.sidebarFeeds = feeds
    page.lifetime = .never
    return page
  }

  /// The page of a section.
  func page(_ section: SettingsSection) async throws -> Page {
    var page = Page("settings-\(section.rawValue)", title: section.title, menuEntry: .settings) {
      fields in
      fields.set("program", Version.current)
      fields.set("isAdmin", right >= .admin)
    }
    switch section {
    case .feeds:
      page.sidebarFeeds = try await FeedSettings(source: source, right: right).fill(&page.fields)
    case .people:
      page.fields.set("account", try await account.fields())
      page.fields.set(
        "identity", try await IdentitySection(access: access, visitor: visitor).fields())
    case .devices:
      page.fields.set("account", try await account.fields())
    case .browser, .about:
      break
    }
    page.back = SettingsSection.root
    // The feed definitions come from a file, whose edits are no commits to the database.
    page.lifetime = .never
    return page
  }

  /// Whether a section has something for the visitor. Without a login there are no people and no devices
  /// to tell apart.
  private func isShown(_ section: SettingsSection, hasAccount: Bool) -> Bool {
    switch section {
    case .feeds, .browser, .about: true
    case .people: hasAccount || right >= .admin
    case .devices: hasAccount
    }
  }

  private func row(
    _ section: SettingsSection, _ account: PageFields?, _ feeds: [Feed]
  ) -> PageFields {
    let (state, isBad) = state(of: section, account, feeds)
    return PageFields { row in
      row.set("rowLink", section.path)
      row.set("rowIcon", section.icon)
      row.set("rowTitle", section.title)
      row.set("rowText", state)
      row.set("isBad", isBad)
    }
  }

  /// The line about a section's state, and whether it asks for attention.
  private func state(
    of section: SettingsSection, _ account: PageFields?, _ feeds: [Feed]
  ) -> (String, isBad: Bool) {
    switch section {
    case .feeds:
      let failed = feeds.filter {
        $0.lastRun?.error.map { $0.code != .noNetwork } ?? false && $0.fetch.held == nil
          && !$0.triedOther
      }.count
      if failed > 0 {
        return ("\(Units.count(failed, "feed")) could not be refreshed", isBad: true)
      }
      return (feeds.isEmpty ? "Choose what to read" : Units.count(feeds.count, "feed"), false)
    case .people:
      let name = account.flatMap { $0.child(named: "userName") as? String }
      return (name.map { "You are \($0)" } ?? "Favorites of their own for each person", false)
    case .devices:
      return ("Browsers that are logged in, a phone to connect, API tokens", false)
    case .browser:
      return ("Theme, keys, stored offers", false)
    case .about:
      return ("Version \(Version.current)", false)
    }
  }
}
