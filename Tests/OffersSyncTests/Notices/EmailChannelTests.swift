import Foundation
import OffersCore
import Synchronization
import Testing

@testable import OffersSync

@Suite("Mails of notices")
struct EmailChannelTests {
  private typealias Sample = ChannelSample

  private static func channel(sender: String = "offers@home.example") -> EmailChannel {
    EmailChannel(receiver: "ann@example.com", sender: sender, secrets: SecretRedactor()) { _ in
      .delivered
    }
  }

  @Test("a mail has the fields of its head, and both forms")
  func mail() throws {
    let mail = Self.channel().mail(Sample.message())
    let parts = mail.split(scalar: "\r", omittingEmptySubsequences: false)
    #expect(parts.dropFirst().allSatisfy { $0.utf8.first == UInt8(ascii: "\n") })
    let lines = parts.map { $0.trimmingCharacters(in: .newlines) }
    #expect(lines.allSatisfy { $0.utf8.count <= 78 })
    for line in [
      "Date: Fri, 15 Jan 2027 08:00:00 +0000", "From: offers <offers@home.example>",
      "To: <ann@example.com>", "Subject: Coffee <b>rose</b>", "Message-ID: <n-1@home.example>",
      "Auto-Submitted: auto-generated", "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"offers-n-1\"", "--offers-n-1--",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(lines.filter { $0 == "--offers-n-1" }.count == 2)
    let encoded = lines.drop { $0 != "Content-Transfer-Encoding: base64" }.dropFirst(2)
      .prefix { !$0.hasPrefix("--") }.joined()
    let plain = Data(base64Encoded: encoded).map { String(decoding: $0, as: UTF8.self) }
    #expect(plain == Sample.message().plainDocument)
  }

  @Test("a subject that is not ASCII, or looks encoded, is in encoded words of whole characters")
  func subject() {
    for text in [
      String(repeating: "Kaffee für 3 € 🍓 ", count: 4), "=?utf-8?Q?x?=",
      String(repeating: "a", count: 80),
    ] {
      let words = EmailChannel.encoded(text, after: "Subject: ").split(scalar: "\r")
        .map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
      #expect(words.allSatisfy { $0.utf8.count <= 66 })
      let decoded = words.map { word -> String in
        let base = word.dropFirst("=?utf-8?B?".count).dropLast(2)
        return Data(base64Encoded: String(base)).flatMap { String(data: $0, encoding: .utf8) }
          ?? "?"
      }
      #expect(decoded.joined() == text)
    }
    #expect(EmailChannel.encoded("3 new offers", after: "Subject: ") == "3 new offers")
  }

  @Test("without a server, sendmail reads the receiver from the head")
  func sendmail() async throws {
    let seen = Mutex<[String]>([])
    let settings = try ChannelSettings(kind: "email", words: ["ann@example.com"])
    let tools = Sample.tools { words, input in
      seen.withLock { $0 = words + [String(decoding: input.prefix(5), as: UTF8.self)] }
      return .delivered
    }
    #expect(await (try settings.makeChannel(tools)).deliver(Sample.message()) == .delivered)
    #expect(seen.withLock { $0 } == ["/usr/sbin/sendmail", "-t", "-i", "Date:"])
  }

  @Test("a server has the usual port, a login, and TLS")
  func server() async throws {
    for (text, expected) in [
      ("smtps://mail.example", "smtps://mail.example:465"),
      ("smtp://mail.example/", "smtp://mail.example:587"),
      ("smtp://[2606:4700::1]:2525", "smtp://[2606:4700::1]:2525"),
    ] {
      let seen = Mutex<MailSubmission?>(nil)
      let settings = try ChannelSettings(
        kind: "email", words: ["ann@example.com"],
        options: ["server": text, "user": "ann", "password": "{env:P}"])
      let tools = Sample.tools(
        variables: ["P": "pass"],
        sendMail: { mail in
          seen.withLock { $0 = mail }
          return .later("The server said pass.")
        })
      let outcome = await (try settings.makeChannel(tools)).deliver(Sample.message())
      #expect(outcome.reason == "The server said {env:P}.")
      let sent = try #require(seen.withLock { $0 })
      #expect(sent.server == expected && sent.password == "pass" && sent.isEncrypted)
      #expect(sent.sender == "ann@example.com" && !sent.mayBePrivate)
      #expect(sent.mail.starts(with: "Date: ".utf8))
    }
  }
}
