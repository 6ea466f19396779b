import Hummingbird
import OffersCore

extension Answers {
  /// Adds a route of the API that reads.
  ///
  /// - Parameters:
  ///   - path: the path, such as `/api/v1/offers/{ref}`.
  ///   - names: the query parameters that the route accepts.
  ///   - router: gets the route.
  ///   - make: makes the content of an answer, unless the cache has it.
  func read(
    _ path: RouterPath, _ names: [String] = [], on router: Router<ServedContext>,
    _ make: @escaping @Sendable (QueryParameters, ServedContext) async throws -> Answer
  ) {
    router.get(path) { request, context in
      let parameters = try QueryParameters(request, names)
      return try await answer(request, for: context.visitor) {
        try await make(parameters, context)
      }
    }
  }
}
