import Hummingbird
import OffersCore

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
      let body = try await JSONBody.read(request, members: ["url"])
      guard let url = PageLinks.outside(body["url"] as? String) else {
        throw Problem(.badRequest, "The member “url” must be an http or https URL.")
      }
      let origin = request.headers[.origin] ?? ""
      let refuses = try await turns.run(for: try context.fetchVisitor().user.id) {
        await content.framing?.refusesFrame(url, in: origin)
      }
      return Answers.result { $0.member("refused", refuses) }
    }
  }
}
