import Hummingbird
import OffersCore
import ServiceLifecycle

/// Starts syncs, and tells how far they are and what else happens.
struct SyncRoutes: Sendable {
  let content: ServedContent
  let answers: Answers
  let events: EventHub

  func add(to router: Router<BasicRequestContext>) {
    router.get("/api/v1/sync") { request, _ in
      _ = try QueryParameters(request, [])
      return try await answers.answer(request) {
        var json = JSONWriter()
        json.value(content.jobs.status)
        var answer = Answer.json(json)
        answer.lifetime = .never
        return answer
      }
    }
    router.post("/api/v1/sync") { request, _ in
      _ = try QueryParameters(request, [])
      let body = try await JSONBody.read(request, members: ["feeds", "source", "accept_removals"])
      var feeds: [String] = []
      if let value = body["feeds"] {
        guard let names = value as? [String] else {
          throw Problem(.badRequest, "The member “feeds” is a list of names.")
        }
        feeds = names
      }
      var wanted = WantedSync(feeds)
      if let value = body["source"] {
        guard let source = value as? String else {
          throw Problem(.badRequest, "The member “source” is a text.")
        }
        wanted.source = source
      }
      if let value = body["accept_removals"] {
        guard let accepts = JSONBody.truth(value) else {
          throw Problem(.badRequest, "The member “accept_removals” is true or false.")
        }
        wanted.acceptsRemovals = accepts
      }
      let status = try content.jobs.start(wanted)
      var json = JSONWriter()
      json.value(status)
      return Answers.result(json, status: .accepted)
    }
    router.get("/api/v1/events") { request, _ in
      _ = try QueryParameters(request, [])
      let happenings = try events.listen()
      return Response(
        status: .ok,
        headers: [.contentType: "text/event-stream", .cacheControl: "no-store"],
        body: ResponseBody { writer in
          for await event in happenings.cancelOnGracefulShutdown() {
            try await writer.write(event)
          }
          try await writer.finish(nil)
        })
    }
  }
}
