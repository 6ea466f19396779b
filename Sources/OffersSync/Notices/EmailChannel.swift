import Foundation
import OffersCore

extension ChannelKind {
  static let email = ChannelKind(
    name: "email", summary: "sends a mail, by a server or by this machine's sendmail",
    example: "ann@example.com",
    options: [
      Option("server", "smtps://HOST or smtp://HOST, with a port if it is not 465 or 587"),
      Option("user", "the name for the login at the server"),
      Option("password", "the password for the login", isSecret: true),
      Option("from", "the address of the sender, if it is not that of the receiver"),
      Option("tls", "none, for a server on this machine that has no TLS"),
      Option(
        "sendmail", "the path of sendmail, if there is no server and it is not /usr/sbin/sendmail"),
    ]
  ) { kind, values, tools in
    let (receiver, sender) = (values.word, values["from"] ?? values.word)
    for address in [receiver, sender] where !EmailChannel.isAddress(address) {
      throw kind.refusal(
        "“\(SafeText.line(address, characters: 80))” is no address for mail in ASCII.")
    }
    guard (values["user"] == nil) == (values["password"] == nil) else {
      throw kind.refusal(
        "The login has a part only.", hint: "Give a user and a password, or none of them.")
    }
    var channel = EmailChannel(receiver: receiver, sender: sender, secrets: values.secrets) { _ in
      .later("No mail can be sent.")
    }
    guard let text = values["server"] else {
      let run = try kind.required(tools.run)
      // -t reads the receiver from the head of the mail; -i does not end the mail at a line with a dot.
      let words = [values["sendmail"] ?? "/usr/sbin/sendmail", "-t", "-i"]
      channel.send = { await run(words, $0) }
      return channel
    }
    let sendMail = try kind.required(tools.sendMail)
    let submission = try MailSubmission(text, sender, receiver, values)
    channel.send = { mail in
      var submission = submission
      submission.mail = mail
      return await sendMail(submission)
    }
    return channel
  }
}

/// Sends a message as a mail of plain text and HTML (RFC 5322, RFC 2045, RFC 2046).
///
/// The Message-ID is made of the message's id, so that a mail program shows a repeated mail once. The mail says
/// that a program has sent it (RFC 3834), so that nobody's absence is told to it.
struct EmailChannel: NoticeChannel {
  let receiver: String
  let sender: String
  let secrets: SecretRedactor
  /// Sends a mail, by a server or a program.
  var send: @Sendable (_ mail: [UInt8]) async -> DeliveryOutcome

  init(
    receiver: String, sender: String, secrets: SecretRedactor,
    send: @escaping @Sendable (_ mail: [UInt8]) async -> DeliveryOutcome
  ) {
    self.receiver = receiver
    self.sender = sender
    self.secrets = secrets
    self.send = send
  }

  func deliver(_ message: NoticeMessage) async -> DeliveryOutcome {
    await send(Array(mail(message).utf8)).hiding(secrets)
  }

  /// The mail, with CR LF at the end of each line.
  func mail(_ message: NoticeMessage) -> String {
    let domain = sender.split(scalar: "@").last ?? "localhost"
    // The parts are in Base64, in which no line begins with two hyphens.
    let boundary = "offers-\(message.id)"
    var head = [
      "Date: \(Self.date(message.time))",
      "From: offers <\(sender)>",
      "To: <\(receiver)>",
      "Subject: \(Self.encoded(message.title, after: "Subject: "))",
      "Message-ID: <\(message.id)@\(domain)>",
      "Auto-Submitted: auto-generated",
      "MIME-Version: 1.0",
      "Content-Type: multipart/alternative; boundary=\"\(boundary)\"",
    ]
    if let link = message.settingsLink, link.absoluteString.utf8.count < 900 {
      head.append("List-Unsubscribe: <\(link.absoluteString)>")
    }
    if message.isUrgent { head.append("Importance: high") }
    let parts = [("plain", message.plainDocument), ("html", message.htmlDocument)].flatMap {
      kind, text in
      [
        "--\(boundary)", "Content-Type: text/\(kind); charset=utf-8",
        "Content-Transfer-Encoding: base64", "", Self.base64(text),
      ]
    }
    return (head + [""] + parts + ["--\(boundary)--", ""]).joined(separator: "\r\n")
  }

  /// A text in Base64, in lines of 76 characters.
  private static func base64(_ text: String) -> String {
    Data(text.utf8).base64EncodedString(
      options: [.lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed])
  }

  /// A text for a field of the head: itself if it is short ASCII, otherwise encoded words of at most 75
  /// characters (RFC 2047, section 2), each on a line of its own and of whole characters.
  static func encoded(_ text: String, after name: String) -> String {
    let isPlain = text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } && !text.contains("=?")
    if isPlain, name.utf8.count + text.utf8.count <= 78 { return text }
    var words: [String] = []
    var bytes: [UInt8] = []
    // 39 bytes are 64 characters of an encoded word. A line has at most 76, the name of the field included.
    let most = 39
    for scalar in text.unicodeScalars {
      let next = Array(String(scalar).utf8)
      if bytes.count + next.count > most {
        words.append("=?utf-8?B?\(Data(bytes).base64EncodedString())?=")
        bytes = []
      }
      bytes += next
    }
    words.append("=?utf-8?B?\(Data(bytes).base64EncodedString())?=")
    return words.joined(separator: "\r\n ")
  }

  /// A time in UTC as RFC 5322 writes it, such as `Sun, 29 Nov 2026 13:47:45 +0000`.
  private static func date(_ time: Date) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss '+0000'"
    return format.string(from: time)
  }

  /// Whether a text is an address of printable ASCII characters without quotes, comments and brackets, which
  /// can stand in a head and in SMTP as it is.
  static func isAddress(_ text: String) -> Bool {
    let parts = text.split(scalar: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, text.utf8.count <= 254, !text.hasPrefix("-") else { return false }
    return parts.allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { (0x21..<0x7F).contains($0) && !"\"(),:;<>[\\]".utf8.contains($0) }
    }
  }
}

/// A mail and the server that takes it over, for the module that speaks SMTP.
package struct MailSubmission: Sendable {
  /// The server: `smtp://` or `smtps://`, a host and a port.
  package let server: String
  package let sender: String
  package let receiver: String
  package let user: String?
  package let password: String?
  /// Whether TLS is required, from the first byte on or by STARTTLS. Only a server on this machine may have
  /// none.
  package let isEncrypted: Bool
  /// Whether the server may be in a private network or on this machine.
  package let mayBePrivate: Bool
  /// The mail, with CR LF at the end of each line.
  package internal(set) var mail: [UInt8] = []

  /// The host and the port, for people.
  package var host: String { String(server.split(scalar: "/").last ?? "") }

  /// - Throws: `OffersError` with `invalidRequest` for an address of another form, one in a private network
  ///   that is not allowed, and a server elsewhere without TLS.
  init(
    _ text: String, _ sender: String, _ receiver: String, _ values: ChannelValues
  ) throws(OffersError) {
    let kind = ChannelKind.email
    let schemes = ["smtps": 465, "smtp": 587]
    let parts = text.split(scalar: ":", maxSplits: 1)
    guard parts.count == 2, let port = schemes[String(parts[0])], parts[1].hasPrefix("//"),
      let address = HTTPAddress("https:\(parts[1])"), ["", "/"].contains(address.url.path()),
      address.url.query() == nil, address.url.user() == nil
    else {
      throw kind.refusal(
        "The option server is not the address of a server for mail.",
        hint: "Write it as smtps://mail.example.com or smtp://mail.example.com:587.")
    }
    let isHere = address.literal?.isLoopback ?? (address.host == "localhost")
    guard values.mayBePrivate || isHere || !address.isPrivate else {
      throw OffersError(
        .invalidRequest, "\(address.host) is not on the public internet.",
        hint: .allowPrivateNetwork)
    }
    guard values["tls"] == nil || (values["tls"] == "none" && isHere && parts[0] == "smtp") else {
      throw kind.refusal(
        "The option tls is “none” for a server on this machine only.",
        hint:
          "Leave it out: the mail goes over TLS. For a server without TLS, let sendmail on this machine pass the mail on."
      )
    }
    let host = address.host.contains(":") ? "[\(address.host)]" : address.host
    server = "\(parts[0])://\(host):\(address.url.port ?? port)"
    self.sender = sender
    self.receiver = receiver
    user = values["user"]
    password = values["password"]
    isEncrypted = values["tls"] == nil
    mayBePrivate = values.mayBePrivate || isHere
  }
}
