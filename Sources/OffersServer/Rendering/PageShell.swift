import OffersCore

/// Renders pages with the frame around them: the head, the menu, the search box and the messages.
struct PageShell: Sendable {
  let templates: PageTemplates
  let assets: PageAssets

  /// The complete HTML document.
  ///
  /// - Parameters:
  ///   - page: the page to put into the frame.
  ///   - address: the path and query of the page, to which forms in the frame redirect.
  /// - Throws: `OffersError` with `invalidRequest` if a template is missing.
  func html(_ page: Page, address: String) throws -> String {
    let main = try templates.render(page.template, page.fields)
    let shell = PageFields { fields in
      fields.set("pageTitle", page.title)
      fields.set("kind", page.template)
      fields.set("assets", assets.version)
      fields.set("here", PageLinks.back(address))
      fields.set("wayBack", page.back)
      fields.set("words", page.words)
      for entry in Page.MenuEntry.allCases {
        fields.set("at-\(entry.rawValue)", page.menuEntry == entry)
      }
      fields.set("main", main)
    }
    return try templates.render("shell", shell)
  }

  /// A document with the title and the text of a page only, without links and style sheets.
  func bareHTML(_ page: Page) throws -> String {
    try templates.render("bare", page.fields)
  }
}
