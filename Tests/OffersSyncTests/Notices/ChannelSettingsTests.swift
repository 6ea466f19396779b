import Foundation
import OffersCore
import OffersTestSupport
import Testing

@testable import OffersSync

@Suite("Settings of channels")
struct ChannelSettingsTests {
  private typealias Sample = ChannelSample

  @Test("settings are stored as JSON, and read again")
  func json() throws {
    let settings = try ChannelSettings(
      kind: "command", words: ["notify", "a \"b\" {c}", "{env:X}"], allowsPrivateNetwork: true)
    #expect(
      settings.json
        == #"{"kind":"command","words":["notify","a \"b\" {c}","{env:X}"],"options":{},"private":true}"#
    )
    #expect(try ChannelSettings(json: settings.json) == settings)
    for text in ["", "{}", #"{"kind":"fax","words":["x"],"options":{},"private":false}"#] {
      #expect(throws: OffersError.self) { try ChannelSettings(json: text) }
    }
  }

  @Test(
    "a mistake is refused with the place and the next step",
    arguments: [
      ("ntfi", ["https://a.example/t"], [:], "no kind of channel “ntfi”", "Did you mean ntfy?"),
      ("ntfy", [], [:], "needs its address", "ntfy https://ntfy.sh/TOPIC"),
      ("ntfy", ["https://a.example/t", "x"], [:], "one word, and not 2", "example"),
      ("ntfy", ["https://a.example/t"], ["tokn": "x"], "no option “tokn”", "Did you mean token?"),
      ("gotify", [], [:], "needs its address", "https://push.example.com, with the option token"),
      ("gotify", ["https://a.example"], [:], "needs token, the token of", "--option token=VALUE"),
      (
        "webpush", ["https://a.example"], [:], "needs p256dh, the public key",
        "--option p256dh=VALUE --option auth=VALUE"
      ),
      ("ntfy", ["https://a.example/\n"], [:], "control character", "example"),
      ("ntfy", ["https://a.example/{env:A-B}"], [:], "names no environment variable", "variable"),
      ("ntfy", ["https://a.example/{env:A}{page}"], [:], "{page}", "{env:NAME}"),
      ("ntfy", ["https://a.example/"], [:], "ends with no topic", "example"),
      ("ntfy", ["https://a.example/a+b"], [:], "ends with no topic", "example"),
      ("ntfy", ["ftp://a.example/t"], [:], "not an http or https URL", "example"),
      ("ntfy", ["https://ann:x@a.example/t"], [:], "a user or a password", "options"),
      ("ntfy", ["https://a.example/t"], ["user": "ann"], "a part of a login", "password"),
      ("ntfy", ["http://10.0.0.1/t"], [:], "10.0.0.1 is not on the public internet", "private"),
      ("gotify", ["http://router"], ["token": "x"], "router is not on the public", "private"),
      ("telegram", ["ann"], ["token": ChannelSample.botToken], "The chat is neither", "example"),
      ("telegram", ["1"], ["token": "secret"], "The option token is not", "BotFather"),
      ("webhook", ["https://a.example"], ["secret": "secret"], "The option secret is not", "Copy"),
      ("email", ["ann"], [:], "“ann” is no address", "example"),
      ("email", ["ann@example.com,b@c.d"], [:], "is no address", "example"),
      ("email", ["a@b.c"], ["server": "mail.example.com"], "The option server", "smtps://"),
      ("email", ["a@b.c"], ["server": "smtp://10.0.0.1"], "10.0.0.1 is not on the", "private"),
      (
        "email", ["a@b.c"], ["server": "smtp://a.example", "tls": "none"], "on this machine", "TLS"
      ),
      ("email", ["a@b.c"], ["user": "ann"], "The login has a part only", "password"),
      ("ntfy", ["https://a.example/{env:UNSET}"], [:], "UNSET is not set", "Set it"),
    ] as [(String, [String], [String: String], String, String)])
  func mistakes(
    _ kind: String, _ words: [String], _ options: [String: String], _ what: String, _ next: String
  ) throws {
    let error = #expect(throws: OffersError.self) {
      try Sample.channel(kind, words, options)
    }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains(what) == true, "\(error?.message ?? "")")
    #expect(error?.hint?.printed.contains(next) == true, "\(error?.hint?.printed ?? "")")
    // No message shows the value of a secret.
    #expect(error?.message.contains("secret\u{201D}") != true)
  }

  @Test("a server in a private network is allowed where its user said so")
  func privateNetwork() throws {
    _ = try Sample.channel("ntfy", ["http://10.0.0.1/t"], allowsPrivateNetwork: true)
    _ = try Sample.channel(
      "email", ["a@b.c"], ["server": "smtp://10.0.0.1"], allowsPrivateNetwork: true)
  }

  @Test("a secret that was written in the settings moves into a variable")
  func separation() throws {
    let (ntfy, topic) = try ChannelSettings(
      kind: "ntfy", words: ["https://ntfy.sh/{x}/coffee"], options: ["token": "tk", "user": "ann"]
    ).separatingSecrets(of: "my phone")
    #expect(ntfy.words == ["https://ntfy.sh/{{x}}/{env:OFFERS_CHANNEL_MY_20PHONE_ADDRESS}"])
    #expect(ntfy.options == ["token": "{env:OFFERS_CHANNEL_MY_20PHONE_TOKEN}", "user": "ann"])
    #expect(
      topic == [
        "OFFERS_CHANNEL_MY_20PHONE_ADDRESS": "coffee", "OFFERS_CHANNEL_MY_20PHONE_TOKEN": "tk",
      ])
    #expect(ntfy.ownVariables == Set(topic.keys))
    let (again, none) = try ntfy.separatingSecrets(of: "other")
    #expect(again == ntfy && none.isEmpty)
    let (hook, address) = try ChannelSettings(
      kind: "webhook", words: ["https://hook.example/T0/b?c=d"],
      options: ["secret": Sample.webhookSecret]
    ).separatingSecrets(of: "h")
    #expect(hook.words == ["{env:OFFERS_CHANNEL_H_ADDRESS}"])
    #expect(!hook.json.contains(Sample.webhookSecret) && !hook.json.contains("hook.example"))
    let transport = Sample.Transport(200)
    _ = try hook.makeChannel(Sample.tools(transport, variables: address))
  }

  @Test("a new key of a webhook is one that a webhook takes")
  func webhookKey() throws {
    let key = WebhookKey.random()
    #expect(try WebhookKey(key.text, of: "secret").bytes == key.bytes && key.bytes.count == 32)
    #expect(WebhookKey.random().text != key.text)
  }

  @Test("a command gets its words as they are, and JSON")
  func command() async throws {
    let settings = try ChannelSettings(
      kind: "command", words: ["/bin/tell", "$(reboot)", "a://{env:X}"])
    let tools = Sample.tools(variables: ["X": "s3cr3t-x"]) { words, input in
      let isRight =
        words == ["/bin/tell", "$(reboot)", "a://s3cr3t-x"]
        && String(decoding: input, as: UTF8.self) == Sample.message().json + "\n"
      return isRight ? .later("tell said s3cr3t-x.") : .delivered
    }
    let outcome = await (try settings.makeChannel(tools)).deliver(Sample.message())
    #expect(outcome == .later(after: nil, reason: "tell said {env:X}."))
  }

  @Test("secrets are in a file of their owner, which is changed at once")
  func secretsFile() throws {
    let folder = try TemporaryFolder()
    let secrets = ChannelSecrets(path: folder.file("secrets"))
    #expect(try secrets.read().isEmpty)
    try secrets.update { $0["B"] = "x=y z" }
    try secrets.update { $0["A"] = "é" }
    #expect(try String(contentsOfFile: secrets.path, encoding: .utf8) == "A=é\nB=x=y z\n")
    let mode = try FileManager.default.attributesOfItem(atPath: secrets.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
    let find = try secrets.lookUp { $0 == "C" ? "c" : "other" }
    #expect(find("A") == "é" && find("C") == "c")
    #expect(throws: OffersError.self) { try secrets.update { $0["A"] = "a\nB=b" } }
    #expect(try secrets.read() == ["A": "é", "B": "x=y z"])
  }

  @Test("a file that others may read, a folder and a line without a name are refused")
  func secretsFileRefusals() throws {
    let folder = try TemporaryFolder()
    let open = try folder.write("A=b\n", to: "open", mode: 0o640)
    let error = #expect(throws: OffersError.self) { try ChannelSecrets(path: open).read() }
    #expect(error?.code == .invalidRequest && error?.hint?.command?.hasPrefix("chmod 600") == true)
    let broken = try folder.write("# a comment\n\nA=b\n=c\n", to: "broken", mode: 0o600)
    let place = #expect(throws: OffersError.self) { try ChannelSecrets(path: broken).read() }
    #expect(place?.message.hasPrefix("Line 4 of ") == true)
    #expect(throws: OffersError.self) { try ChannelSecrets(path: folder.path).read() }
  }
}
