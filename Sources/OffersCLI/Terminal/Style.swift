import ArgumentParser

/// The colors of printed text.
///
/// Only the terminal's own 16 colors are used, so that they match its background.
struct Style: Sendable {
  /// When colors are printed.
  enum Mode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Colors are printed on a terminal, unless `TERM` is `dumb` or not set, or `NO_COLOR` is set
    /// (https://no-color.org).
    case auto
    case always
    case never
  }

  /// Whether colors are printed.
  let isOn: Bool

  static let plain = Style(.never, isTerminal: false) { _ in nil }

  init(_ mode: Mode, isTerminal: Bool, _ variable: (String) -> String?) {
    switch mode {
    case .always: isOn = true
    case .never: isOn = false
    case .auto:
      let term = variable("TERM") ?? ""
      isOn =
        isTerminal && !term.isEmpty && term != "dumb" && (variable("NO_COLOR") ?? "").isEmpty
    }
  }

  func bold(_ text: String) -> PrintedText { set(text, .bold) }
  func faint(_ text: String) -> PrintedText { set(text, .faint) }
  func good(_ text: String) -> PrintedText { set(text, .green) }
  func bad(_ text: String) -> PrintedText { set(text, .red) }
  func star(_ text: String) -> PrintedText { set(text, .yellow) }
  func blackOnWhite(_ text: String) -> PrintedText { set(text, .blackOnWhite) }

  private func set(_ text: String, _ look: PrintedText.Look) -> PrintedText {
    isOn && !text.isEmpty ? .styled(text, look) : .text(text)
  }
}
