import Foundation
import OffersTestSupport
import TestStores
import Testing

@Suite("The choice of the database", .aboutFile)
struct DatabaseChoiceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func sync(_ arguments: [String], _ environment: [String: String]) async throws -> Int32 {
    let home = ["HOME": folder.file("home")].merging(environment) { $1 }
    return try await OffersProgram.call(["sync", "--quiet"] + arguments, environment: home).status
  }

  private func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.file(name))
  }

  @Test("The default database is in the home folder, created with private permissions")
  func home() async throws {
    #expect(try await sync([], [:]) == 0)
    let name = "home/.local/share/offers/offers.sqlite"
    #expect(exists(name))
    var information = stat()
    #expect(stat(folder.file(name), &information) == 0)
    #expect(information.st_mode & 0o777 == 0o600)
    #expect(stat(folder.file("home/.local/share/offers"), &information) == 0)
    #expect(information.st_mode & 0o777 == 0o700)
  }

  @Test("An absolute XDG_DATA_HOME moves the database; a relative one is ignored")
  func dataHome() async throws {
    #expect(try await sync([], ["XDG_DATA_HOME": folder.file("data")]) == 0)
    #expect(exists("data/offers/offers.sqlite"))
    #expect(!exists("home"))
    #expect(try await sync([], ["XDG_DATA_HOME": "data"]) == 0)
    #expect(exists("home/.local/share/offers/offers.sqlite"))
  }

  @Test("OFFERS_DATABASE overrides XDG_DATA_HOME, and --database overrides both")
  func named() async throws {
    let environment = [
      "XDG_DATA_HOME": folder.file("data"), "OFFERS_DATABASE": folder.file("named.sqlite"),
    ]
    #expect(try await sync([], environment) == 0)
    #expect(exists("named.sqlite") && !exists("data"))
    #expect(try await sync(["--database", folder.file("given.sqlite")], environment) == 0)
    #expect(exists("given.sqlite") && !exists("data"))
  }

  @Test(
    "A URL instead of a path is refused before anything is created",
    arguments: [
      "mysql://ana:secret@db.example/offers", "sqlite:///tmp/x", "file:///tmp/x?mode=ro",
      "https://x.example/y.sqlite", "a:/\u{301}b://c",
    ])
  func address(name: String) async throws {
    let commands = [
      ["sync"], ["list"], ["status"], ["feeds"], ["show", "1"], ["search", "tea"], ["doctor"],
      ["export"], ["restore", "--salvage"], ["backup", "copy"], ["changes"],
    ]
    for command in commands {
      for words in [command + ["--database", name], ["--database", name] + command, command] {
        let path = folder.file("")
        let environment = words == command ? ["OFFERS_DATABASE": name] : [:]
        let result = try await OffersProgram.expect(
          words, environment: ["HOME": path].merging(environment) { $1 }, status: 64,
          says: ["Only the path of a file is accepted."], output: "")
        #expect(!result.errors.contains("secret"), "it may be logged")
      }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    for made in ["mysql:", "sqlite:", "https:", "file:", "a:"] {
      #expect(!FileManager.default.fileExists(atPath: made))
    }
  }

  @Test(
    "a mistyped URL of a server is refused before anything is created, without its password",
    arguments: [
      "postgres//ana:secret@db.example/offers", "postgresql//ana:secret@db.example/offers",
      "postgres:/ana:secret@db.example/offers", "postgres:ana:secret@db.example",
      "postgre:ana:secret@db.example", "ana:secret@db.example:5432/offers",
      "db.example?user=o&password=secret", "db.example/offers?user=o&password=secret",
    ])
  func mistyped(name: String) async throws {
    for command in [["sync"], ["list"], ["doctor"], ["export"]] {
      let result = try await OffersProgram.expect(
        command + ["--database", name], environment: ["HOME": folder.file("")], status: 64,
        says: ["not a valid postgres:// URL"])
      #expect(!(result.output + result.errors).contains("secret"), "it may be logged")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("a server that cannot be reached is reported without the password of its URL")
  func unreachable() async throws {
    let home = folder.file("")
    let name = "postgres://ana:secret@127.0.0.1:1/offers"
    for command in ["sync", "list", "status", "feeds", "favorite 1", "export", "changes", "doctor"]
    {
      let words = command.split(separator: " ").map(String.init) + ["--database", name]
      let result = try await OffersProgram.expect(words, environment: ["HOME": home], status: 1)
      let all = result.output + result.errors
      #expect(all.contains("offers on 127.0.0.1:1 cannot be reached"), "\(words): \(all)")
      #expect(!all.contains("secret"), "it may be logged")
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("A name that SQLite could read as a URI is a file name")
  func oddName() throws {
    let home = try Home()
    let name = "file:x?mode=memory&cache=shared"
    for command in ["sync --quiet", "favorite 900117", "list --favorites"] {
      let result = try home.shell("offers \(command) --database '\(name)'")
      #expect(result.status == 0, "\(result.errors)")
      #expect(command == "sync --quiet" || result.output.contains("Harvest Row Pasta Sauce"))
    }
    #expect(home.exists(home.folder.file(name)))
    #expect(try home.shell("offers backup 'file:y?mode=memory' --database '\(name)'").status == 0)
    #expect(home.exists(home.folder.file("file:y?mode=memory")))
  }

  @Test("Commands that read do not create a missing database")
  func reading() async throws {
    for command in [["list"], ["status"], ["show", "1"], ["favorite", "1"]] {
      try await OffersProgram.expect(
        command, environment: ["HOME": folder.file("home")], status: 66,
        says: ["Make it with a sync: offers sync"])
    }
    #expect(!exists("home"))
  }
}
