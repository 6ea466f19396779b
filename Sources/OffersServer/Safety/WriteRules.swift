import HTTPTypes
import Hummingbird

/// The rules against cross-site request forgery. A request that changes something must come from a
/// page of this server, or from a client that is no browser.
///
/// A request to the API must have the type `application/json`, which a form cannot send and a script
/// of another site only after a preflight, which this server refuses. A form must have an `Origin`.
enum WriteRules {
  /// Checks a request that changes something.
  ///
  /// - Throws: `Problem` with status 403 for another origin, with 415 for another media type.
  static func check(_ request: Request) throws {
    let headers = request.headers
    let origin = headers[.origin]
    let site = site(of: request)
    let isForm = !request.uri.path.hasPrefix("/api/")
    // Browsers send Sec-Fetch-Site, and scripts cannot set it:
    // https://www.w3.org/TR/fetch-metadata/
    if let site, site != "same-origin", site != "none" {
      throw refusal("This request comes from another site.")
    }
    if let origin {
      // A page with the referrer policy `no-referrer` sends the origin “null” with its forms.
      let isHidden = origin == "null" && site == "same-origin"
      guard isHidden || isOwn(origin, of: request) else {
        throw refusal("This request comes from another site.")
      }
    } else if isForm {
      throw refusal("This form does not name its origin.")
    }
    let type = mediaType(headers[.contentType])
    if isForm {
      guard type == "application/x-www-form-urlencoded" else {
        throw Problem(
          .unsupportedMediaType, "A form must be sent as application/x-www-form-urlencoded.")
      }
    } else if type != "application/json" {
      throw Problem(
        .unsupportedMediaType,
        "A request that changes something must be sent as application/json.",
        hint: "Add the field Content-Type: application/json, even without a body.")
    }
  }

  /// Whether the request comes from a page of another site, according to the browser.
  static func isFromOtherSite(_ request: Request) -> Bool {
    guard let site = site(of: request) else { return false }
    return site != "same-origin" && site != "none"
  }

  private static let siteName = HTTPField.Name("Sec-Fetch-Site")

  private static func site(of request: Request) -> String? {
    siteName.flatMap { request.headers[$0] }
  }

  private static func isOwn(_ origin: String, of request: Request) -> Bool {
    guard let host = request.head.authority?.lowercased() else { return false }
    let origin = origin.lowercased()
    return origin == "http://\(host)" || origin == "https://\(host)"
  }

  private static func refusal(_ detail: String) -> Problem {
    Problem(.forbidden, detail, hint: "Only pages of this server may change something.")
  }

  private static func mediaType(_ field: String?) -> String {
    let type = field?.prefix { $0 != ";" } ?? ""
    return type.trimmingSpaces.lowercased()
  }
}

extension Substring {
  /// The text without the spaces and tabs around it.
  var trimmingSpaces: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
