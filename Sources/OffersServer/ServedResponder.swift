import HTTPTypes
import Hummingbird
import Logging
import OffersCore

/// What stands before the routes: whatever the request, it is answered, and safely.
struct ServedResponder: HTTPResponder {
  let answers: Answers
  let hosts: AllowedHosts
  /// What a request must show; nil where only this machine can ask.
  let token: AccessToken?
  let router: RouterResponder<BasicRequestContext>
  let routes: RouteList
  /// Shows people what is wrong with a request that no route answers.
  let shell: PageShell

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    let isHead = request.method == .head
    var response: Response
    do {
      response = try await answer(isHead ? request.asGet : request, context)
    } catch {
      response = refusal(of: Self.problem(error, context.logger), to: request)
    }
    SecurityHeaders.complete(&response.headers)
    return isHead ? response.createHeadResponse() : response
  }

  /// The remembered answer to a request without a body that may have it; nil for all others, which
  /// `respond` answers or refuses.
  func findKnown(_ head: HTTPRequest) -> (head: HTTPResponse, body: ByteBuffer?)? {
    guard head.method == .get, !head.headerFields.contains(.contentLength),
      !head.headerFields.contains(.transferEncoding)
    else { return nil }
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer()))
    do {
      try RequestShape.check(request, hosts: hosts)
    } catch {
      return nil
    }
    if let token, !LoginRoutes.isOpen(request.uri.path), !token.isShown(by: request) { return nil }
    return answers.findParts(of: request)
  }

  private func answer(_ request: Request, _ context: BasicRequestContext) async throws -> Response {
    try RequestShape.check(request, hosts: hosts)
    if let token, !LoginRoutes.isOpen(request.uri.path), !token.isShown(by: request) {
      return try LoginRoutes.refuse(request)
    }
    if request.method == .get {
      if let known = answers.findAnswer(to: request) { return known }
    } else {
      try routes.check(request)
      try WriteRules.check(request)
    }
    let response = try await router.respond(to: request, context: context)
    guard response.status == .notFound, !response.headers.contains(.contentType) else {
      return response
    }
    try routes.check(request)
    throw Problem(.notFound, "There is nothing here.", code: .notFound)
  }

  /// What is told as a page to people, and as a document to programs.
  private func refusal(of problem: Problem, to request: Request) -> Response {
    let isPage =
      !request.uri.path.hasPrefix("/api/")
      && request.headers[.accept]?.contains("text/html") == true
    // What a template cannot show, the document tells as well.
    let page = isPage ? try? NoticePage.response(to: request, for: problem, in: shell) : nil
    return page ?? problem.response
  }

  private static func problem(_ error: any Error, _ logger: Logger) -> Problem {
    switch error {
    case let error as Problem: return error
    case let error as OffersError:
      if let cause = error.cause {
        logger.error("\(error.message)", metadata: ["cause": "\(cause)"])
      }
      return Problem(error)
    case let error as any HTTPResponseError:
      return Problem(error.status, error.status.reasonPhrase + ".")
    case is CancellationError:
      return Problem(.serviceUnavailable, "The server is ending.", code: .sourceFailed)
    default:
      logger.error("request failed", metadata: ["error": "\(error)"])
      return Problem(
        .internalServerError, "Something went wrong.", hint: "See the server's log.",
        code: .storageFailed)
    }
  }
}

extension Request {
  /// The same, asking for the body, too.
  fileprivate var asGet: Request {
    var head = head
    head.method = .get
    return Request(head: head, body: body)
  }
}
