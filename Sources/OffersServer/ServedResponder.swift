import HTTPTypes
import Hummingbird
import Logging
import OffersCore

/// The responder of all requests: it checks a request, answers it from the cache or routes it, and
/// turns errors into responses. Every response gets the security headers.
struct ServedResponder: HTTPResponder {
  let answers: Answers
  let hosts: AllowedHosts
  /// Decides whom a request is from, and by which proxies and with which TLS it may come.
  let access: VisitorAuthentication
  let router: RouterResponder<ServedContext>
  let routes: RouteList
  /// Renders the pages for errors outside of the routes.
  let shell: PageShell
  let outage: StoreOutage
  let log: RequestLog
  /// Limits how many reads are made at once that the cache does not answer, which bounds the memory for
  /// their rows and texts. No user takes more than half, so that nobody's reads keep back those of others.
  let turns = FairTurns<User.ID>(
    limit: 16, keyLimit: 8, waitingLimit: 1024, keyWaitingLimit: 512)
  /// The turns of reads that may wait for slow servers of others, which must not delay the others.
  let networkTurns = FairTurns<User.ID>(
    limit: 16, keyLimit: 8, waitingLimit: 1024, keyWaitingLimit: 512)
  /// The time in which a page or an answer of the API is made.
  var readLimit = ServedContext.usualReadLimit

  func respond(to request: Request, context: ServedContext) async throws -> Response {
    let begun = ContinuousClock.now
    let isHead = request.method == .head
    let asked = routed(isHead ? request.asGet : request)
    var response: Response
    do {
      response = try await respondInTime(to: asked, context)
    } catch {
      response = refusal(of: problem(error, context.logger), to: asked)
    }
    SecurityHeaders.complete(&response.headers)
    if let location = response.headers[.location], location.hasPrefix("/") {
      response.headers[.location] = shell.basePath.address(location)
    }
    await log.note(request, &response, context.record, since: begun)
    return isHead ? response.createHeadResponse() : response
  }

  /// A request with the path that the routes know. A proxy may take the base path off or pass it on: so a target
  /// below it loses it if there is a route for the rest, and all others are taken as they are. Below `/offers`
  /// such a target could be the page of an offer; the links to these have a colon.
  private func routed(_ request: Request) -> Request {
    guard let rest = shell.basePath.rest(of: request), rest.first == "/" else { return request }
    let path = rest.prefix { $0 != "?" }
    guard routes.contains(path) || shell.basePath.text == "/offers" && !path.contains(":") else {
      return request
    }
    var head = request.head
    head.path = String(rest)
    return Request(head: head, body: request.body)
  }

  /// Responds to a read before its deadline and while its client is connected, and to a write when it is
  /// done. The end of a login at a provider is a write, although it comes as a GET.
  private func respondInTime(
    to request: Request, _ context: ServedContext
  ) async throws -> Response {
    if request.method != .get || request.uri.path == OpenIDProvider.callbackPath {
      return try await admit(request, context)
    }
    var reading = context
    reading.readLimit = readLimit
    return try await context.whileConnected { [reading] in
      try await ResponseDeadline.run(
        within: Self.usesNetwork(request) ? ResponseDeadline.ofNetwork : readLimit
      ) {
        try await admit(request, reading)
      }
    }
  }

  /// Whether a read may wait for other servers, or for the index of the search.
  private static func usesNetwork(_ request: Request) -> Bool {
    let path = request.uri.path
    return ["/search", "/api/v1/search"].contains(path)
      || ["/api/v1/images/", "/api/v1/proposals/"].contains { path.hasPrefix($0) }
  }

  /// Checks a request, finds out whom it is from, and answers it unless that is a stranger.
  private func admit(_ request: Request, _ context: ServedContext) async throws -> Response {
    try RequestValidation.check(request, hosts: hosts)
    if let rest = shell.basePath.rest(of: request), rest.first != "/" {
      // The start page is at the path with a slash, below which the service worker works.
      return Response(status: .temporaryRedirect, headers: [.location: "/" + rest])
    }
    var (request, context) = (request, context)
    context.client = access.settings.proxies.client(of: request.headers, from: context.peer)
    context.record.isFrom(context.client)
    if LoginRoutes.isOpen(request.uri.path) {
      if request.method != .get { try checkWrite(request, by: nil) }
      return try await answer(request, context)
    }
    let found: Visitor?
    do {
      found = try await findVisitor(of: request, context)
    } catch let error as OffersError
      where error.code == .storeUnreachable && request.method == .get
      && AssetRoutes.isFile(request.uri.path)
    {
      // The files are the same for all, so that the service worker and maps need no store.
      outage.note(error)
      return try await answer(request, context)
    }
    guard var visitor = found else { return try LoginRoutes.refuse(request) }
    context.record.isBy(visitor.user)
    var permit: WritePermit?
    if request.method != .get {
      try checkWrite(request, by: visitor)
      request.body = RequestBody(buffer: try await RequestBody.read(request))
      // The body may have come much later than the head. What the visitor may do is decided by what is true
      // now, and checked again by each transaction that writes.
      guard let present = try await findVisitor(of: request, context) else {
        return try LoginRoutes.refuse(request)
      }
      visitor = present
      try checkWrite(request, by: visitor)
      permit = visitor.permit
    }
    context.visitor = visitor
    var response = try await WritePermit.$current.withValue(permit) { [request, context] in
      try await answer(request, context)
    }
    VisitorHeader.set(visitor, in: &response)
    if let field = try access.note(visitor, request) {
      response.headers.append(HTTPField(name: .setCookie, value: field))
    }
    return response
  }

  private func findVisitor(
    of request: Request, _ context: ServedContext
  ) async throws -> Visitor? {
    let visitor = try await access.findVisitor(
      of: request, from: context.client, by: context.peer)
    outage.end()
    return visitor
  }

  private func checkWrite(_ request: Request, by visitor: Visitor?) throws {
    try routes.check(request)
    try WriteRules.check(request, isSecure: access.settings.isSecure)
    if let visitor { try VisitorHeader.check(request, visitor) }
  }

  private func answer(_ request: Request, _ context: ServedContext) async throws -> Response {
    // It was made for the same user with the same right, which the router has checked then. Open paths
    // have none.
    if request.method == .get, let visitor = context.visitor,
      let known = await answers.findAnswer(to: request, for: visitor)
    {
      return known
    }
    let response = try await respondInTurn(to: request, context)
    guard response.status == .notFound, !response.headers.contains(.contentType) else {
      return response
    }
    try routes.check(request)
    throw Problem(.notFound, "There is no such path.", code: .notFound)
  }

  /// Routes a request. A read waits for a turn first.
  ///
  /// Writes need no turn, because their bodies may arrive slowly and their responses are small.
  /// Paths that require no login need none either, because they read little from the database.
  private func respondInTurn(
    to request: Request, _ context: ServedContext
  ) async throws -> Response {
    guard request.method == .get, let visitor = context.visitor else {
      return try await router.respond(to: request, context: context)
    }
    return try await (Self.usesNetwork(request) ? networkTurns : turns).run(for: visitor.user.id) {
      try await router.respond(to: request, context: context)
    }
  }

  /// The response to a request with an error: a page for a browser, unless the request is to the
  /// API, else a problem document.
  private func refusal(of problem: Problem, to request: Request) -> Response {
    let isPage =
      !request.uri.path.hasPrefix("/api/")
      && request.headers[.accept]?.contains("text/html") == true
    // If the page cannot be rendered, the problem document is sent instead.
    let page = isPage ? try? NoticePage.response(to: request, for: problem, in: shell) : nil
    return page ?? problem.response
  }

  private func problem(_ error: any Error, _ logger: Logger) -> Problem {
    switch error {
    case let error where error.isCancellation:
      return Problem(
        .serviceUnavailable, "The connection was closed, or the server is shutting down.",
        hint: "Keep both sides of the connection open until the answer has arrived.",
        code: .sourceFailed)
    case let error as Problem: return error
    case let refusal as RouteRights.Refusal: return refusal.problem
    case let error as OffersError:
      if error.code == .storeUnreachable {
        outage.note(error)
      } else if let cause = error.cause {
        logger.error("\(error.message)", metadata: ["cause": "\(cause)"])
      }
      return Problem(error)
    case let error as any HTTPResponseError:
      return Problem(error.status, error.status.reasonPhrase + ".")
    default:
      logger.error("request failed", metadata: ["error": "\(error)"])
      return Problem(
        .internalServerError, "The server could not answer the request.",
        hint: "See the server's log.",
        code: .storageFailed)
    }
  }
}

extension Request {
  fileprivate var asGet: Request {
    var head = head
    head.method = .get
    return Request(head: head, body: body)
  }
}
