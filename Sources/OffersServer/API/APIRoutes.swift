import Hummingbird
import OffersCore

/// The routes of the JSON API under `/api/v1`, which openapi.json describes.
struct APIRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers
  let access: VisitorAuthentication
  let outage: StoreOutage
  let basePath: BasePath

  func add(to router: Router<ServedContext>) {
    OfferRoutes(content: content, answers: answers).add(to: router)
    HidingRoutes(content: content, answers: answers).add(to: router)
    ChangeRoutes(content: content, answers: answers).add(to: router)
    NewsRoutes(content: content, answers: answers).add(to: router)
    SearchRoutes(content: content, answers: answers).add(to: router)
    FeedRoutes(content: content, answers: answers).add(to: router)
    ProposalRoutes(content: content, answers: answers).add(to: router)
    FramingRoutes(content: content).add(to: router)
    PushRoutes(content: content, answers: answers).add(to: router)
    ImageRoutes(content: content, answers: answers).add(to: router)
    OfflineRoutes(content: content, answers: answers, access: access).add(to: router)
    SyncRoutes(content: content, answers: answers).add(to: router)
    EventRoutes(events: EventHub(store: content.store, jobs: content.jobs), access: access)
      .add(to: router)
    HealthRoutes(readiness: Readiness(content.store, outage: outage)).add(to: router)
    answers.read("/api/v1/openapi.json", on: router) { _, _ in
      var text = String(decoding: EmbeddedPageFiles.find("openapi.json") ?? [], as: UTF8.self)
      for (mark, filters) in [
        ("LIST", OfferFilter.allCases), ("SEARCH", OfferFilter.allCases),
        ("CHANGE", OfferFilter.ofChanges),
      ] {
        let described = filters.map(\.description).joined(separator: ",")
        text = text.replacing(bytes: "\"__\(mark)_FILTERS__\"", with: described)
      }
      if !basePath.text.isEmpty {
        text = text.replacing(bytes: #""url": "/""#, with: "\"url\": \"\(basePath.text)\"")
      }
      return Answer(contentType: "application/json", body: ByteBuffer(string: text))
    }
  }
}

extension OfferFilter {
  /// The parameter as openapi.json describes it.
  fileprivate var description: String {
    var json = JSONWriter()
    json.object { json in
      json.member("name", words.parameter)
      json.member("in", "query")
      json.member("description", words.help)
      json.member("schema") { json in
        json.object { json in
          if case .flag = value { return json.member("type", "boolean") }
          json.member("type", "string")
          switch value {
          case .flag: break
          case .text, .label, .bound, .circle: json.member("minLength", 1)
          case .since:
            json.member(
              "pattern",
              #"^(\d{1,9}[mhdw]|\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?(Z|[+-]\d\d:\d\d)?)?|today)$"#)
          case .within: json.member("pattern", #"^\d{1,9}[mhdw]$"#)
          }
        }
      }
      if let example = words.example { json.member("example", example) }
    }
    return json.text
  }
}

/// Routes whose answers are made of the content that a visitor sees.
protocol ContentRoutes: Sendable {
  var content: ServerDependencies { get set }
}

extension ContentRoutes {
  /// The same routes with the favorites, searches and read marks of the visitor of a request.
  func of(_ context: ServedContext) -> Self {
    var routes = self
    routes.content = content.of(context.visitor)
    return routes
  }

  /// A JSON document in which the values of the feeds with prices are prices.
  func document(_ write: (inout JSONWriter) -> Void) async throws -> JSONWriter {
    var json = JSONWriter()
    json.pricedFeeds = try await content.fetchPresentations().pricedFeeds
    write(&json)
    return json
  }

  /// The answer with a page of offers; `body` writes one of them.
  func answer<Found>(
    with offers: [Found], total: Int, next: OfferPosition?, of list: UInt64,
    _ body: (inout JSONWriter, Found) -> Void
  ) async throws -> Answer {
    .json(
      try await document { json in
        json.object { json in
          json.member("offers", each: offers, body)
          json.member("total", total)
          json.member("next_cursor", next.map(Cursor.init(after:))?.text(of: list))
        }
      })
  }

  /// The answer to a request that has changed a mark of an offer.
  ///
  /// - Parameter body: writes the offer as it is now.
  func result<Change>(
    _ change: Change?, changed: KeyPath<Change, Bool>, _ body: (inout JSONWriter, Change) -> Void
  ) async throws -> Response {
    Answers.result(
      try await document { json in
        json.object { json in
          json.member("changed", change?[keyPath: changed])
          if let change { json.member("offer") { body(&$0, change) } }
        }
      })
  }
}

extension Answers {
  /// Adds a route of the API that reads.
  ///
  /// - Parameters:
  ///   - lifetime: how long an answer may be reused; nil for as long as `make` says.
  ///   - make: makes the content of an answer, unless the cache has it.
  func read(
    _ path: RouterPath, _ names: [String] = [], lifetime: Answer.Lifetime? = nil,
    on router: Router<ServedContext>,
    _ make: @escaping @Sendable (QueryParameters, ServedContext) async throws -> Answer
  ) {
    router.get(path) { request, context in
      let parameters = try QueryParameters(request, names)
      return try await answer(request, for: context.visitor) {
        var answer = try await make(parameters, context)
        if let lifetime { answer.lifetime = lifetime }
        return answer
      }
    }
  }
}

extension Router<ServedContext> {
  /// Adds a route of the API that changes something, without query parameters.
  func write(
    _ method: HTTPRequest.Method, _ path: RouterPath, _ members: [String] = [],
    _ respond: @escaping @Sendable (JSONBody, ServedContext) async throws -> Response
  ) {
    on(path, method: method) { request, context in
      _ = try QueryParameters(request, [])
      return try await respond(try await JSONBody(of: request, members: members), context)
    }
  }
}

/// The route by which the page of other sites learns whether a site refuses to be framed. It is a
/// POST, so that no link of another site has the server send requests.
struct FramingRoutes: Sendable {
  let content: ServerDependencies
  /// A few checks run at a time, one of each user, so that nobody's slow sites keep back the checks of others.
  private let turns = FairTurns<User.ID>(
    limit: 4, keyLimit: 1, waitingLimit: 64, keyWaitingLimit: 8)

  init(content: ServerDependencies) {
    self.content = content
  }

  func add(to router: Router<ServedContext>) {
    router.post("/api/v1/framing") { request, context in
      _ = try QueryParameters(request, [])
      let body = try await JSONBody(of: request, members: ["url"])
      guard let url = PageLinks.outside(try body.text("url")) else {
        throw Problem(.badRequest, "The member “url” must be an http or https URL.")
      }
      let origin = request.headers[.origin] ?? ""
      let found: (refuses: Bool?, answers: Bool) =
        try await turns.run(for: try context.fetchVisitor().user.id) {
          do {
            return (try await content.framing?(url, origin), true)
          } catch {
            return (nil, false)
          }
        }
      return Answers.result {
        $0.member("refused", found.refuses)
        $0.member("answers", found.answers)
      }
    }
  }
}
