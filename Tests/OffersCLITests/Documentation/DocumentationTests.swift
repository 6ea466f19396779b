import Foundation
import OffersTestSupport
import Testing

@Suite("The documentation pages")
struct DocumentationTests {
  private static let commandNames = [
    "sync", "list", "search", "show", "open", "image", "favorite", "hide", "household",
    "changes", "history", "watch", "channel", "notices", "status", "feeds", "cache", "prune",
    "export",
    "import", "migrate", "backup", "restore",
    "doctor",
    "schedule",
    "user", "serve", "token",
  ]
  /// The subcommands of each command that has subcommands.
  private static let subcommands = [
    "household": ["list", "add", "remove"],
    "feeds": [
      "list", "add", "show", "edit", "check", "guess", "set", "remove", "import", "export",
    ],
    "watch": ["list", "add", "show", "edit", "test", "pause", "resume", "remove"],
    "channel": ["list", "add", "test", "edit", "remove"],
    "notices": ["list", "publish", "addresses", "revoke"],
    "schedule": ["install", "show", "remove"],
    "user": ["list", "add", "rename", "role", "passphrase", "logout", "remove"],
    "token": ["list", "add", "revoke", "new"],
  ]

  private func help(_ arguments: [String] = []) throws -> String {
    try OffersProgram.run(arguments + ["--help"]).output
  }

  private func options(_ text: some StringProtocol) -> Set<String> {
    Set(String(text).matches(of: /--[a-z][a-z-]*/).map { String($0.output) })
  }

  /// The lines of a section outside of its code blocks.
  private func prose(_ section: String) -> String {
    let parts = section.components(separatedBy: "\n```")
    return stride(from: 0, to: parts.count, by: 2).map { parts[$0] }.joined()
  }

  private func part(of text: String, from start: String, to end: String) -> String {
    let rest = text.components(separatedBy: start).dropFirst().joined(separator: start)
    return rest.components(separatedBy: end).first ?? ""
  }

  private func page(of command: String) throws -> DocumentPage {
    try ["serve", "token"].contains(command) ? DocumentPage.server() : DocumentPage.commands()
  }

  @Test("the pages have a section for every command of the program, and no other")
  func hasEveryCommand() throws {
    let listed = part(of: try help(), from: "SUBCOMMANDS:", to: "See 'offers help")
    let names = listed.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    #expect(names.map(String.init) == Self.commandNames)
    let headings = try [DocumentPage.commands(), DocumentPage.server()].flatMap { page in
      page.text.matches(of: /\n## `offers ([a-z]+)/).map { String($0.output.1) }
    }
    #expect(headings == Self.commandNames)
  }

  @Test("the pages describe each subcommand", arguments: subcommands.keys.sorted())
  func hasEverySubcommand(command: String) throws {
    let below = part(of: try help([command]), from: "SUBCOMMANDS:", to: "See 'offers help")
    // Names are indented by two columns; wrapped descriptions are indented further.
    let names = below.matches(of: /\n  ([a-z]+)/).map { String($0.output.1) }
    #expect(names == Self.subcommands[command])
    let section = try page(of: command).section("## `offers \(command)")
    for name in names where name != "list" {
      #expect(section.contains("`\(command) \(name)"), "\(name)")
    }
  }

  @Test("the pages name no option that a command's help lacks", arguments: commandNames)
  func namesOptions(command: String) throws {
    let paths = Self.subcommands[command].map { $0.map { [command, $0] } } ?? [[command]]
    let help = try paths.map { try self.help($0) }.joined()
    let written = options(prose(try page(of: command).section("## `offers \(command)")))
    #expect(written.subtracting(options(help)).isEmpty)
  }

  @Test("the pages name every exit code that the help names")
  func exitCodes() throws {
    let section = try DocumentPage.commands().section("## Exit codes")
    let help = part(of: try help(), from: "EXIT CODES", to: "USAGE")
    for code in help.matches(of: /\d+/).map(\.output) {
      #expect(section.contains("| \(code) |"), "\(code)")
    }
  }

  @Test("the pages link to files that exist")
  func links() throws {
    let pages = try [
      DocumentPage.readme(), DocumentPage.commands(), DocumentPage.feeds(), DocumentPage.server(),
    ]
    #expect(pages.flatMap(\.links).count > 20)
    for page in pages {
      for link in page.links {
        let target = page.target(of: link)
        let exists = FileManager.default.fileExists(atPath: PackageFolder.file(target))
        #expect(exists, "\(page.path): \(link)")
      }
    }
  }

  /// Runs the commands of a page one after another in the same home.
  @Test(
    "the pages show the actual output of the commands",
    arguments: [DocumentPage.readme, DocumentPage.commands, DocumentPage.feeds])
  func consoleBlocks(page: @Sendable () throws -> DocumentPage) throws {
    let home = try Home()
    let steps = try page().consoleSteps
    #expect(!steps.isEmpty)
    for (command, shown) in steps {
      let result = try home.shell("unset OFFERS_DATABASE; " + command, mergingErrors: true)
      let printed = result.output.hasSuffix("\n") ? String(result.output.dropLast()) : ""
      #expect(
        home.stable(printed) == home.stable(shown.replacing("/home/ana", with: home.folder.path)),
        "\(command)")
    }
  }

  @Test("the pages show a feed definition that the program accepts")
  func definition() throws {
    let home = try Home()
    let path = try home.folder.write(
      try #require(DocumentPage.feeds().blocks("yaml").first), to: "feeds.yaml")
    let shown = try home.offers("feeds", "show", "coupons", "--config", path)
    #expect(shown.errors == "coupons: defined in \(path)\n")
    #expect(shown.output.contains("phone no."))
  }

  @Test("the pages show the JSON of an offer as the program prints it, apart from white space")
  func document() throws {
    func canonical(_ text: String) throws -> String {
      let data = try JSONSerialization.data(
        withJSONObject: try Home.parse(text), options: [.sortedKeys])
      return String(decoding: data, as: UTF8.self)
    }
    let home = try Home()
    #expect(try home.offers("sync", "--quiet").status == 0)
    let shown = try canonical(try #require(DocumentPage.commands().blocks("json").first))
    let printed = try canonical(try home.offers("show", "900117", "--json").output)
    #expect(home.stable(shown) == home.stable(printed))
  }
}
