import OffersCore

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
}
