import HTTPTypes
import Hummingbird
import OffersCore

/// What stands before the routes: whatever the request, it is answered, safely.
struct ServedResponder: HTTPResponder {
  let answers: Answers
  let router: RouterResponder<BasicRequestContext>

  func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
    do {
      if request.method == .get, let known = try answers.findAnswer(to: request) { return known }
      var response = try await router.respond(to: request, context: context)
      SecurityHeaders.complete(&response.headers)
      return response
    } catch let error as OffersError {
      return Problem(error).response
    }
  }
}
