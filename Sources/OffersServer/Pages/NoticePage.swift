import HTTPTypes
import Hummingbird
import OffersCore

/// A page with a message only: an error, or that the server cannot be reached.
enum NoticePage {
  /// The page that the service worker shows for a page that it has not stored, while the server
  /// cannot be reached.
  static let offline = page(
    "You are offline",
    "The server does not answer, and this page is not stored on this device.",
    hint: "The lists, the search and your favorites are still available.", icon: "offline",
    links: [("Favorites", "/favorites"), ("Offers", "/")])

  /// The page that describes an error, with the HTTP status of the error.
  ///
  /// - Parameters:
  ///   - links: the texts and targets of the links on the page.
  ///   - isRead: whether a page was requested, and no form sent.
  static func page(
    for error: any Error, links: [(String, String)] = usualLinks, isRead: Bool = false
  ) -> Page {
    var problem: OffersError
    var status = 500
    if let error = error as? OffersError {
      problem = error
      status = Int(Problem(error).status.code)
    } else if let error = error as? any HTTPResponseError {
      status = Int(error.status.code)
      problem = OffersError(
        .notFound, status == 404 ? "There is no such page." : "This request cannot be answered.")
    } else {
      problem = OffersError(.storageFailed, "The server could not make this page.")
    }
    if let known = error as? Problem {
      problem = OffersError(.invalidRequest, known.detail, hint: known.hint)
    }
    let title =
      switch status {
      case 401: "Log in first"
      case 403 where isRead: "You may not see this page"
      case 404: "Not found"
      case 500...: "This did not work"
      default: "This cannot be done"
      }
    var page = page(
      title, problem.message, hint: problem.hint, icon: status == 404 ? "search" : "warning",
      links: status == 401 ? [("Log in", "/login")] : links)
    page.status = status
    return page
  }

  /// The response with the page that describes an error.
  ///
  /// - Parameter links: the texts and targets of the links on the page; nil for the usual ones.
  /// - Throws: `OffersError` with `invalidRequest` if a template is missing.
  static func response(
    to request: Request, for error: any Error, in shell: PageShell, by visitor: Visitor? = nil,
    links: [(String, String)]? = nil
  ) throws -> Response {
    let page = page(
      for: error, links: links ?? Self.links(after: request), isRead: request.method == .get)
    var response = try response(page, address: request.uri.path, in: shell, by: visitor)
    if let problem = error as? Problem { response.headers.append(contentsOf: problem.headers) }
    return response
  }

  /// The response with a page, which is not stored by the browser.
  ///
  /// - Throws: `OffersError` with `invalidRequest` if a template is missing.
  static func response(
    _ page: Page, address: String, in shell: PageShell, by visitor: Visitor?
  ) throws -> Response {
    // Under a host name that the server does not accept, style sheets and links would fail as well.
    let html =
      page.status == HTTPResponse.Status.misdirectedRequest.code
      ? try shell.bareHTML(page) : try shell.html(page, address: address, for: visitor)
    return Response(
      status: HTTPResponse.Status(code: page.status),
      headers: [.contentType: "text/html; charset=utf-8", .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
  }

  static let usualLinks = [("Offers", "/"), ("Search", "/search")]

  /// The links of a page with an error: to the page whose form was sent, if there is one.
  private static func links(after request: Request) -> [(String, String)] {
    if request.method == .get { return usualLinks }
    let start = request.uri.path.split(scalar: "/").first.map(String.init) ?? ""
    switch start {
    case "users": return [("Back to users", "/users")]
    case "feeds", "pairing", "passphrase", "sessions", "settings", "tokens":
      return [("Back to settings", "/settings")]
    default: return usualLinks
    }
  }

  static func page(
    _ title: String, _ text: String, hint: String?, icon: String, links: [(String, String)]
  ) -> Page {
    Page("notice", title: title) { fields in
      fields.set("noticeTitle", title)
      fields.set("noticeText", text)
      fields.set("noticeHint", hint)
      fields.set("noticeIcon", icon)
      fields.set(
        "links",
        links.map { label, link in
          PageFields {
            $0.set("label", label)
            $0.set("link", link)
          }
        })
    }
  }
}
