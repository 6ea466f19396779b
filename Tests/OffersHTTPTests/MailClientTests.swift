import Foundation
import OffersCore
import OffersTestSupport
import Synchronization
import Testing

@testable import OffersHTTP
@testable import OffersSync

@Suite("Mails over SMTP")
struct MailClientTests {
  /// A server for one mail on a loopback port. It answers each command by the beginning of its line.
  private final class Server: Sendable {
    let port: UInt16
    let received = Mutex<[String]>([])
    /// The beginning of the line with the name and the password, in Base64.
    static let login = "AGFu"

    /// - Parameter answers: the answers that are not those of a server that takes the mail; nil to be silent, and an
    ///   empty one to end the connection.
    init(_ answers: [String: String?] = [:]) throws {
      let listener = try LoopbackListener()
      port = listener.port
      Thread.detachNewThread { [self] in
        guard let connection = listener.accept(milliseconds: LoopbackListener.patience) else {
          return
        }
        serve(connection, answers)
        close(connection)
      }
    }

    private func serve(_ connection: Int32, _ answers: [String: String?]) {
      let usual = [
        "EHLO": "250-here\r\n250 AUTH PLAIN", "HELO": "250 here", "AUTH": "334 ",
        Server.login: "235 welcome",
        "MAIL": "250 ok",
        "RCPT": "250 ok",
        "DATA": "354 go on", ".": "250 taken", "QUIT": "221 bye",
      ]
      func say(_ command: String) {
        guard let text = answers[command] ?? usual[command] ?? "220 here" else { return }
        _ = LoopbackListener.send("\(text)\r\n".utf8, to: connection)
      }
      say("")
      var rest = ""
      var isData = false
      var piece = [UInt8](repeating: 0, count: 4096)
      while LoopbackListener.waitForInput(connection, milliseconds: LoopbackListener.patience) {
        let count = recv(connection, &piece, piece.count, 0)
        if count <= 0 { return }
        rest += String(decoding: piece.prefix(count), as: UTF8.self)
        while let end = rest.utf8.firstRange(of: "\r\n".utf8) {
          let line = String(rest[..<end.lowerBound])
          rest = String(rest[end.upperBound...])
          received.withLock { $0.append(line) }
          if isData, line != "." { continue }
          let command = isData ? "." : String(line.prefix(4))
          isData = command == "DATA" && answers["DATA"] == nil
          if answers[command] == "" { return }
          say(command)
        }
      }
    }
  }

  private static func send(
    _ server: Server, user: String? = nil, mail: String = "Subject: a\r\n\r\nx\r\n.y\r\n"
  ) async throws -> DeliveryOutcome {
    let login = user.map { ["user": $0, "password": "pass"] } ?? [:]
    let values = ChannelValues(
      words: [], options: ["tls": "none"].merging(login) { $1 }, mayBePrivate: false,
      secrets: SecretRedactor())
    var submission = try MailSubmission(
      "smtp://127.0.0.1:\(server.port)", "from@home.example", "ann@example.com", values)
    submission.mail = Array(mail.utf8)
    return await MailClient.send(submission)
  }

  @Test("a mail is handed over with its sender, its receiver and a login")
  func delivered() async throws {
    let server = try Server()
    #expect(try await Self.send(server, user: "ann") == .delivered)
    let lines = server.received.withLock { $0 }
    #expect(lines.contains { $0.hasPrefix("AUTH PLAIN") })
    #expect(lines.contains { $0.hasPrefix("MAIL FROM:<from@home.example>") })
    #expect(lines.contains("RCPT TO:<ann@example.com>"))
    #expect(lines.contains("x") && lines.contains("..y"))
  }

  @Test(
    "4xx is tried again, and 5xx ends the channel or refuses the mail",
    arguments: [
      ("", "421 busy", "later"), ("MAIL", "451 later", "later"),
      ("RCPT", "450 greylisted", "later"),
      (".", "452 full", "later"), ("AGFu", "454 later", "later"), ("AGFu", "535 wrong", "ended"),
      ("RCPT", "550 no such user", "ended"), ("MAIL", "553 no such sender", "ended"),
      ("MAIL", "552 too large", "refused"), (".", "554 looks like spam", "refused"),
    ])
  func answers(_ command: String, _ answer: String, _ expected: String) async throws {
    let outcome = try await Self.send(try Server([command: answer]), user: "ann")
    let reason = try #require(outcome.reason)
    switch outcome {
    case .later: #expect(expected == "later")
    case .ended: #expect(expected == "ended")
    case .refused: #expect(expected == "refused")
    case .delivered: Issue.record("\(answer) is no delivery")
    }
    #expect(reason.contains(answer.dropFirst(4)) && reason.contains(answer.prefix(3)), "\(reason)")
    #expect(!reason.contains("pass"))
  }

  @Test("a connection that ends is tried again, whatever the server refused before")
  func dropped() async throws {
    let server = try Server(["EHLO": "502 not implemented", ".": ""])
    let outcome = try await Self.send(server)
    #expect(server.received.withLock { $0.contains("DATA") })
    guard case .later = outcome else {
      Issue.record("\(outcome)")
      return
    }
  }

  @Test("a server without TLS gets no mail and no login")
  func noTLS() async throws {
    let server = try Server()
    let values = ChannelValues(
      words: [], options: ["user": "ann", "password": "pass"], mayBePrivate: true,
      secrets: SecretRedactor())
    var submission = try MailSubmission(
      "smtp://127.0.0.1:\(server.port)", "a@b.c", "ann@example.com", values)
    submission.mail = Array("x\r\n".utf8)
    let outcome = await MailClient.send(submission)
    #expect(outcome.reason?.contains("has no TLS") == true)
    #expect(
      !server.received.withLock { $0 }.contains { $0.hasPrefix("AUTH") || $0.hasPrefix("MAIL") })
  }
}
