import Foundation
import OffersTestSupport

/// A Markdown page of the documentation, as the tests compare it with the program.
struct DocumentPage {
  let path: String
  let text: String

  /// - Parameter path: from the package's folder.
  init(_ path: String) throws {
    self.path = path
    text = try PackageFolder.text(of: path)
  }

  static func readme() throws -> DocumentPage { try DocumentPage("README.md") }

  static func commands() throws -> DocumentPage {
    try DocumentPage("Sources/OffersCLI/OffersCLI.docc/Commands.md")
  }

  static func feeds() throws -> DocumentPage {
    try DocumentPage("Sources/OffersFeeds/OffersFeeds.docc/Feeds.md")
  }

  static func server() throws -> DocumentPage {
    try DocumentPage("Sources/OffersServer/OffersServer.docc/Server.md")
  }

  /// The lines below the first heading that begins so, up to the next heading of its level or a higher
  /// one.
  func section(_ heading: String) -> String {
    let level = heading.prefix { $0 == "#" }.count
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let below = lines.drop { !$0.hasPrefix(heading) }.dropFirst()
    return below.prefix { line in
      let hashes = line.prefix { $0 == "#" }.count
      return hashes == 0 || hashes > level
    }.joined(separator: "\n")
  }

  /// The contents of the fenced blocks of a language.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  /// The relative links to files, without their anchors.
  var links: [String] {
    text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/).map { String($0.output.1) }
  }

  /// Where a relative link leads, from the package's folder.
  func target(of link: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return ((folder as NSString).appendingPathComponent(link) as NSString).standardizingPath
  }

  /// The steps of all console blocks: a command, and the lines that are shown below it.
  var consoleSteps: [(command: String, output: String)] {
    blocks("console").flatMap { block in
      ("\n" + block).components(separatedBy: "\n$ ").dropFirst().map { step in
        let lines = step.components(separatedBy: "\n")
        return (lines[0], lines.dropFirst().joined(separator: "\n"))
      }
    }
  }
}
