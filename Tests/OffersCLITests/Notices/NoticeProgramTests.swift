import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Programs that deliver notices")
struct NoticeProgramTests {
  private static func shell(_ script: String, seconds: Double = 60) async -> DeliveryOutcome {
    await NoticeProgram.run(
      ["/bin/sh", "-c", script], input: Array("{\"id\":\"n-1\"}\n".utf8), seconds: seconds)
  }

  @Test("exit status 0 is a delivery, and every other end is tried again")
  func statuses() async {
    #expect(await Self.shell("exit 0") == .delivered)
    #expect(
      await Self.shell("echo no >&2; exit 75")
        == .later(after: nil, reason: "sh exited with status 75 (try again): no."))
    #expect(
      await Self.shell("exit 1") == .later(after: nil, reason: "sh exited with status 1."))
    #expect(
      await Self.shell("kill -9 $$") == .later(after: nil, reason: "sh was ended by signal 9."))
    let missing = await NoticeProgram.run(["no-such-program"], input: [])
    #expect(missing.reason?.contains("no-such-program") == true)
  }

  @Test("the message is on standard input, and the environment is as cron's")
  func surroundings() async throws {
    let folder = try TemporaryFolder()
    setenv("OFFERS_TEST_SECRET", "s3cr3t", 1)
    let outcome = await Self.shell(
      "cat >'\(folder.file("in"))'; env >'\(folder.file("env"))'; pwd >'\(folder.file("pwd"))'")
    #expect(outcome == .delivered)
    let read = { (name: String) in try String(contentsOfFile: folder.file(name), encoding: .utf8) }
    #expect(try read("in") == "{\"id\":\"n-1\"}\n")
    let names = try Set(read("env").split(scalar: "\n").map { String($0.prefix { $0 != "=" }) })
    #expect(
      names.subtracting(["PWD", "OLDPWD", "SHLVL", "_"])
        == ["HOME", "LOGNAME", "USER", "SHELL", "LC_ALL", "PATH"])
    #expect(try read("pwd") == NSHomeDirectory() + "\n")
  }

  @Test("no shell reads the words")
  func words() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("made")
    let outcome = await NoticeProgram.run(
      ["/bin/true", "$(touch \(path))", "; touch \(path)"], input: [])
    #expect(outcome == .delivered && !FileManager.default.fileExists(atPath: path))
    #expect(await NoticeProgram.run(["true"], input: []) == .delivered)
  }

  @Test("a program that does not read, or prints without end, does no harm")
  func floods() async {
    let input = [UInt8](repeating: 0x20, count: 1 << 20)
    #expect(await NoticeProgram.run(["true"], input: input) == .delivered)
    let outcome = await Self.shell(
      "head -c 3000000 /dev/zero | tr '\\0' x >&2; echo end >&2; exit 1")
    #expect((outcome.reason?.count ?? 0) <= DeliveryOutcome.longestReason)
  }

  @Test(
    "after its time a program is ended with those that it has started, even if they ignore SIGTERM")
  func late() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("pids")
    let outcome = await Self.shell(
      "trap '' TERM; (trap '' TERM; sleep 600) & echo $! $$ >'\(path)'; sleep 600", seconds: 0.5)
    #expect(outcome == .later(after: nil, reason: "sh took longer than 1 second."))
    let pids = try String(contentsOfFile: path, encoding: .utf8).split(
      whereSeparator: \.isWhitespace
    )
    .compactMap { Int32($0) }
    #expect(pids.count == 2)
    for pid in pids {
      // An ended child of another process stays in the list until that one asks for it. The system may need a moment
      // to end it.
      let deadline = ContinuousClock.now + .seconds(20)
      func lives() -> Bool {
        let status = try? String(contentsOfFile: "/proc/\(pid)/stat", encoding: .utf8)
        return status.map { !$0.contains(") Z ") } ?? false
      }
      while lives(), ContinuousClock.now < deadline { await Task.yield() }
      #expect(!lives())
    }
  }

  @Test("a cancelled delivery ends the program")
  func cancelled() async {
    let task = Task { await Self.shell("sleep 600") }
    task.cancel()
    #expect(await task.value == .later(after: nil, reason: "sh was stopped."))
  }
}
