import Hummingbird
import OffersCore

/// A page with a message only: an error, or that the server cannot be reached.
enum NoticePage {
  /// The page that the service worker shows for a page that it has not stored, while the server
  /// cannot be reached.
  static let offline = page(
    "You are offline",
    "The server does not answer, and this page is not stored on this device.",
    details: "The lists, the search and your favorites are still available.", icon: "offline",
    links: [("Show stored offers", "/")])

  /// The page that describes an error, with the HTTP status of the error.
  ///
  /// - Parameter readPath: the path and query of the requested page; nil if a form was sent.
  static func page(
    for error: any Error, links: [(String, String)] = usualLinks, readPath: String? = nil
  ) -> Page {
    var status = 500
    var (sentence, details): (String, String?) = ("The server could not make this page.", nil)
    if let error = error as? OffersError {
      status = Int(Problem(error).status.code)
      let words = ErrorWords(error)
      (sentence, details) = (words.sentence, words.details)
    } else if let error = error as? any HTTPResponseError {
      status = Int(error.status.code)
      sentence = status == 404 ? "There is no such page." : "This request cannot be answered."
    }
    if let known = error as? Problem {
      sentence = known.title
      let texts = [known.detail == known.title ? nil : known.detail, known.hint].compactMap(\.self)
      details = texts.isEmpty ? nil : texts.joined(separator: " ")
    }
    let title =
      switch status {
      case 401: "Log in first"
      case 403 where readPath != nil: "You may not see this page"
      case 404: "Not found"
      case 500...: "This did not work"
      default: "This cannot be done"
      }
    var links = status == 401 ? [("Log in", "/login")] : links
    if status >= 500, let readPath { links = [("Try again", readPath)] }
    var page = page(
      title, sentence, details: details, icon: status == 404 ? "search" : "warning", links: links)
    page.status = status
    return page
  }

  /// The response with the page that describes an error.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a template is missing.
  static func response(
    to request: Request, for error: any Error, in shell: PageShell, by visitor: Visitor? = nil,
    links: [(String, String)]? = nil, feeds: [Feed] = []
  ) throws -> Response {
    let page = page(
      for: error, links: links ?? Self.links(after: request, error),
      readPath: request.method == .get ? Self.target(of: request) : nil)
    var response = try response(
      page, address: request.uri.path, in: shell, by: visitor, feeds: feeds)
    if let problem = error as? Problem { response.headers.append(contentsOf: problem.headers) }
    return response
  }

  private static func target(of request: Request) -> String {
    request.uri.path + (request.uri.query.map { "?" + $0 } ?? "")
  }

  /// The response with a page, which is not stored by the browser.
  static func response(
    _ page: Page, address: String, in shell: PageShell, by visitor: Visitor?, feeds: [Feed] = []
  ) throws -> Response {
    // Under a host name that the server does not accept, style sheets and links would fail as well.
    let html =
      page.status == HTTPResponse.Status.misdirectedRequest.code
      ? try shell.bareHTML(page)
      : try shell.html(page, address: address, for: visitor, feeds: feeds)
    return .page(html, status: HTTPResponse.Status(code: page.status))
  }

  static let usualLinks = [("Offers", "/")]

  /// The links of a page with an error: to the page whose form was sent, if there is one, or to the search with the
  /// words that were refused.
  private static func links(after request: Request, _ error: any Error) -> [(String, String)] {
    if request.method == .get {
      guard (error as? OffersError)?.code == .invalidRequest,
        let words = request.uri.queryParameters["q"]
      else { return usualLinks }
      return [("Correct the words", PageLinks.path("/search", [("q", String(words))]))]
    }
    let start = request.uri.path.split(scalar: "/").first.map(String.init) ?? ""
    switch start {
    case "users": return [("Back to users", "/users")]
    case "feeds", "pairing", "passphrase", "sessions", "settings", "tokens":
      return [("Back to settings", "/settings")]
    default: return usualLinks
    }
  }

  static func page(
    _ title: String, _ text: String, details: String?, icon: String, links: [(String, String)]
  ) -> Page {
    Page("notice", title: title) { fields in
      fields.set("noticeTitle", title)
      fields.set("noticeText", text)
      fields.set("technical", details)
      fields.set("noticeIcon", icon)
      fields.set(
        "links",
        links.map { label, link in
          ["label": label, "link": link] as PageFields
        })
    }
  }
}
