import Hummingbird
import OffersCore
import OffersStore

/// The routes by which a page has its browser told by Web Push: the browser's subscription becomes a channel of the
/// user.
struct PushRoutes: ContentRoutes {
  var content: ServerDependencies
  let answers: Answers
  /// A few test messages are sent at a time, one of each user.
  private let turns = FairTurns<User.ID>(
    limit: 4, keyLimit: 1, waitingLimit: 16, keyWaitingLimit: 2)

  init(content: ServerDependencies, answers: Answers) {
    self.content = content
    self.answers = answers
  }

  func add(to router: Router<ServedContext>) {
    answers.read("/api/v1/push", ["endpoint"], on: router) { parameters, context in
      let channel = try await of(context).find(parameters.text("endpoint"))
      let key = try await publicKey()
      return .json { json in
        json.member("public_key", key)
        json.member("channel", channel?.name)
        json.member("paused_because", channel?.endedReason)
      }
    }
    router.post("/api/v1/push") { request, context in
      _ = try QueryParameters(request, [])
      let body = try await JSONBody(
        of: request, members: ["endpoint", "p256dh", "auth", "replaces"])
      let endpoint = try Self.endpoint(in: body)
      let replaced = try body.text("replaces")
      // The key exists before the first subscription, which is bound to it.
      _ = try await publicKey()
      let settings = try await content.push.settings(
        PushSubscription(
          endpoint: endpoint, publicKey: try body.text("p256dh") ?? "",
          secret: try body.text("auth") ?? "", page: request.namedOrigin))
      let isSubscription = content.push.isSubscription
      let channel = try await of(context).content.store.subscribe(
        named: DeviceName.text(of: request.headers[.userAgent] ?? ""), settings: settings,
        now: content.now()
      ) { settings in
        [endpoint, replaced].contains { $0.map { isSubscription(settings, $0) } ?? false }
      }
      return Answers.result { $0.member("channel", channel.name) }
    }
    router.write(.delete, "/api/v1/push", ["endpoint"]) { body, context in
      let routes = of(context)
      let channel = try await routes.find(try Self.endpoint(in: body))
      if let channel { try await routes.content.store.removeChannel(named: channel.name) }
      return Answers.result { $0.member("changed", channel != nil) }
    }
    router.write(.post, "/api/v1/push/test", ["endpoint"]) { body, context in
      let endpoint = try Self.endpoint(in: body)
      guard let channel = try await of(context).find(endpoint) else {
        throw Problem(
          .notFound, "This browser has no channel.",
          hint: "Allow notices in the settings of this browser.")
      }
      let outcome = try await turns.run(for: try context.fetchVisitor().user.id) {
        try await content.push.test(channel)
      }
      return Answers.result { json in
        json.member("delivered", outcome == .delivered)
        json.member("reason", outcome.reason)
      }
    }
  }

  private static func endpoint(in body: JSONBody) throws -> String {
    if let endpoint = try body.text("endpoint") { return endpoint }
    throw Problem(
      .badRequest, "The member “endpoint” is missing.",
      hint: "Send the address of the browser's subscription.")
  }

  /// The user's channel of a subscription; nil if there is none.
  private func find(_ endpoint: String?) async throws -> UserChannel? {
    guard let endpoint else { return nil }
    return try await content.store.fetchChannels().first {
      content.push.isSubscription($0.settings, endpoint)
    }
  }

  /// The public key that browsers bind their subscriptions to.
  private func publicKey() async throws -> String {
    let key = try await content.store.fetchServerKey(
      for: OffersDatabase.pushKeyPurpose, orStore: try PushSealer.makeKey())
    return try PushSealer(key: key).publicKey
  }
}
