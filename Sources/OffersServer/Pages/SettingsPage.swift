import OffersCore

/// The pages of the settings: a list of sections, and a page for each.
struct SettingsPage {
  let content: ServerDependencies
  let access: VisitorAuthentication
  /// Whom the request is from; nil for nobody in particular.
  let visitor: Visitor?
  var done: String?

  private var right: Right { visitor?.right ?? .read }

  private var account: AccountSections {
    AccountSections(access: access, visitor: visitor, now: content.now(), done: done)
  }

  /// The list of the sections, each with a line about its state.
  func list() async throws -> Page {
    let account = try await account.fields()
    let feeds = try await content.fetchFeeds()
    let hidings = try await content.store.fetchHidings()
    let groups: [[SettingsSection]] = [
      [.feeds, .hidden], [.people, .devices], [.browser, .about],
    ]
    var rows: [[PageFields]] = []
    for group in groups {
      var found: [PageFields] = []
      for section in group where isShown(section, hasAccount: account != nil) {
        found.append(row(section, account, feeds, hidings))
      }
      if !found.isEmpty { rows.append(found) }
    }
    rows.append([
      [
        "rowLink": NoticeListPage.path, "rowIcon": "bell", "rowTitle": "Notices and watches",
        "rowText": "What you were told, and what you want to be told of",
      ],
      [
        "rowLink": "/web", "rowIcon": "web", "rowTitle": "Web",
        "rowText": "Other sites, in a frame",
      ],
    ])
    var page = Page("settings", title: "Settings", menuEntry: .settings) { fields in
      fields.set("groups", rows.map { rows in ["rows": rows] as PageFields })
    }
    page.sidebarFeeds = feeds
    page.lifetime = .never
    return page
  }

  func page(_ section: SettingsSection) async throws -> Page {
    var page = Page("settings-\(section.rawValue)", title: section.title, menuEntry: .settings) {
      fields in
      fields.set("program", Version.current)
      fields.set("isAdmin", right >= .admin)
    }
    switch section {
    case .feeds:
      page.sidebarFeeds = try await FeedSettings(content: content, right: right).fill(&page.fields)
    case .people:
      page.fields.set("account", try await account.fields())
      page.fields.set(
        "identity", try await IdentitySection(access: access, visitor: visitor).fields())
    case .hidden:
      let hidings = try await content.store.fetchHidings()
      page.fields.set("hasHidings", !hidings.isEmpty)
      page.fields.set(
        "hidings",
        hidings.map { ["what": $0.text, "hidingTitle": $0.name ?? $0.text] as PageFields })
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
    case .feeds, .hidden, .browser, .about: true
    case .people: hasAccount || right >= .admin
    case .devices: hasAccount
    }
  }

  private func row(
    _ section: SettingsSection, _ account: PageFields?, _ feeds: [Feed], _ hidings: [Hiding]
  ) -> PageFields {
    let (state, isBad) = state(of: section, account, feeds, hidings)
    return [
      "rowLink": section.path, "rowIcon": section.icon, "rowTitle": section.title, "rowText": state,
      "isBad": isBad,
    ]
  }

  private func state(
    of section: SettingsSection, _ account: PageFields?, _ feeds: [Feed], _ hidings: [Hiding]
  ) -> (String, isBad: Bool) {
    switch section {
    case .hidden:
      return (
        hidings.isEmpty ? "Leave out what you do not want" : "\(Units.count(hidings.count)) hidden",
        false
      )
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
      return ("Theme, keys, notices, stored offers", false)
    case .about:
      return ("Version \(Version.current)", false)
    }
  }
}

enum SettingsSection: String, Sendable, CaseIterable {
  case feeds, hidden, people, devices, browser, about

  static let root = "/settings"

  var path: String { "\(Self.root)/\(rawValue)" }

  var title: String {
    switch self {
    case .feeds: "Feeds"
    case .hidden: "Hidden"
    case .people: "People"
    case .devices: "Devices"
    case .browser: "This browser"
    case .about: "About"
    }
  }

  /// The name of a symbol in icons.mustache, without its prefix `i-`.
  var icon: String {
    switch self {
    case .feeds: "tag"
    case .hidden: "filter"
    case .people: "household"
    case .devices: "phone"
    case .browser: "web"
    case .about: "info"
    }
  }
}

/// The settings of feeds: the source, the sync interval and the last sync of each.
struct FeedSettings {
  let content: ServerDependencies
  let right: Right

  /// Sets the lists of the subscribed feeds, and of the others that have a definition. Returns the former.
  func fill(_ fields: inout PageFields) async throws -> [Feed] {
    let summaries = try await content.fetchFeedSummaries().sorted {
      ServerDependencies.precedes(
        ($0.known?.position, $0.title ?? $0.name), ($1.known?.position, $1.title ?? $1.name))
    }
    let shown = try await content.fetchPresentations()
    let rows = summaries.map { (isOurs: $0.feed != nil, row: row($0, shown)) }
    let ours = rows.filter(\.isOurs).map(\.row)
    let others = rows.filter { !$0.isOurs }.map(\.row)
    fields.set("feeds", ours)
    fields.set("hasFeeds", !ours.isEmpty)
    fields.set("others", others)
    fields.set("hasOthers", !others.isEmpty && right >= .sync)
    fields.set("maySync", right >= .sync)
    return summaries.compactMap(\.feed)
  }

  private func row(_ summary: FeedSummary, _ shown: FeedPresentations) -> PageFields {
    PageFields { row in
      row.set("feedName", summary.name)
      row.set("feedTitle", summary.title ?? summary.name)
      row.set("feedLink", PageLinks.feed(summary.name))
      // The browser may break a long address behind each of its slashes.
      row.set("sourceParts", Self.parts(of: Self.source(of: summary)))
      // The name of a variable of the environment says nothing to those who cannot set it.
      row.set("isSecret", right < .admin && summary.source.contains("{env:"))
      row.set("isSample", summary.source == SyncSource.sample.text)
      row.set("maySync", right >= .sync)
      if let known = summary.known {
        row.set("interval", Self.interval(known.everySeconds))
        if right >= .admin { row.set("change", change(summary, known)) }
      }
      if let due = summary.nextDueAt(now: content.now()) {
        if due > content.now() { row.set("nextDue", due) } else { row.set("isDue", true) }
      }
      guard let feed = summary.feed else { return }
      row.set("feedCount", Units.count(feed.currentCount, shown[feed.name].noun))
      if feed.favoriteCount > 0 {
        row.set("feedFavorites", Units.count(feed.favoriteCount, "favorite"))
      }
      if feed.goneCount > 0 { row.set("feedGone", "\(Units.count(feed.goneCount)) gone") }
      row.setHeld(
        [feed], shown, at: content.now(), mayDecide: right >= .admin,
        back: SettingsSection.feeds.path)
      if feed.triedOther, let last = feed.lastSuccessAt {
        row.set("lastRun", last)
        return row.set("outcome", SyncOutcome.updated.word)
      }
      guard let run = feed.lastRun else { return }
      row.set("lastRun", run.startedAt)
      row.set("outcome", run.word)
      row.set("failed", run.outcome == .failed || run.outcome == .heldBack)
      if let error = run.error, feed.fetch.held == nil {
        row.set(
          "error",
          PageFields { fields in
            fields.set(
              "errorText", ErrorWords(error, ofFeed: summary.feed?.shownTitle ?? nil))
          })
      }
    }
  }

  private func change(_ summary: FeedSummary, _ known: KnownFeed) -> PageFields {
    var choices = Self.intervals
    if known.hasOwnInterval, !choices.contains(known.everySeconds) {
      choices.append(known.everySeconds)
      choices.sort()
    }
    let chosen = known.hasOwnInterval ? known.everySeconds : nil
    let options = choices.map { seconds in
      PageFields(option: String(seconds), Self.interval(seconds), isChosen: seconds == chosen)
    }
    return [
      "isDefault": chosen == nil, "intervals": options, "sourceNow": Self.source(of: summary),
    ]
  }

  /// The source of a feed as the page shows it, and as its form sends it back.
  static func source(of feed: FeedSummary) -> String {
    AddressRedaction.readable(feed.shownSource)
  }

  /// The parts of an address, each but the last with the slash behind it.
  private static func parts(of source: String?) -> [String] {
    let parts = (source ?? "").split(scalar: "/", omittingEmptySubsequences: false)
    return parts.enumerated().map { $1 + ($0 < parts.count - 1 ? "/" : "") }
  }

  private static let intervals = [
    900, 1800, 3600, 10_800, 21_600, 43_200, 86_400, 259_200, 604_800,
  ]

  /// An interval in words, such as `every 6 hours`, in the largest unit of which it is a multiple.
  private static func interval(_ seconds: Int) -> String {
    for (size, noun) in [(604_800, "week"), (86_400, "day"), (3600, "hour"), (60, "minute")]
    where seconds >= size && seconds % size == 0 {
      let count = seconds / size
      return count == 1 ? "every \(noun)" : "every \(Units.count(count, noun))"
    }
    return "every \(Units.count(seconds, "second"))"
  }
}

/// The section of the settings about the visitor's login at the OpenID provider.
struct IdentitySection {
  let access: VisitorAuthentication
  let visitor: Visitor?

  /// The variables of the section; nil without a provider, and for a visitor who cannot change logins.
  func fields() async throws -> PageFields? {
    guard let settings = access.provider?.settings, let visitor else { return nil }
    switch visitor.proof {
    case .session, .thisMachine: break
    case .terminal, .tokenFile, .apiToken, .proxy: return nil
    }
    let connected = try await access.store.fetchUsers(withIdentityOf: settings.issuer)
    return ["provider": settings.host, "isConnected": connected.contains(visitor.user.id)]
  }
}
