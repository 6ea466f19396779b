import Foundation
import OffersTestSupport
import Testing

@Suite("Scripts")
struct ScriptTests {
  private func soak(_ program: String, seconds: Int, in home: Home) throws -> Home.ShellResult {
    let script = PackageFolder.file("Scripts/soak")
    return try home.shell(
      "unset OFFERS_DATABASE; OFFERS_PROGRAM='\(program)' '\(script)' \(seconds)")
  }

  /// A program that does one thing wrong and leaves the rest to `offers`.
  private func flawed(_ flaw: String, in home: Home) throws -> String {
    let path = try home.folder.write(
      "#!/bin/bash\n\(flaw)\nexec '\(OffersProgram.path)' \"$@\"\n", to: "flawed")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    return path
  }

  @Test("Four that star and four that sync meet no lock and lose nothing")
  func soak() throws {
    let home = try Home()
    let result = try soak(OffersProgram.path, seconds: 3, in: home)
    #expect(result.errors == "")
    #expect(result.output.hasSuffix("soak: passed\n"), "\(result.output)")
    #expect(result.status == 0)
  }

  @Test(
    "The soak notices a lock that is shown, a lost favorite and a refusal",
    arguments: [
      ("[[ $1 == list ]] || echo 'database is locked' >&2", "a lock was shown"),
      ("[[ $1 != favorite ]] || exit 0", "the favorites are not what was acknowledged"),
      ("[[ $1 != favorite ]] || exit 1", "a command failed"),
      ("[[ \"$*\" != list ]] || exit 0", "the feed is neither of its two versions"),
    ])
  func soakNotices(flaw: String, message: String) throws {
    let home = try Home()
    let result = try soak(try flawed(flaw, in: home), seconds: 1, in: home)
    #expect(result.errors.contains("soak: FAILED: \(message)"), "\(result.errors)")
    #expect(result.status == 1)
  }

  @Test("Every script is executable and valid bash")
  func scripts() throws {
    let home = try Home()
    for name in ["build", "offers", "start", "test", "check", "soak"].map({ "Scripts/" + $0 })
      + [".ci/run"]
    {
      let path = PackageFolder.file(name)
      #expect(FileManager.default.isExecutableFile(atPath: path), "\(name)")
      #expect(try home.shell("bash -n '\(path)'").status == 0, "\(name)")
    }
  }
}
