import Foundation
import OffersTestSupport
import TestStores
import Testing

/// A limit on the size of files stands for a full disk: SQLite cannot make its `-shm` file.
@Suite("A disk without room, and other things that the system refuses", .aboutFile)
struct FullDiskTests {
  private let home: Home

  /// The database has no file beside it, as after a move.
  init() async throws {
    home = try await Home(synced: [FeedItem("1", "Tea"), FeedItem("2", "Jam")])
    for ending in ["-wal", "-shm", "-lock"] { unlink(home.database + ending) }
  }

  private func withoutRoom(_ command: String) throws -> Home.ShellResult {
    try home.shell(
      "set -o pipefail; (trap '' XFSZ; ulimit -f 0; exec offers \(command)) 2>&1 | cat")
  }

  @Test("the database is read without writing, also if an attempt to write has left an empty index")
  func reads() throws {
    let bytes = try Data(contentsOf: URL(fileURLWithPath: home.database))
    for _ in 0..<2 {
      for command in ["list", "search tea", "show 1", "status", "changes"] {
        let result = try withoutRoom(command)
        #expect(result.status == 0, "\(command): \(result.output)")
      }
      #expect(try withoutRoom("list").output.contains("ibotta:2"))
      let star = try withoutRoom("favorite 1")
      #expect(star.status == 1)
      #expect(star.output.contains("Nothing was changed"), "\(star.output)")
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: home.database)) == bytes)
    #expect(try home.offers("favorite", "1").status == 0)
    #expect(try home.offers("list", "--favorites").output.contains("ibotta:1"))
  }

  @Test("a repair says why it could not be made")
  func repair() throws {
    let result = try withoutRoom("doctor --repair")
    #expect(result.status == 1)
    #expect(
      result.output.contains(
        /problem   database +\S.*-shm could not be used: .*Nothing was changed/),
      "\(result.output)")
  }

  @Test("too many open files are never called a foreign file, damage or a matter of permissions")
  func openFiles() throws {
    #expect(try home.offers("backup", home.folder.file("copy.sqlite")).status == 0)
    let result = try home.shell(
      """
      for count in {8..30}; do
        (ulimit -n $count; exec offers backup copy.sqlite) 2>&1 && break
      done; echo "with $count"
      """)
    #expect(result.output.contains("Too many open files"), "\(result.output)")
    for word in ["not a backup", "damaged", "ermission", "not a database"] {
      #expect(!result.output.contains(word), "\(result.output)")
    }
    #expect(result.output.contains("copy.sqlite: "), "\(result.output)")
  }

  @Test("SIGBUS, which a full disk raises, ends the program with a message and the exit code 1")
  func busError() throws {
    let result = try home.shell(
      """
      offers serve --port 0 --json > address & server=$!
      for try in {1..400}; do test -s address && break; sleep 0.05; done
      kill -BUS $server; wait $server; echo "status $?"
      """)
    #expect(result.output == "status 1\n")
    #expect(result.errors.contains("offers: The disk is full, or it failed"), "\(result.errors)")
  }
}
