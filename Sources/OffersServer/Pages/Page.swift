import OffersCore

/// A page before it is rendered: a template, its fields, and what the frame around it shows.
struct Page: Sendable {
  /// The entries of the main menu.
  enum MenuEntry: String, Sendable, CaseIterable {
    case offers, favorites, household, changes, web, settings
  }

  /// The name of the template. With the prefix `page-` it is also the class of the `body` element,
  /// by which style sheets and scripts tell pages apart.
  let template: String
  let title: String
  var fields: PageFields
  /// The entry of the menu that is marked as current; nil for none.
  var menuEntry: MenuEntry?
  /// The target of the back button; nil for a page without one.
  var back: String?
  /// The feed that the button in the bar refreshes; nil for all.
  var feed: String?
  /// The feeds in the sidebar, if the page has read them; nil if they are to be read for it.
  var sidebarFeeds: [Feed]?
  /// The content of the search box at the top.
  var words: String?
  /// The HTTP status.
  var status = 200
  /// How long the response may be reused.
  var lifetime = Answer.Lifetime.untilWrite
  /// The content of other servers that the page loads, which the security policy has to allow.
  var reach = ContentSecurityPolicy.ownContent

  init(
    _ template: String, title: String, menuEntry: MenuEntry? = nil,
    fill: (inout PageFields) -> Void
  ) {
    self.template = template
    self.title = title
    self.menuEntry = menuEntry
    fields = PageFields(fill)
  }
}
