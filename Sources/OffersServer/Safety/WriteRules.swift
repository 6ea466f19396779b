import HTTPTypes
import Hummingbird

/// What a request must have to change something: it comes from a page of this very server, or from
/// a program that is no browser.
enum WriteRules {
  /// - Throws: `Problem`.
  static func check(_ request: Request) throws {
    let headers = request.headers
    let origin = headers[.origin]
    let site = site(of: request)
    let isForm = !request.uri.path.hasPrefix("/api/")
    // What browsers say of themselves and pages cannot change:
    // https://www.w3.org/TR/fetch-metadata/
    if let site, site != "same-origin", site != "none" {
      throw refusal("another site")
    }
    if let origin {
      // A form of a page that tells nobody where it is comes with the origin “null”.
      let isHidden = origin == "null" && site == "same-origin"
      guard isHidden || isOwn(origin, of: request) else { throw refusal("another site") }
    } else if isForm {
      throw refusal("nowhere")
    }
    let type = mediaType(headers[.contentType])
    if isForm {
      guard type == "application/x-www-form-urlencoded" else {
        throw Problem(
          .unsupportedMediaType, "A form is sent as application/x-www-form-urlencoded.")
      }
    } else if type != "application/json" {
      throw Problem(
        .unsupportedMediaType, "What changes something is sent as application/json.",
        hint: "Add the field Content-Type: application/json, also without a body.")
    }
  }

  /// Whether a browser says that a page of another site asks.
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

  private static func refusal(_ place: String) -> Problem {
    Problem(
      .forbidden, "This request comes from \(place).",
      hint: "Only pages of this server may change something.")
  }

  private static func mediaType(_ field: String?) -> String {
    let type = field?.prefix { $0 != ";" } ?? ""
    return type.trimmingSpaces.lowercased()
  }
}

extension Substring {
  /// Without the spaces and tabs around it.
  var trimmingSpaces: Substring {
    var text = self.drop { $0 == " " || $0 == "\t" }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}
