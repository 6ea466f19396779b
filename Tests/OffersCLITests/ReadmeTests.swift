import Foundation
import OffersTestSupport
import Testing

@Suite("The README")
struct ReadmeTests {
  private static let commandNames = [
    "sync", "list", "search", "show", "open", "image", "favorite", "changes", "history", "status",
    "feeds", "cache", "prune", "export", "import", "backup", "doctor", "schedule",
    "serve",
  ]
  private let text: String

  init() throws { text = try PackageFolder.text(of: "README.md") }

  /// The lines below a heading, up to the next heading of its level or a higher one.
  private func section(_ heading: String) -> String {
    let level = heading.prefix { $0 == "#" }.count
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let below = lines.drop { !$0.hasPrefix(heading) }.dropFirst()
    return below.prefix { line in
      let hashes = line.prefix { $0 == "#" }.count
      return hashes == 0 || hashes > level
    }.joined(separator: "\n")
  }

  /// The fenced blocks of a language.
  private func blocks(_ language: String) -> [String] {
    text.components(separatedBy: "\n```\(language)\n").dropFirst().compactMap {
      $0.components(separatedBy: "\n```").first
    }
  }

  private func options(_ text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
  }

  private func part(of text: String, from start: String, to end: String) -> String {
    let rest = text.components(separatedBy: start).dropFirst().joined(separator: start)
    return rest.components(separatedBy: end).first ?? ""
  }

  /// The commands below others, in the order of their help.
  private static let lower = [
    "feeds": ["list", "add", "show", "check", "guess", "set", "remove"],
    "schedule": ["install", "show", "remove"],
  ]

  private func help(_ arguments: [String] = []) throws -> String {
    try OffersProgram.run(arguments + ["--help"]).output
  }

  @Test("Its reference has the very commands that the program has")
  func hasEveryCommand() throws {
    let listed = part(of: try help(), from: "SUBCOMMANDS:", to: "See 'offers help")
    let names = listed.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(names.map(String.init) == Self.commandNames)
    for (command, wanted) in Self.lower {
      let below = part(of: try help([command]), from: "SUBCOMMANDS:", to: "See 'offers help")
      // Names stand two columns in, what they do further.
      let found = below.matches(of: /\n  ([a-z]+)/).map { String($0.output.1) }
      #expect(found == wanted)
      // The list is what the command does by itself.
      for name in found where name != "list" { #expect(text.contains("`\(command) \(name)")) }
    }
    let headings = text.matches(of: /\n### `offers ([a-z]+)/).map { String($0.output.1) }
    #expect(headings == Self.commandNames)
  }

  @Test("Its reference has the very options that the help has", arguments: commandNames)
  func hasEveryOption(command: String) throws {
    var help = ""
    for words in Self.lower[command]?.map({ [command, $0] }) ?? [[command]] {
      help += part(of: try self.help(words), from: "\nOPTIONS:", to: "\u{0}")
    }
    let own = section("### `offers \(command)").components(separatedBy: "\n```")[0]
    let wanted = options(help)
    // Not every command takes all that many take.
    let common = options(section("### Common")).intersection(wanted)
    let written = options(own).union(common)
    #expect(written.subtracting(wanted).isEmpty, "not in the help")
    #expect(wanted.subtracting(written).isEmpty, "not in the README")
  }

  @Test("It names every exit code that the help names")
  func exitCodes() throws {
    let section = section("### Exit codes")
    let help = part(of: try help(), from: "EXIT CODES", to: "USAGE")
    for code in help.matches(of: /\d+/).map(\.output) {
      #expect(section.contains("| \(code) |"), "\(code)")
    }
  }

  @Test("Every file it links to is there")
  func links() {
    let links = text.matches(of: /\]\(([^)#:]+)\)/).map { String($0.output.1) }
    #expect(links.count > 5)
    for link in links {
      #expect(FileManager.default.fileExists(atPath: PackageFolder.file(link)), "\(link)")
    }
  }

  @Test("Its example of the library is code that compiles")
  func example() throws {
    let source = try PackageFolder.text(of: "Tests/OffersCLITests/ReadmeExample.swift")
    let example = part(of: source, from: "// README begins\n", to: "\n// README ends")
    #expect(blocks("swift").contains(example))
    #expect(example.split(separator: "\n").count <= 35)
  }

  @Test("The example of the library works")
  func exampleWorks() async throws {
    let home = try Home()
    let screen = try OffersScreen(path: home.database)
    try await screen.load()
    #expect(await screen.offers.isEmpty)
    let run = try await screen.refresh(from: try home.feed([FeedItem("1", "Tea")]))
    #expect(run.counts.new == 1)
    let offer = try #require(await screen.offers.first)
    try await screen.toggleStar(of: offer)
    #expect(await screen.offers.first?.isFavorite == true)
    try await screen.find("TEA")
    #expect(await screen.offers.map(\.name) == ["Tea"])
    #expect(try home.offers("list", "--favorites").output.contains("Tea"))
  }

  /// The commands of all console blocks are run in one home, in the order they are read.
  @Test("What it shows of the program is what the program prints")
  func consoleBlocks() throws {
    let home = try Home()
    #expect(blocks("console").count > 3)
    for block in blocks("console") {
      for step in ("\n" + block).components(separatedBy: "\n$ ").dropFirst() {
        let lines = step.components(separatedBy: "\n")
        let result = try home.shell("unset OFFERS_DATABASE; " + lines[0], mergingErrors: true)
        let shown = lines.dropFirst().joined(separator: "\n")
        let printed = result.output.hasSuffix("\n") ? String(result.output.dropLast()) : ""
        #expect(
          home.stable(printed) == home.stable(shown.replacing("/home/ana", with: home.folder.path)),
          "\(lines[0])")
      }
    }
  }

  @Test("The definition it shows is one")
  func definition() throws {
    let home = try Home()
    let path = try home.folder.write(try #require(blocks("yaml").first), to: "feeds.yaml")
    let shown = try home.offers("feeds", "show", "coupons", "--config", path)
    #expect(shown.errors == "")
    #expect(shown.output.contains("phone no."))
  }

  @Test("The document it shows is what the program prints, white space aside")
  func document() throws {
    func canonical(_ text: String) throws -> String {
      let data = try JSONSerialization.data(
        withJSONObject: try Home.parse(text), options: [.sortedKeys])
      return String(decoding: data, as: UTF8.self)
    }
    let home = try Home()
    #expect(try home.offers("sync", "--quiet").status == 0)
    let shown = try canonical(try #require(blocks("json").first))
    let printed = try canonical(try home.offers("show", "900117", "--json").output)
    #expect(home.stable(shown) == home.stable(printed))
  }

  @Test("It can be read in one sitting")
  func length() {
    #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count <= 560)
  }
}
