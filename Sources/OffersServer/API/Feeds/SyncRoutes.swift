import Hummingbird
import OffersCore

/// The routes that start a sync and report its progress.
struct SyncRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/sync", on: router) { _, _ in
      var json = JSONWriter()
      json.value(content.jobs.status)
      var answer = Answer.json(json)
      answer.lifetime = .never
      return answer
    }
    router.post("/api/v1/sync") { request, context in
      _ = try QueryParameters(request, [])
      let body = try await JSONBody.read(
        request, members: ["feeds", "source", "accept_removals", "keep_missing"])
      var feeds: [String] = []
      if let value = body["feeds"] {
        guard let names = value as? [String] else {
          throw Problem(.badRequest, "The member “feeds” must be a list of names.")
        }
        feeds = names
      }
      var parameters = SyncParameters(feeds)
      var source: String?
      if let value = body["source"] {
        guard let text = value as? String else {
          throw Problem(.badRequest, "The member “source” must be a string.")
        }
        source = text
      }
      if let value = body["accept_removals"] {
        guard let accepts = JSONBody.truth(value) else {
          throw Problem(.badRequest, "The member “accept_removals” must be true or false.")
        }
        parameters.acceptsRemovals = accepts
      }
      if let value = body["keep_missing"] {
        guard let keeps = JSONBody.truth(value), !(keeps && parameters.acceptsRemovals) else {
          throw Problem(
            .badRequest,
            "The member “keep_missing” must be true or false, and excludes "
              + "“accept_removals”.")
        }
        parameters.keepsMissing = keeps
      }
      // A new source is a setting, and removals were held back for an admin to decide.
      if source != nil || parameters.acceptsRemovals || parameters.keepsMissing {
        try context.fetchVisitor().check(.admin)
      }
      context.record.note(parameters, hasSource: source != nil)
      let status = try await content.jobs.start(parameters, from: source)
      var json = JSONWriter()
      json.value(status)
      return Answers.result(json, status: .accepted)
    }
  }
}
