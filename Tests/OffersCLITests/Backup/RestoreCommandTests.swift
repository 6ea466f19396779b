import Foundation
import GRDB
import OffersTestSupport
import TestStores
import Testing

@Suite("offers restore", .aboutFile, .serialized)
struct RestoreCommandTests {
  private let home: Home
  private let copy: String

  /// The database has two favorites, the backup one.
  init() async throws {
    home = try await Home(
      synced: (0..<2000).map { FeedItem("\($0)", "Tea \($0)", terms: "Buy one") })
    copy = home.folder.file("copy.sqlite")
    try await home.call("favorite", "1")
    try await home.call("backup", copy)
    try await home.call("favorite", "2")
  }

  private func stars() async throws -> Int {
    try await home.call("list", "--favorites").output.split(separator: "\n").count - 1
  }

  @Test("puts a backup in place, and tells where the old database is")
  func restores() async throws {
    #expect(try await stars() == 2)
    let result = try await home.expect("restore", copy)
    #expect(result.output.wholeMatch(of: /.*\/offers\.sqlite: \d+ kB, sound\n/) != nil)
    #expect(result.errors.hasPrefix("The old database is now \(home.database).before-"))
    #expect(try await stars() == 1)
    let document = try await home.callDocument("restore", copy)
    let aside = try #require(document["aside"] as? String)
    #expect(document["path"] as? String == home.database)
    let undone = try await home.call("list", "--favorites", "--database", aside)
    #expect(undone.output.split(separator: "\n").count == 2)
  }

  @Test("is refused with the process that has the database open, such as a server")
  func inUse() async throws {
    let result = try home.shell(
      """
      offers serve --port 0 --json > address & server=$!
      for try in {1..400}; do test -s address && break; sleep 0.05; done
      offers restore copy.sqlite; echo "status $?"; kill $server; wait $server; echo "server $server"
      offers restore copy.sqlite > /dev/null; echo "status $?"
      """)
    let pid = try #require(result.output.firstMatch(of: /server (\d+)/)?.output.1)
    #expect(result.output.contains("status 11") && result.output.contains("status 0"))
    #expect(result.errors.contains("is open in offers (process \(pid))."), "\(result.errors)")
    #expect(try await stars() == 1)
  }

  @Test("names the command for an export, and import that for a backup; compressed ones are named")
  func mistaken() async throws {
    let export = home.folder.file("saved.json")
    try await home.call("export", "-o", export)
    try await home.expect(
      "restore", export, status: 64,
      says: [
        "saved.json is an export, not a backup. Nothing was changed.", "offers import \(export)",
      ])
    try await home.expect("import", copy, status: 64, says: ["offers restore \(copy)"])
    #expect(try home.shell("gzip -k copy.sqlite saved.json").status == 0)
    for words in [["restore", copy + ".gz"], ["import", export + ".gz"]] {
      try await home.expect(words, status: 64, says: ["is compressed. Nothing was changed."])
    }
    #expect(try await stars() == 2)
  }

  @Test("says which parts of a backup this program did not create")
  func foreign() async throws {
    try await DatabaseQueue(path: copy).write { database in
      try database.execute(sql: "CREATE UNIQUE INDEX one ON session ((1))")
    }
    try await home.expect(
      "restore", copy, says: ["has parts that offers did not create: the index one"])
    let doctor = try await home.call("doctor")
    #expect(doctor.output.contains("the index one was not created by this program"))
  }

  @Test("refuses a damaged backup with the commands that save what it has")
  func damaged() async throws {
    #expect(
      try home.shell("head -c 16384 /dev/zero | dd of=copy.sqlite bs=8192 seek=4 conv=notrunc")
        .status
        == 0)
    try await home.expect("restore", copy, status: 1, says: ["offers restore --salvage \(copy)"])
    try await home.expect("restore", "missing", status: 66)
    #expect(try await stars() == 2)
  }

  @Test("that is killed leaves the old database or the new one, and the other one aside")
  func killed() async throws {
    var killCount = 0
    for round in 0..<16 {
      let process = try OffersProgram.start(["restore", copy], environment: home.environment)
      usleep(UInt32(round) * 2500)
      process.send(SIGKILL)
      if process.wait() == -SIGKILL { killCount += 1 }
      let count = try await stars()
      let asides = try home.shell("ls offers.sqlite.before-* | grep -v -e -wal -e -shm -e -lock")
        .output
      #expect(count == (asides.isEmpty ? 2 : 1), "round \(round)")
      #expect(try home.integrity() == "ok\n")
      for name in asides.split(separator: "\n") {
        let path = home.folder.file(String(name))
        let old = try await home.call("list", "--favorites", "--database", path).output
        #expect(old.split(separator: "\n").count == 3)
        // The next round begins with the old database again.
        try await home.expect("restore", path)
      }
      _ = try home.shell("rm -f offers.sqlite.before-*")
    }
    #expect(killCount > 0)
    try await home.expect("doctor", "--repair")
    let names = try home.files
    #expect(!names.contains("offers.sqlite-restoring") && !names.contains("offers.sqlite-restored"))
  }
}
