import Hummingbird
import OffersCore

/// The JSON API under `/api/v1`.
struct APIRoutes: Sendable {
  let content: ServedContent
  let answers: Answers

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/health") { request, _ in
      try await answers.answer(request) { .json { $0.member("status", "ok") } }
    }
  }
}
