import Foundation
import HTTPTypes
import Hummingbird
import OffersCore

/// The documents for feed readers and calendars at addresses with a secret, which need no login: `changes.atom`,
/// `changes.json` and `expiries.ics`.
///
/// The secret is looked up by its SHA-256, so that the time of an answer tells nothing about others. It opens nothing but
/// these documents. A network that asks for unknown ones waits, ever longer; a known one is answered at any time.
struct FeedAddressRoutes: Sendable {
  let content: ServerDependencies
  let answers: Answers
  let access: VisitorAuthentication
  let basePath: BasePath
  /// The turns in which documents are made, which bounds the work that a feed reader can cause.
  private let turns = FairTurns<User.ID>(
    limit: 4, keyLimit: 2, waitingLimit: 256, keyWaitingLimit: 32)

  init(
    content: ServerDependencies, answers: Answers, access: VisitorAuthentication,
    basePath: BasePath
  ) {
    self.content = content
    self.answers = answers
    self.access = access
    self.basePath = basePath
  }

  func add(to router: Router<ServedContext>) {
    router.get("/out/{secret}/{document}") { request, context in
      let format = NoticeFeed.Format(fileName: try context.segment("document"))
      guard let format,
        let (address, user) = try await find(try context.segment("secret"))
      else { throw await refusal(of: context.client) }
      context.record.isBy(user)
      if let known = await answers.findAnswer(to: request, for: nil) { return known }
      return try await turns.run(for: user.id) {
        try await respond(to: request, address, of: user, format)
      }
    }
  }

  /// The address with a secret, and its user; nil if there is none.
  private func find(_ secret: String) async throws -> (address: FeedAddress, user: User)? {
    guard APITokenText.isRandomText(secret),
      let address = try await content.store.findFeedAddress(hash: APITokenText.hash(of: secret)),
      let user = try await access.users.fetch().find(address.user)
    else { return nil }
    return (address, user)
  }

  private func respond(
    to request: Request, _ address: FeedAddress, of user: User, _ format: NoticeFeed.Format
  ) async throws -> Response {
    let now = content.now()
    let store = content.store.bound(to: user)
    store.noteFeedAddress(address, usedAt: now)
    let server = try request.server(isSecure: access.settings.isSecure, below: basePath)
    do {
      return try await answers.answer(request, for: nil) {
        let text = try await store.fetchNoticeFeed(
          format, of: address.subject, address: URL(string: server + request.uri.path), now: now,
          content.texts)
        var answer = Answer(contentType: format.mediaType, body: ByteBuffer(string: text))
        // The other documents have the name by which the server was reached.
        answer.lifetime = format == .ics ? .whileNoneExpires : .never
        return answer
      }
    } catch let error as OffersError where error.code == .notFound {
      // The secret is right, and the watch or the feed was removed.
      throw Problem(.gone, error.message, hint: "Remove the address.", code: .notFound)
    }
  }

  /// The refusal of an unknown address, which is counted.
  private func refusal(of client: Peer) async -> Problem {
    let name = LoginAttempts.addresses(from: client.network)
    guard let wait = await access.attempts.begin([name], client) else {
      return Problem(
        .notFound, "There is no such address, or it was revoked.",
        hint: "Make one: offers notices publish", code: .notFound)
    }
    var problem = Problem(
      .tooManyRequests, "There is no such address, and too many others were asked for.",
      hint: "Try again in \(Units.count(wait, "second")). A right address is answered at any time.",
      code: .limitExceeded)
    problem.headers[.retryAfter] = String(wait)
    return problem
  }
}
