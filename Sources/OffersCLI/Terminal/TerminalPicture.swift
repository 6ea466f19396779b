import ChildProcesses
import Foundation
import OffersCore

/// Drawings of images on a terminal. This program decodes no pixels: the terminal does, or the
/// program `chafa` in a separate process with resource limits.
enum TerminalPicture {
  /// The way in which a terminal shows an image: a graphics protocol, or characters.
  enum Way: Equatable {
    /// The graphics protocol of kitty: https://sw.kovidgoyal.net/kitty/graphics-protocol/
    case kitty
    /// The inline images of iTerm2: https://iterm2.com/documentation-images.html
    case iTerm
    case sixel
    /// Block characters, each of which draws two pixels.
    case symbols
  }

  /// The maximum size of a drawing in columns and lines.
  static let columns = 40
  private static let rows = 15
  /// The maximum length of a chunk in the kitty protocol, in characters.
  private static let pieceLength = 4096

  /// The way in which the terminal shows images, according to its environment variables.
  static func way(_ variable: (String) -> String?) -> Way {
    let terminal = variable("TERM") ?? ""
    let program = variable("TERM_PROGRAM") ?? ""
    // Terminal multiplexers do not pass graphics on.
    if variable("TMUX") != nil || terminal.hasPrefix("screen") || terminal.hasPrefix("tmux") {
      return .symbols
    }
    if terminal == "xterm-kitty" || terminal == "xterm-ghostty"
      || variable("KITTY_WINDOW_ID") != nil
    {
      return .kitty
    }
    if program == "iTerm.app" || program == "WezTerm" || variable("LC_TERMINAL") == "iTerm2" {
      return .iTerm
    }
    if ["foot", "mlterm", "contour", "yaft"].contains(where: terminal.hasPrefix) { return .sixel }
    return .symbols
  }

  enum Drawing: Equatable {
    case drawn(RenderedPicture)
    /// `chafa` is required and not installed.
    case needsChafa
    case failed
  }

  static func draw(
    _ image: CachedImage, _ way: Way, width: Int, colors: String, path: String
  ) -> Drawing {
    let header = image.header
    // Assumes that a character cell is 8 pixels wide and 16 pixels high.
    let columns = max(
      1, min(columns, width - 1, (header.width + 7) / 8, rows * 2 * header.width / header.height))
    switch way {
    case .iTerm:
      return .drawn(
        RenderedPicture(
          "\u{1B}]1337;File=inline=1;size=\(image.bytes.count);width=\(columns);"
            + "preserveAspectRatio=1:\(Data(image.bytes).base64EncodedString())\u{07}\n"))
    case .kitty where header.format == .png:
      return .drawn(
        RenderedPicture(kitty(Data(image.bytes).base64EncodedString(), columns) + "\n"))
    case .kitty, .sixel, .symbols:
      guard let chafa = Chafa(path: path) else { return .needsChafa }
      let format = way == .kitty ? "kitty" : way == .sixel ? "sixels" : "symbols"
      let drawing = chafa.draw(
        image.bytes,
        [
          "--format", format, "--colors", colors, "--animate", "off", "--symbols", "half+space",
          "--size", "\(columns)x\(rows)", "-",
        ])
      return drawing.map { .drawn(RenderedPicture($0)) } ?? .failed
    }
  }

  /// The value of the option `--colors` of `chafa`, according to the environment variables.
  static func colors(_ variable: (String) -> String?) -> String {
    if variable("NO_COLOR")?.isEmpty == false { return "none" }
    return ["truecolor", "24bit"].contains(variable("COLORTERM") ?? "") ? "full" : "256"
  }

  private static func kitty(_ text: String, _ columns: Int) -> String {
    var rest = text.utf8[...]
    var result = ""
    var keys = "a=T,f=100,c=\(columns),"
    repeat {
      let piece = rest.prefix(pieceLength)
      rest = rest.dropFirst(pieceLength)
      result +=
        "\u{1B}_G\(keys)m=\(rest.isEmpty ? 0 : 1);\(String(decoding: piece, as: UTF8.self))\u{1B}\\"
      keys = ""
    } while !rest.isEmpty
    return result
  }
}

/// The escape sequences and characters that draw an image on a terminal, including a line end. They
/// have no text of the image's source.
struct RenderedPicture: Equatable {
  let sequence: String

  fileprivate init(_ sequence: String) { self.sequence = sequence }
}

/// The program `chafa`, which draws images as text, sixels or in the kitty protocol.
/// https://hpjansson.org/chafa/man/
struct Chafa {
  private let program: BoundedProgram

  /// - Returns: nil if the program is not in any of them.
  init?(path: String) {
    let places: [String] = path.split(scalar: ":").map { "\($0)/chafa" }
    guard let found = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
    program = BoundedProgram(found, memoryKilobytes: 2_000_000, outputBytes: 8 << 20)
  }

  /// Draws an image; nil on failure. The result ends with a line end.
  func draw(_ bytes: [UInt8], _ options: [String]) -> String? {
    guard let drawing = try? program.output(options, input: bytes), !drawing.isEmpty else {
      return nil
    }
    let text = String(decoding: drawing, as: UTF8.self)
    return text.hasSuffix("\n") ? text : text + "\n"
  }
}
