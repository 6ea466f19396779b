import Foundation
import OffersCore

extension ChannelKind {
  static let webPush = ChannelKind(
    name: "webpush", summary: "sends to a browser that has subscribed on the page",
    example: "https://push.example.com/SUBSCRIPTION",
    isSubscription: true,
    options: [
      Option("p256dh", "the public key of the subscription", isRequired: true),
      Option("auth", "the secret of the subscription", isSecret: true, isRequired: true),
      Option("contact", "a mailto: or https: address of the operator, for the push service"),
    ],
    findSecret: { $0.startIndex..<$0.endIndex },
    make: { kind, values, tools in
      let channel = WebPushChannel(
        post: try NoticePost(values.word, of: kind, values, tools),
        publicKey: values["p256dh"] ?? "", secret: values["auth"] ?? "",
        contact: values["contact"] ?? WebPushChannel.anyContact,
        seal: try kind.required(tools.sealPush))
      // Keys that nothing can be encrypted for are refused before the first message.
      _ = try channel.sealed([])
      return channel
    })
}

/// Sends to the push service of a browser (RFC 8030), encrypted for the browser (RFC 8291) and authorized by the
/// server's key (RFC 8292).
///
/// The worker of the page gets JSON with `id`, `title`, `text`, `offer` (of a message about one) and `urgent`. A repeated message replaces one
/// that waits at the service by its `Topic`, and one that is shown by its `id`. 404 and 410 end the channel: the
/// subscription is gone. So do 401 and 403, with which a service refuses the server's key.
struct WebPushChannel: NoticeChannel {
  let post: NoticePost
  /// The keys of the subscription in Base64 for URLs.
  let publicKey: String
  let secret: String
  let contact: String
  let seal: ChannelTools.PushSealer

  /// How long the authorization is valid, in seconds; at most 24 hours.
  private static let authorizedSeconds = 12.0 * 3_600
  /// The contact of a server without a public address: services may refuse a request that names none (RFC 8292,
  /// section 2.1), and Apple's refuses one at `localhost` or a reserved name.
  fileprivate static let anyContact = "mailto:offers@example.org"

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    var post = post
    let sealed: SealedPush
    do {
      sealed = try self.sealed(Self.text(message))
    } catch {
      return .later("The message could not be encrypted. \(OffersError(error).message)")
    }
    post.headers = [
      HeaderField("content-type", "application/octet-stream"),
      HeaderField("content-encoding", "aes128gcm"),
      // The service keeps it for a browser that cannot be reached as long as other channels are tried.
      HeaderField("ttl", String(Int(UserChannel.triedSeconds))),
      HeaderField("urgency", message.isUrgent ? "high" : "normal"),
      HeaderField("topic", Self.topic(message.id)),
      HeaderField("authorization", sealed.authorization),
    ]
    return await post.send(sealed.body) { answer in
      answer.status == 404 ? answer.ended : answer.outcome
    }
  }

  /// - Throws: `OffersError` with `invalidRequest` for keys of another form.
  fileprivate func sealed(_ text: [UInt8]) throws -> SealedPush {
    let origin = HTTPAddress(post.url).map { HTTPOrigin($0.url) }
    return try seal(
      PushEnvelope(
        text: text, publicKey: publicKey, secret: secret,
        audience: origin.map { "\($0.scheme)://\($0.hostAndPort)" } ?? "",
        expiresAt: post.now() + Self.authorizedSeconds, contact: contact))
  }

  /// The text of a message, with as many entries as fit.
  static func text(_ message: NoticeMessage) -> [UInt8] {
    func text(_ limit: Int) -> [UInt8] {
      Array(
        JSONWriter.document { json in
          json.member("id", message.id)
          json.member("title", message.title)
          json.member("text", message.plainText(hasLinks: false, limit: limit))
          let isOfOne = message.entries.count == 1 && message.moreCount == 0
          json.member("offer", isOfOne ? message.entries.first?.offer?.description : nil)
          json.member("urgent", message.isUrgent)
        }.utf8)
    }
    let found = [2_400, 1_200, 400].lazy.map(text).first { $0.count <= PushEnvelope.mostBytes }
    return found
      ?? Array(
        JSONWriter.document {
          $0.member("id", message.id)
          $0.member("title", message.title)
        }.utf8)
  }

  /// A topic has at most 32 characters of Base64 for URLs. That of a UUID has all of its digits.
  static func topic(_ id: String) -> String {
    String(decoding: id.utf8.filter { $0 != UInt8(ascii: "-") }.suffix(32), as: UTF8.self)
  }
}

extension PushChannels {
  /// - Parameter delivery: makes the delivery of this program, with the present key of the server.
  package init(_ delivery: @escaping @Sendable () async throws -> NoticeDelivery) {
    self.init(
      settings: { try await delivery().settings(of: $0).json },
      isSubscription: { settings, endpoint in
        // Settings of a newer program are not of this subscription.
        let settings = try? ChannelSettings(json: settings)
        return settings?.kind == ChannelKind.webPush.name && settings?.words == [endpoint]
      },
      test: { try await delivery().test($0) })
  }
}

extension ChannelSettings {
  /// The settings of the channel of a browser's subscription.
  ///
  /// The subscription stays in them with its secret: nobody can use it without the key of the server, which is in
  /// the same database.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for an address that is no https URL on the public internet, and
  ///   for a variable, which would read a secret of the server.
  init(_ subscription: PushSubscription) throws(OffersError) {
    let address = HTTPAddress(subscription.endpoint)
    let texts = [subscription.endpoint, subscription.publicKey, subscription.secret]
    guard let address, address.url.scheme == "https", !address.isPrivate,
      !texts.contains(where: { $0.utf8.contains(UInt8(ascii: "{")) })
    else {
      throw OffersError(
        .invalidRequest, "The address of the subscription is not that of a push service.",
        hint: "Subscribe again on the page.")
    }
    var options = ["p256dh": subscription.publicKey, "auth": subscription.secret]
    // A service that cannot reach the page takes no address for a contact, either.
    if let page = subscription.page.flatMap(HTTPAddress.init), page.url.scheme == "https",
      page.literal == nil, !page.isPrivate
    {
      options["contact"] = page.url.absoluteString
    }
    try self.init(
      kind: ChannelKind.webPush.name, words: [subscription.endpoint], options: options)
  }
}
