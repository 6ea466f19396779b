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

  func bold(_ text: String) -> String { set(text, "1") }
  func faint(_ text: String) -> String { set(text, "2") }
  func good(_ text: String) -> String { set(text, "32") }
  func bad(_ text: String) -> String { set(text, "31") }
  func star(_ text: String) -> String { set(text, "33") }

  private func set(_ text: String, _ code: String) -> String {
    isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
