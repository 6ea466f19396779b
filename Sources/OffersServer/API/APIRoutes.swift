import Hummingbird
import OffersCore

/// The routes of the JSON API under `/api/v1`, which openapi.json describes.
struct APIRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers
  /// Decides whom a request is from.
  let access: VisitorAuthentication
  /// Is told whether the store can be reached.
  let outage: StoreOutage
  /// The path below which clients reach the API.
  let basePath: BasePath

  func add(to router: Router<ServedContext>) {
    OfferRoutes(content: content, answers: answers).add(to: router)
    HouseholdRoutes(content: content, answers: answers).add(to: router)
    ChangeRoutes(content: content, answers: answers).add(to: router)
    NewsRoutes(content: content, answers: answers).add(to: router)
    SearchRoutes(content: content, answers: answers).add(to: router)
    FeedRoutes(content: content, answers: answers).add(to: router)
    ProposalRoutes(content: content, answers: answers).add(to: router)
    FramingRoutes(content: content).add(to: router)
    ImageRoutes(content: content, answers: answers).add(to: router)
    OfflineRoutes(content: content, answers: answers).add(to: router)
    SyncRoutes(content: content, answers: answers).add(to: router)
    EventRoutes(events: EventHub(signal: content.store, jobs: content.jobs), access: access)
      .add(to: router)
    HealthRoutes(readiness: Readiness(content.store, outage: outage)).add(to: router)
    answers.read("/api/v1/openapi.json", on: router) { _, _ in
      let text = String(decoding: EmbeddedPageFiles.find("openapi.json") ?? [], as: UTF8.self)
      return Answer(
        contentType: "application/json",
        body: ByteBuffer(
          string: basePath.text.isEmpty
            ? text
            : text.replacing(
              bytes: #""url": "/""#, with: "\"url\": \"\(basePath.text)\"")))
    }
  }
}
