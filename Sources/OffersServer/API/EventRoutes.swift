import HTTPTypes
import Hummingbird
import OffersCore
import ServiceLifecycle

/// The route that streams server-sent events (`EventHub`).
struct EventRoutes: Sendable {
  /// The fields of a stream. nginx buffers the answers of its servers, and would hold back a stream, head
  /// included, unless the last of them forbids it.
  /// https://nginx.org/en/docs/http/ngx_http_proxy_module.html#proxy_buffering
  private static let fields: HTTPFields = {
    var fields: HTTPFields = [.contentType: "text/event-stream", .cacheControl: "no-store"]
    if let name = HTTPField.Name("X-Accel-Buffering") { fields[name] = "no" }
    return fields
  }()

  let events: EventHub
  /// Decides whom a request is from.
  let access: VisitorAuthentication

  func add(to router: Router<ServedContext>) {
    router.get("/api/v1/events") { request, context in
      _ = try QueryParameters(request, [])
      let visitor = try context.fetchVisitor()
      let listener =
        visitor.session.map { EventHub.Client.session($0.id) } ?? .peer(context.client)
      let stream = try await events.listen(
        listener, of: visitor.user.id,
        while: { [access] in try await access.isWelcome(visitor) },
        whenClosed: context.whenClosed)
      return Response(
        status: .ok,
        headers: Self.fields,
        body: ResponseBody { writer in
          for await event in stream.cancelOnGracefulShutdown() {
            try await writer.write(event)
          }
          try await writer.finish(nil)
        })
    }
  }
}
