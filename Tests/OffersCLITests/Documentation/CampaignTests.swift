import Foundation
import OffersCore
import OffersTestSupport
import TestStores
import Testing

/// Short runs of the campaigns of `Scripts/soak`. A violation is printed with the command that
/// repeats it.
@Suite("Campaigns of faults and attacks", .aboutFile, .serialized)
struct CampaignTests {
  /// Runs a campaign on a thread of its own: it takes minutes, for which other tests would wait for the thread.
  private func soak(
    _ arguments: String, program: String = OffersProgram.path, in home: Home
  ) async throws -> Home.ShellResult {
    let script = PackageFolder.file("Scripts/soak")
    let command =
      "unset OFFERS_DATABASE; TMPDIR=\"$PWD\" OFFERS_PROGRAM='\(program)' '\(script)' \(arguments)"
    return try await OwnThread.run { try home.shell(command) }
  }

  @Test(
    "A short campaign finds no violation", arguments: ["faults", "attack"])
  func short(campaign: String) async throws {
    let home = try Home()
    let result = try await soak("\(campaign) --short --seed 1", in: home)
    #expect(result.errors == "")
    #expect(!result.output.contains("VIOLATION"), "\(result.output)")
    #expect(result.output.hasSuffix(": passed\n"), "\(result.output)")
    #expect(result.status == 0)
    // The scratch folder is removed.
    #expect(try home.shell("ls -d offers-soak-*").output == "")
  }

  @Test("A program that acknowledges what it did not write fails a campaign, which can be repeated")
  func violation() async throws {
    let home = try Home()
    let path = try home.folder.write(
      """
      #!/bin/bash
      [[ $1 != favorite || $2 != 7 ]] || exit 0
      exec '\(OffersProgram.path)' "$@"
      """, to: "flawed", mode: 0o755)
    let lost = try await soak(
      "faults --seed 1 --case kills/favorite/time/9000000/us", program: path, in: home)
    #expect(lost.output.contains("VIOLATION  kills at a time: "), "\(lost.output)\(lost.errors)")
    #expect(
      lost.output.contains("repeat: Scripts/soak faults --seed 1 --case kills/favorite/time/"))
    #expect(lost.status == 1)
  }

  @Test(
    "Wrong usage of a campaign ends with 64 and the usage",
    arguments: [
      "faults soon", "attack 0", "faults --no-such-option", "attack --seed", "failover", "20",
    ])
  func wrongUsage(arguments: String) async throws {
    let home = try Home()
    let result = try await soak(arguments, in: home)
    #expect(result.errors.contains("usage: Scripts/soak"))
    #expect(result.status == 64)
  }
}
