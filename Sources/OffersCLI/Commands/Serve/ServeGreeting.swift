import OffersServer

/// The lines that `offers serve` prints once it listens: its addresses, and on a terminal a QR code
/// with which a phone logs in.
struct ServeGreeting {
  /// The URL for this machine.
  let url: String
  /// The URLs for other devices, the best one first.
  let urls: [String]
  /// The server's URL and a pairing code for a phone; nil unless standard error is a terminal, so
  /// that no pairing code is written to a log.
  let invitation: PhoneInvitation?
  /// The name of the owner, whom the code logs in.
  let owner: String

  /// The text, without a line end.
  ///
  /// - Parameters:
  ///   - width: the width of the terminal. A wider QR code is left out.
  ///   - style: the colors. Without them a QR code is left out, because it could not be told from its
  ///     negative.
  func text(width: Int, style: Style) -> PrintedText {
    var lines: [PrintedText] = ["Serving at \(DisplayText.oneLine(url))"]
    let others = urls.filter { $0 != url }
    if !others.isEmpty {
      lines.append("Other devices reach it at")
      lines += others.map { "  \(DisplayText.oneLine($0))" }
    }
    guard let invitation else { return lines.joined(separator: "\n") }
    let code = style.bold(invitation.code)
    let page = DisplayText.oneLine(invitation.page)
    let connects = "To log a phone in as \(DisplayText.oneLine(owner)) (admin)"
    lines.append("")
    if let drawing = invitation.qrCode, style.isOn, drawing.width <= min(width, 80) {
      lines += drawing.blockLines.map(style.blackOnWhite)
      lines += ["", "\(connects), scan this with its camera,", "or open there", "  \(page)"]
    } else {
      lines += ["\(connects), open there", "  \(page)"]
    }
    lines.append("and type \(code). The code works once, within ten minutes.")
    return lines.joined(separator: "\n")
  }
}
