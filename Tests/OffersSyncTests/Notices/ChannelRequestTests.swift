import Foundation
import OffersCore
import Testing

@testable import OffersSync

@Suite("Requests of channels over HTTP")
struct ChannelRequestTests {
  private typealias Sample = ChannelSample

  @Test("ntfy gets JSON at the root of its server, with the topic in it alone")
  func ntfy() async throws {
    let transport = Sample.Transport(200)
    let channel = try Sample.channel(
      "ntfy", ["https://ntfy.example/base/coffee_7c1"], ["token": "{env:T}"],
      variables: ["T": "tk_1"], transport)
    #expect(await channel.deliver(Sample.message(isUrgent: true)) == .delivered)
    let request = try #require(transport.requests.first)
    #expect(request.url.absoluteString == "https://ntfy.example/base/")
    #expect(request.headers.first(name: "authorization") == "Bearer tk_1")
    let document = transport.document
    #expect(document["topic"] as? String == "coffee_7c1")
    #expect(document["title"] as? String == "Coffee <b>rose</b>")
    #expect((document["message"] as? String)?.hasPrefix("Coffee & <Tea> 0 The reward") == true)
    #expect(document["priority"] as? Int == 5)
    #expect(document["click"] as? String == "https://shop.example/0")
    #expect(document["sequence_id"] as? String == "n-1")
    let actions = document["actions"] as? [[String: String]]
    #expect(actions?.first?["url"] == "https://shop.example/0")
  }

  @Test("a login of ntfy by name is sent as Basic, and a long text fits")
  func ntfyLogin() async throws {
    let transport = Sample.Transport(200)
    let channel = try Sample.channel(
      "ntfy", ["https://ntfy.example/t"], ["user": "ann", "password": "{env:P}"],
      variables: ["P": "a:b c"], transport)
    let message = Sample.message(entries: 20, sentence: String(repeating: "ü", count: 300))
    _ = await channel.deliver(message)
    #expect(
      transport.requests.first?.headers.first(name: "authorization")
        == "Basic " + Data("ann:a:b c".utf8).base64EncodedString())
    let text = transport.document["message"] as? String ?? ""
    #expect(text.utf8.count <= 4_000 && text.hasSuffix("more: offers notices"))
  }

  @Test("Gotify gets the token in a header field, and the link for a click")
  func gotify() async throws {
    let transport = Sample.Transport(200)
    let channel = try Sample.channel(
      "gotify", ["https://push.example/g/"], ["token": "A.b"], transport)
    _ = await channel.deliver(Sample.message(link: "https://home.example/news"))
    let request = try #require(transport.requests.first)
    #expect(request.url.absoluteString == "https://push.example/g/message")
    #expect(request.headers.first(name: "x-gotify-key") == "A.b")
    #expect(transport.document["priority"] as? Int == 5)
    let extras = transport.document["extras"] as? [String: [String: Any]]
    let click = extras?["client::notification"]?["click"] as? [String: String]
    #expect(click?["url"] == "https://home.example/news")
    #expect(extras?["offers::notice"]?["id"] as? String == "n-1")
  }

  @Test("Telegram gets its own HTML, in which a feed's text is text")
  func telegram() async throws {
    let transport = Sample.Transport(200)
    let channel = try Sample.channel("telegram", ["4711"], ["token": Sample.botToken], transport)
    _ = await channel.deliver(Sample.message())
    let request = try #require(transport.requests.first)
    #expect(
      request.url.absoluteString == "https://api.telegram.org/bot\(Sample.botToken)/sendMessage")
    #expect(transport.document["chat_id"] as? String == "4711")
    #expect(transport.document["parse_mode"] as? String == "HTML")
    #expect(
      transport.document["text"] as? String
        == "<b>Coffee &lt;b&gt;rose&lt;/b&gt;</b>\n\n<a href=\"https://shop.example/0\">"
        + "Coffee &amp; &lt;Tea&gt; 0</a> The reward rose from $2.00 to $3.00.")
  }

  @Test("a text for Telegram has at most 4,096 UTF-16 units")
  func telegramLimit() {
    for sentence in [String(repeating: "👩‍👩‍👧‍👦", count: 300), String(repeating: "&", count: 300)] {
      let message = Sample.message(
        entries: 30, sentence: sentence,
        link: "https://a.example/" + String(repeating: "x", count: 9_000))
      let text = TelegramChannel.text(message)
      #expect(text.utf16.count <= 4_096 && text.hasSuffix("more: offers notices"))
    }
  }

  @Test("a webhook names its id and its time, and signs by each key")
  func webhook() async throws {
    let transport = Sample.Transport(204)
    let old = "whsec_" + Data(repeating: 9, count: 32).base64EncodedString()
    let channel = try Sample.channel(
      "webhook", ["https://hook.example/x"], ["secret": Sample.webhookSecret, "old_secret": old],
      transport)
    #expect(await channel.deliver(Sample.message()) == .delivered)
    let headers = try #require(transport.requests.first).headers
    #expect(headers.first(name: "webhook-id") == "n-1")
    #expect(headers.first(name: "webhook-timestamp") == "1800000000")
    // The tools of the tests sign with the key itself.
    #expect(
      headers.first(name: "webhook-signature")
        == "v1,\(Sample.webhookSecret.dropFirst(6)) v1,\(old.dropFirst(6))")
    #expect(transport.document["type"] as? String == "offers.notice")
    #expect((transport.document["data"] as? [String: Any])?["id"] as? String == "n-1")
  }

  @Test("Web Push says how long a message waits, how urgent it is, and which one it replaces")
  func webPush() async throws {
    let transport = Sample.Transport(201)
    let channel = try Sample.channel(
      "webpush", ["https://push.example:8443/p/x"], ["p256dh": "BA", "auth": "xx"], transport)
    let message = Sample.message(entries: 20, sentence: String(repeating: "\"", count: 300))
    #expect(await channel.deliver(message) == .delivered)
    let request = try #require(transport.requests.first)
    #expect((request.body?.count ?? 0) <= PushEnvelope.mostBytes)
    #expect(request.headers.first(name: "ttl") == "604800")
    #expect(request.headers.first(name: "urgency") == "normal")
    #expect(request.headers.first(name: "topic") == "n1")
    #expect(request.headers.first(name: "content-encoding") == "aes128gcm")
    #expect(
      request.headers.first(name: "authorization") == "vapid t=https://push.example:8443, k=BA")
    #expect(transport.document["title"] as? String == "Coffee <b>rose</b>")
    #expect(transport.document["offer"] is NSNull)
    let topic = WebPushChannel.topic("6F9619FF-8B86-D011-B42D-00C04FC964FF")
    #expect(topic == "6F9619FF8B86D011B42D00C04FC964FF")
  }

  @Test(
    "a subscription is kept whole, is shown as the push service alone, and names the page as its contact"
  )
  func subscription() async throws {
    for (page, contact) in [
      ("https://offers.example.org:8443", "https://offers.example.org:8443"),
      ("http://offers.example.org", nil), ("https://localhost:8080", nil), ("https://9.9.9.9", nil),
      (nil, nil),
    ] {
      let settings = try ChannelSettings(
        PushSubscription(
          endpoint: "https://push.example/p/secret", publicKey: "BA", secret: "xx", page: page))
      #expect(settings.options["contact"] == contact, "\(page ?? "")")
      #expect(settings.shownWords == ["push.example"])
      let (stored, secrets) = try settings.separatingSecrets(of: "phone")
      #expect(stored == settings && secrets.isEmpty)
      let transport = Sample.Transport(201)
      #expect(
        await (try stored.makeChannel(Sample.tools(transport))).deliver(Sample.message())
          == .delivered)
      #expect(transport.document["offer"] as? String == "ibotta:0")
    }
  }
}
