import ChildProcesses
import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite("Child processes")
struct ChildProcessTests {
  private func output(_ script: String) throws -> String? {
    try ChildProcess.output(of: ["sh", "-c", script]).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("wait returns the exit code or the negated signal, on repeated calls, too")
  func ends() throws {
    let well = try ChildProcess(["true"])
    #expect(well.wait() == 0)
    #expect(try ChildProcess(["sh", "-c", "exit 66"]).wait() == 66)
    let killed = try ChildProcess(["sleep", "600"])
    #expect(killed.isRunning)
    killed.send(SIGKILL)
    #expect(killed.wait() == -SIGKILL)
    #expect(!killed.isRunning)
    #expect(killed.wait() == -SIGKILL)
  }

  @Test("several tasks can wait for the same process")
  func waits() async throws {
    let process = try ChildProcess(["sh", "-c", "sleep 0.2; exit 3"])
    let codes = await withTaskGroup(of: Int32.self) { group in
      for _ in 0..<3 { group.addTask { process.wait() } }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(codes == [3, 3, 3])
  }

  @Test("starting a missing program throws notFound")
  func missing() throws {
    let error = #expect(throws: OffersError.self) { try ChildProcess(["no-such-program-of-ours"]) }
    #expect(error?.message.contains("no-such-program-of-ours") == true)
    #expect(error?.message.contains("No such file") == true)
  }

  @Test("a closed descriptor is refused as a stream")
  func closedStream() throws {
    #expect(throws: OffersError.self) { try ChildProcess(["true"], errors: .descriptor(-1)) }
  }

  @Test("a child has the given environment, working directory and streams")
  func surroundings() throws {
    let folder = try TemporaryFolder()
    let input = try folder.write("typed", to: "input")
    try folder.write("", to: "output")
    let reading = try #require(FileHandle(forReadingAtPath: input))
    let writing = try #require(FileHandle(forWritingAtPath: folder.file("output")))
    let process = try ChildProcess(
      ["/bin/sh", "-c", "cat; echo; echo \"$TEA\"; pwd; echo unseen >&2"],
      environment: ["TEA": "green = good"], folder: folder.path,
      from: reading, to: writing)
    #expect(process.wait() == 0)
    let text = try String(contentsOfFile: folder.file("output"), encoding: .utf8)
    let path = URL(fileURLWithPath: folder.path).resolvingSymlinksInPath().path
    #expect(text == "typed\ngreen = good\n\(path)\n")
  }

  @Test("a child inherits no descriptor except its streams")
  func openFiles() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("secret", to: "file")
    let descriptor = open(path, O_RDONLY)
    defer { close(descriptor) }
    #expect(descriptor > 2)
    #expect(try output("ls /proc/self/fd | wc -w") == "4\n", "its streams, and the list itself")
  }

  @Test("a child has no blocked signals, and SIGPIPE terminates it")
  func signals() throws {
    // As in a server.
    signal(SIGPIPE, SIG_IGN)
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let status = try #require(try output("grep -E '^Sig(Blk|Ign)' /proc/self/status"))
    let lines = status.split(separator: "\n").map { $0.split(separator: "\t") }
    #expect(lines.first?.last == "0000000000000000")
    let ignored = try #require(lines.last?.last.flatMap { UInt64($0, radix: 16) })
    #expect(ignored & (1 << (UInt64(SIGPIPE) - 1)) == 0)
  }

  @Test("output ends a program that exceeds the limit, and is nil when the program fails")
  func bounds() throws {
    #expect(try ChildProcess.output(of: ["yes"], limitBytes: 100_000) == nil)
    #expect(try ChildProcess.output(of: ["printf", "tea"], limitBytes: 3) == Array("tea".utf8))
    #expect(try ChildProcess.output(of: ["printf", "teas"], limitBytes: 3) == nil)
    #expect(try output("echo tea; exit 1") == nil)
    let stubborn = "trap '' TERM; head -c 1000000 /dev/zero"
    #expect(try ChildProcess.output(of: ["sh", "-c", stubborn], limitBytes: 1000) == nil)
  }
}
