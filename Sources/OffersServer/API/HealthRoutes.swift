import Hummingbird
import OffersCore

/// The routes by which a service manager and a load balancer ask for the state of the server. Everybody
/// may ask, so no version and no place is told.
struct HealthRoutes: Sendable {
  let readiness: Readiness

  func add(to router: Router<ServedContext>) {
    // The server lives, whether or not its store can be reached: a restart would not help.
    router.get("/api/v1/health") { request, _ in
      _ = try QueryParameters(request, [])
      return Answers.response(Self.works, to: request)
    }
    router.get("/api/v1/ready") { request, _ in
      _ = try QueryParameters(request, [])
      try await readiness.confirm()
      var answer = Self.works
      answer.cacheControl = "no-store"
      return Answers.response(answer, to: request)
    }
  }

  private static var works: Answer { .json { $0.member("status", "ok") } }
}
