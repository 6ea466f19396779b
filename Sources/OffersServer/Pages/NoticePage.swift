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
  /// - Parameter links: the texts and targets of the links on the page.
  static func page(
    for error: any Error, links: [(String, String)] = [("Offers", "/"), ("Search", "/search")]
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
      case 404: "Not found"
      case 500...: "This did not work"
      default: "This cannot be done"
      }
    var page = page(
      title, problem.message, hint: problem.hint, icon: status == 404 ? "search" : "warning",
      links: links)
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
    let page = links.map { Self.page(for: error, links: $0) } ?? Self.page(for: error)
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
