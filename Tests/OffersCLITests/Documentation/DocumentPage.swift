import Foundation
import OffersTestSupport

/// A Markdown page of the documentation, which tests compare with the program.
struct DocumentPage {
  let path: String
  let text: String

  /// - Parameter path: The path relative to the package's folder.
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

  /// Returns the lines below the first heading with the given prefix, up to the next heading of the
  /// same or a higher level.
  func section(_ heading: String) -> String {
    let level = heading.prefix { $0 == "#" }.count
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let below = lines.drop { !$0.hasPrefix(heading) }.dropFirst()
    return below.prefix { line in
      let hashes = line.prefix { $0 == "#" }.count
      return hashes == 0 || hashes > level
    }.joined(separator: "\n")
  }

  /// Returns the contents of the fenced code blocks in a language.
  func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  /// The relative links to files, without their anchors.
  var links: [String] {
    text.matches(of: /\]\(([^)#:]+)(?:#[^)]*)?\)/).map { String($0.output.1) }
  }

  /// Returns the path of a relative link's target, relative to the package's folder.
  func target(of link: String) -> String {
    let folder = (path as NSString).deletingLastPathComponent
    return ((folder as NSString).appendingPathComponent(link) as NSString).standardizingPath
  }

  /// The steps of all console blocks: each command with the output that the page shows below it.
  var consoleSteps: [(command: String, output: String)] {
    blocks("console").flatMap { block in
      ("\n" + block).components(separatedBy: "\n$ ").dropFirst().map { step in
        let lines = step.components(separatedBy: "\n")
        return (lines[0], lines.dropFirst().joined(separator: "\n"))
      }
    }
  }
}
