import Hummingbird
import OffersCore

/// A page before it is rendered: a template, its fields, and what the frame around it shows.
struct Page: Sendable {
  enum MenuEntry: String, Sendable, CaseIterable {
    case offers, favorites, household, changes, notices, settings
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
  var words: String?
  var status = 200
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

/// Renders pages with the frame around them: the head, the menu, the search box and the messages.
struct PageShell: Sendable {
  let content: ServerDependencies
  let templates: PageTemplates
  let assets: PageAssets
  let basePath: BasePath

  /// The feeds that the sidebar lists beside a page: those that the page has read, if it has.
  func feeds(beside page: Page) async throws -> [Feed] {
    if let read = page.sidebarFeeds { return read }
    return try await content.fetchFeeds()
  }

  /// The complete HTML document.
  ///
  /// - Parameters:
  ///   - address: the path and query of the page, to which forms in the frame redirect.
  ///   - visitor: whom the page is for; nil for nobody in particular.
  /// - Throws: `OffersError` with `invalidRequest` if a template is missing.
  func html(
    _ page: Page, address: String, for visitor: Visitor?, feeds: [Feed]
  ) throws -> String {
    let main = try templates.render(page.template, page.fields)
    let shell = PageFields { fields in
      fields.set("pageTitle", page.title)
      fields.set("kind", page.template)
      fields.set("assets", assets.version)
      fields.set("here", ReturnPath.checked(address))
      fields.set("wayBack", page.back)
      fields.set("ofFeed", page.feed)
      fields.set("words", page.words)
      fields.set("user", visitor.map { String($0.user.id) })
      fields.set("maySync", visitor.map { $0.right >= .sync } ?? true)
      fields.set("hasHousehold", visitor?.hasHousehold ?? false)
      for entry in Page.MenuEntry.allCases {
        fields.set("at-\(entry.rawValue)", page.menuEntry == entry)
      }
      fields.setSidebar(feeds, current: page.template == "feed" ? page.feed : nil)
      fields.set("tiles", content.maps.tiles?.fields)
      fields.set("main", main)
    }
    return try document("shell", shell)
  }

  /// A complete document, whose addresses are below the base path.
  func document(_ template: String, _ fields: PageFields) throws -> String {
    basePath.place(try templates.render(template, fields))
  }

  /// The response with a page that is not stored by the browser.
  ///
  /// - Parameters: as of `html`.
  func response(_ page: Page, address: String, for visitor: Visitor) async throws -> Response {
    let html = try html(
      page, address: address, for: visitor, feeds: try await feeds(beside: page))
    return .page(html, status: HTTPResponse.Status(code: page.status))
  }

  /// A document with the title and the text of a page only, without links and style sheets.
  func bareHTML(_ page: Page) throws -> String {
    try templates.render("bare", page.fields)
  }
}
