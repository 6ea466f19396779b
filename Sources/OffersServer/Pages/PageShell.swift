import OffersCore

/// What stands around every page: the head, the menu, the search box, the messages.
struct PageShell: Sendable {
  let templates: PageTemplates
  let assets: PageAssets

  /// The whole document.
  func html(_ page: Page, address: String) throws -> String {
    let main = try templates.render(page.template, page.fields)
    let shell = PageFields { fields in
      fields.set("pageTitle", page.title)
      fields.set("kind", page.template)
      fields.set("assets", assets.version)
      fields.set("here", PageLinks.back(address))
      fields.set("wayBack", page.back)
      fields.set("words", page.words)
      fields.set("searchedFeed", page.searchedFeed)
      for place in Page.Place.allCases {
        fields.set("at-\(place.rawValue)", page.place == place)
      }
      fields.set("main", main)
    }
    return try templates.render("shell", shell)
  }

  /// A document that stands alone: its title and its text, without any address.
  func bareHTML(_ page: Page) throws -> String {
    try templates.render("bare", page.fields)
  }
}
