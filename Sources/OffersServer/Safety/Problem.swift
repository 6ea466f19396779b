import Hummingbird
import OffersCore

/// The error of a request, which is sent as a problem document (RFC 9457), or to a browser as a
/// page (`NoticePage`). Routes throw it or an `OffersError`.
struct Problem: Error, HTTPResponseError {
  /// The seconds after which a client may try again while the store cannot be reached.
  static let outageRetrySeconds = 5

  let status: HTTPResponse.Status
  /// The failure in one sentence for a person.
  let title: String
  /// The failure in one sentence, with technical details.
  var detail: String
  var hint: String?
  /// The kind of failure: the raw value of an `OffersError.Code`.
  var code: String
  /// The id of the running sync, if that is why another cannot start.
  var id: Int?
  var headers: HTTPFields = [:]

  /// - Parameter title: the sentence for a person; nil if that is `detail`.
  init(
    _ status: HTTPResponse.Status, _ detail: String, hint: String? = nil,
    code: OffersError.Code = .invalidRequest, title: String? = nil
  ) {
    self.status = status
    self.title = title ?? detail
    self.detail = detail
    self.hint = hint
    self.code = code.rawValue
  }

  init(_ error: OffersError) {
    // Clients that are not logged in can get these answers, too: the message of an error of the store, which has
    // its place, is for the log only.
    if error == .accessEnded {
      self = Self.unauthorized
      return
    }
    if error == .roleChanged {
      self.init(.forbidden, error.message, hint: error.hint?.text, code: error.code)
      return
    }
    if error == .tooManyAtOnce {
      self.init(.serviceUnavailable, error.message, hint: error.hint?.text, code: error.code)
      headers[.retryAfter] = "1"
      return
    }
    switch error.code {
    case .storeUnreachable:
      self.init(
        Self.status(of: error.code), "The database cannot be reached at present.",
        hint: "Try again in a few seconds.", code: error.code)
    case .newerDatabase:
      self.init(
        Self.status(of: error.code), "The database belongs to a newer version of the program.",
        hint: "This server ends, so that the newer version can start. Try again in a few seconds.",
        code: error.code)
    default:
      self.init(
        Self.status(of: error.code), ErrorWords.plain(error.message),
        hint: error.hint.map { ErrorWords.plain($0.text) }, code: error.code,
        title: ErrorWords(error).sentence)
      return
    }
    headers[.retryAfter] = String(Self.outageRetrySeconds)
  }

  static var unauthorized: Problem {
    var problem = Problem(
      .unauthorized, "Log in, or send a token.",
      hint: "Log in with a browser, or send Authorization: Bearer TOKEN.")
    problem.headers[.wwwAuthenticate] = "Bearer realm=\"offers\""
    return problem
  }

  private static func status(of code: OffersError.Code) -> HTTPResponse.Status {
    switch code {
    case .invalidRequest: .badRequest
    case .notFound: .notFound
    case .ambiguous, .locked, .heldBack: .conflict
    case .limitExceeded, .malformedFeed, .unexpectedShape, .malformedImage, .sourceFailed,
      .noNetwork:
      .badGateway
    case .storageFailed, .storeUnreachable, .newerDatabase, .cancelled: .serviceUnavailable
    }
  }

  /// The JSON document of the media type `application/problem+json`.
  var document: String {
    JSONWriter.document { json in
      json.member("type", "about:blank")
      json.member("title", title)
      json.member("status", status.code)
      json.member("detail", detail)
      json.member("hint", hint)
      json.member("code", code)
      if let id { json.member("id", id) }
    }
  }

  func response(from request: Request, context: some RequestContext) -> Response { response }

  /// The response with the document. `ServedResponder` adds the security headers, as to every response.
  var response: Response {
    var fields: HTTPFields = [
      .contentType: "application/problem+json", .cacheControl: "no-store",
    ]
    fields.append(contentsOf: headers)
    return Response(
      status: status, headers: fields,
      body: ResponseBody(byteBuffer: ByteBuffer(string: document)))
  }
}

/// The texts of an error on a page: one sentence for a person, and the error's technical message, which the
/// page shows below “Details”.
struct ErrorWords {
  let sentence: String
  let details: String?

  /// - Parameters:
  ///   - error: the error, whose message is a person's sentence unless it is about a source or a store.
  ///   - feed: the title of the feed whose source failed; nil if the error is no feed's.
  init(_ error: OffersError, ofFeed feed: String? = nil) {
    if let words = error.serverWords {
      // The server's own words say most, and what to do comes right behind them.
      sentence = "“\(words)” \(error.hint.map { Self.plain($0.text) } ?? "")"
      details = Self.plain(error.message)
      return
    }
    let sentence = Self.sentence(of: error.code, feed)
    let message = Self.plain(error.message)
    self.sentence = sentence ?? message
    let details = [sentence == nil ? nil : message, error.hint.map { Self.plain($0.text) }]
    let text = details.compactMap { $0?.isEmpty == true ? nil : $0 }.joined(separator: " ")
    self.details = text.isEmpty ? nil : text
  }

  /// A text of an error as people read it on a page. A page shows what has changed, so that the text need not say that
  /// nothing was.
  static func plain(_ text: String) -> String {
    AddressRedaction.readable(text).replacing(bytes: " Nothing was changed.", with: "")
      .replacing(bytes: "Nothing was changed. ", with: "")
  }

  private static func sentence(of code: OffersError.Code, _ feed: String?) -> String? {
    let source = feed.map { "The source of \($0)" } ?? "Another server"
    return switch code {
    case .sourceFailed: "\(source) does not answer as it should."
    case .notFound where feed != nil: "\(source) is not at its address any more."
    case .malformedFeed, .unexpectedShape: "\(source) sent something that cannot be read."
    case .noNetwork: "The server has no network at present."
    case .limitExceeded: "\(source) sent too much, or took too long."
    case .malformedImage: "This picture cannot be read."
    case .storageFailed: "The server could not read or store this just now."
    case .newerDatabase: "The data is of a newer version of this program."
    case .storeUnreachable: "The data cannot be reached at present."
    case .heldBack where feed != nil:
      "\(source) sent a document that does not look like its own."
    case .invalidRequest, .notFound, .ambiguous, .locked, .heldBack, .cancelled: nil
    }
  }
}
