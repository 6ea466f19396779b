import Foundation
import Hummingbird
import OffersCore

/// The parts of a request that pages and forms use.
struct PageRequest: Sendable {
  /// The path without the query, percent-encoded as it was sent.
  var path: String
  let fields: SentFields
  /// The path with the query, to which forms on the page redirect.
  let address: String
  /// The address, if forms may redirect to it; see `ReturnPath.checked`.
  var back: String { ReturnPath.checked(address) }
  /// The path parameter, percent-decoded; empty for a path without one.
  let name: String
  /// False for a request that may come from a link or a page of another site.
  let isTrusted: Bool
  /// Whom the request is from; nil for nobody in particular.
  let visitor: Visitor?
  let readLimit: Duration

  /// Whether the visitor may decide about offers that are held back.
  var mayDecide: Bool { (visitor?.right ?? .read) >= .admin }

  /// - Parameter parameter: the name of the path parameter; nil for a path without one.
  init(_ request: Request, _ context: ServedContext, parameter: String? = nil) throws {
    path = request.uri.path
    visitor = context.visitor
    readLimit = context.readLimit
    isTrusted = !WriteRules.mayBeFromOtherSite(request)
    fields = request.fields
    let whole = request.uri.string.hasPrefix("/") ? request.uri.string : request.uri.path
    address = isTrusted ? whole : Self.withoutEffect(whole)
    name = try parameter.map(context.segment) ?? ""
  }

  /// The request of this server itself for a page, by nobody in particular unless a visitor is given.
  init(path: String, name: String = "", query: String = "", visitor: Visitor? = nil) {
    self.path = path
    self.name = name
    self.visitor = visitor
    readLimit = ServedContext.usualReadLimit
    isTrusted = false
    fields = SentFields(query)
    address = path
  }

  /// An address without its query if that has an effect: a site that is shown, or a search that is
  /// recorded.
  static func withoutEffect(_ address: String) -> String {
    var path = address.split(scalar: "?", maxSplits: 1).first ?? ""
    // The router ignores slashes at the end.
    while path.hasSuffix("/") { path = path.dropLast() }
    return ["/web", "/search"].contains(path) ? String(path) : address
  }

}

/// The fields of a query or a form, leniently parsed: fields with invalid percent-encoding are left
/// out, and a value that a page cannot use has the same effect as none.
struct SentFields: Sendable {
  private let values: [String: String]

  init(_ text: String) { values = URLEncodedForm.parse(text) }

  var isEmpty: Bool { values.isEmpty }

  /// A value as it was sent, such as a passphrase; nil without the field.
  func whole(_ name: String) -> String? { values[name] }

  /// A value without the white space around it; nil for an empty one.
  subscript(name: String) -> String? {
    guard let value = values[name]?.trimmingCharacters(in: .whitespacesAndNewlines),
      !value.isEmpty
    else { return nil }
    return value
  }

  /// Whether a flag, such as a check box, is set: to `1`, `true` or `on`.
  func isSet(_ name: String) -> Bool { ["1", "true", "on"].contains(self[name]) }

  /// The number of a page, limited to 1 to 1,000,000; 1 if there is no number.
  func page() -> Int {
    // The bound keeps the offset, which is a multiple of the number, from overflowing.
    self["page"].flatMap { Int($0) }.map { min(max(1, $0), 1_000_000) } ?? 1
  }
}

extension Request {
  var fields: SentFields { SentFields(uri.query ?? "") }
}

extension Router<ServedContext> {
  /// Adds a route to which a form of a page is sent.
  func form(
    _ path: RouterPath,
    _ respond: @escaping @Sendable (SentFields, Request, ServedContext) async throws -> Response
  ) {
    post(path) { request, context in
      let fields = SentFields(String(buffer: try await RequestBody.read(request)))
      return try await respond(fields, request, context)
    }
  }
}

/// The path of a page of this server to which a login, or a form, returns.
///
/// It comes from a request, so from anybody. Browsers resolve it against the address of the response before
/// they ask for it: they treat a backslash like a slash, and remove segments of dots, encoded ones as well
/// (https://url.spec.whatwg.org/#path-state). So only texts are accepted that browsers leave as they are.
enum ReturnPath {
  private static let byteLimit = 4096

  /// The pages that have a path of their own; `*` stands for any one segment.
  private static let pages: [[String]] =
    [
      [], ["all"], ["changes"], ["favorites"], ["feeds", "*"], ["household"], ["notices"],
      ["offers", "*"], ["offline"], ["search"], ["settings"], ["settings", "add-feed"], ["users"],
      ["watches"], ["web"], ["welcome"],
    ] + SettingsSection.allCases.map { ["settings", $0.rawValue] }

  /// The path, with its query and fragment, and without a slash at its end; the start page for any text that
  /// is no path of a known page in printable ASCII.
  static func checked(_ text: String?) -> String {
    guard let text, text.utf8.count <= byteLimit,
      text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
    else { return "/" }
    // The text is ASCII, in which each character is a byte.
    let path = text.prefix { $0 != "?" && $0 != "#" }
    var segments = path.split(scalar: "/", omittingEmptySubsequences: false)
    guard segments.count >= 2, segments.removeFirst().isEmpty else { return "/" }
    if segments.last?.isEmpty == true { segments.removeLast() }
    guard pages.contains(where: { matches(segments, $0) }), segments.allSatisfy(isPlain) else {
      return "/"
    }
    return "/" + segments.joined(separator: "/") + text[path.endIndex...]
  }

  /// As `checked`, but `/web` and `/search` lose their query: another site may have linked to the login,
  /// and the redirect behind it would look like a request of this one.
  static func withoutEffect(_ text: String?) -> String { PageRequest.withoutEffect(checked(text)) }

  private static func matches(_ segments: [Substring], _ page: [String]) -> Bool {
    segments.count == page.count && zip(segments, page).allSatisfy { $1 == "*" || $0 == $1 }
  }

  private static func isPlain(_ segment: Substring) -> Bool {
    guard let name = PercentCode.decode(segment) else { return false }
    return !["", ".", ".."].contains(name)
  }
}
