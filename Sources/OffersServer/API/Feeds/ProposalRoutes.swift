import Foundation
import Hummingbird
import OffersCore

/// The routes that look at a feed by its address, and add it.
struct ProposalRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers

  func add(to router: Router<ServedContext>) {
    router.post("/api/v1/proposals") { request, context in
      _ = try QueryParameters(request, [])
      return try await context.whileConnected {
        let sent = try await JSONBody.read(request, members: ["source", "name"])
        let proposal = try await content.proposals.propose(
          try Self.source(in: sent), name: try Self.text("name", in: sent),
          by: try context.fetchVisitor().user)
        return Answers.result { Self.write(proposal, to: &$0) }
      }
    }
    answers.read("/api/v1/proposals/{number}/images/{index}", on: router) { _, context in
      let offer = try offer(of: context)
      let source = content.proposals.find(
        try number("number", of: context), by: try context.fetchVisitor().user)?.source
      return try await ImageRoutes(content: content, answers: answers).answer(
        with: offer, feedSource: source, as: .preview)
    }
    router.post("/api/v1/feeds") { request, context in
      _ = try QueryParameters(request, [])
      return try await context.whileConnected {
        let sent = try await JSONBody.read(request, members: ["source", "name", "title"])
        let added = try await content.proposals.add(
          try Self.source(in: sent), name: try Self.text("name", in: sent),
          title: try Self.text("title", in: sent), by: try context.fetchVisitor().user)
        context.record.note("feed", added.name)
        return try await of(context).response(to: added)
      }
    }
  }

  private func response(to added: FeedProposals.Added) async throws -> Response {
    let (feeds, now) = (try await content.fetchFeedSummaries(), content.now())
    let feed = feeds.first { $0.name == added.name }
    var response = Answers.result(status: .created) { json in
      if let feed {
        json.member("feed", object: feed) { FeedRoutes.write($1, now, to: &$0) }
      }
      json.member("sync") { if let sync = added.sync { $0.value(sync) } else { $0.null() } }
    }
    response.headers[.location] = "/api/v1/feeds/" + PercentCode.encode(added.name)
    return response
  }

  private func offer(of context: ServedContext) throws -> Offer {
    let index = try number("index", of: context)
    guard
      let proposal = content.proposals.find(
        try number("number", of: context), by: try context.fetchVisitor().user),
      proposal.offers.indices.contains(index)
    else { throw OffersError(.notFound, "This proposal has expired.") }
    return proposal.offers[index]
  }

  private func number(_ name: String, of context: ServedContext) throws -> Int {
    guard let number = Int(try context.segment(name)) else {
      throw OffersError(.notFound, "There is no such proposal.")
    }
    return number
  }

  private static func source(in sent: [String: Any]) throws -> String {
    guard let source = try text("source", in: sent) else {
      throw Problem(.badRequest, "The member “source” is missing.", hint: "Send an address.")
    }
    return source
  }

  private static func text(_ name: String, in sent: [String: Any]) throws -> String? {
    guard let value = sent[name], !(value is NSNull) else { return nil }
    guard let text = value as? String else {
      throw Problem(.badRequest, "The member “\(name)” must be a string.")
    }
    let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
    return trimmed.isEmpty ? nil : trimmed
  }

  private static func write(_ numbered: FeedProposals.Numbered, to json: inout JSONWriter) {
    let proposal = numbered.proposal
    json.member("number", numbered.number)
    json.member("source", proposal.source)
    json.member("name", proposal.name)
    json.member("title", proposal.title)
    json.member("format", proposal.format)
    json.member("layout", proposal.presentation.layout.rawValue)
    json.member("fields", objects: proposal.fields) { json, field in
      json.member("name", field.name)
      json.member("from", field.from)
      json.member("offers", field.offerCount)
    }
    json.member("records", proposal.recordCount)
    json.member("offers", proposal.offerCount)
    json.member("first", objects: proposal.offers) { json, offer in
      json.member("id", offer.ref.offerID)
      json.member("name", offer.name)
      json.member("reward", offer.reward?.text)
      json.member("image_url", offer.imageURLText)
    }
    json.member("notes", each: proposal.notes) { $0.value($1) }
    json.member("definition", proposal.definition)
  }
}
