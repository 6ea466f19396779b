import Foundation
import OffersCore
import OffersTestSupport
import Testing

@Suite(
  "Where the threads of a sync run", .enabled(if: ProcessInfo.processInfo.activeProcessorCount > 1))
struct OneProcessorTests {
  private static let patience = Duration.seconds(20)

  /// Where the threads of a process may run, one entry a thread, as `0-1` or `0`.
  private static func places(of process: String) -> [String] {
    let folder = "/proc/\(process)/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.compactMap { thread in
      // A thread that has ended meanwhile has none.
      let status = try? String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed_list:") }
      return line?.split(separator: "\t").last.map(String.init)
    }
  }

  private static func arePlaces(of process: ChildProcess, _ places: Set<String>) -> Bool {
    Set(self.places(of: String(process.pid))) == places
  }

  /// Waits until something holds while a process runs; false when it never does.
  private static func wait(_ process: ChildProcess, until holds: () -> Bool) -> Bool {
    let end = ContinuousClock.now + patience
    while ContinuousClock.now < end, process.isRunning {
      if holds() { return true }
      usleep(5000)
    }
    return false
  }

  /// A document that is short for most of a second and then grows long.
  private static let longDocument = ScriptedServer.Step.drip(
    [UInt8](repeating: 0x20, count: 64 << 10),
    after: Array("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[".utf8),
    pauseMilliseconds: 50)

  @Test("While it waits for a server, all of them are on one processor")
  func short() throws {
    let home = try Home()
    let server = try ScriptedServer([.silence])
    let process = try OffersProgram.start(
      ["sync", "--quiet", "--from", server.url()], environment: home.environment)
    defer {
      process.send(SIGKILL)
      _ = process.wait()
    }
    #expect(Self.wait(process) { !server.requests.isEmpty })
    let places = Self.places(of: String(process.pid))
    #expect(places.count > 2)
    #expect(Set(places).count == 1)
    #expect(places.allSatisfy { Int($0) != nil })
  }

  @Test("While it reads a long document, they run wherever the program may")
  func long() throws {
    let home = try Home()
    let server = try ScriptedServer([Self.longDocument])
    let process = try OffersProgram.start(
      ["sync", "--quiet", "--from", server.url()], environment: home.environment)
    defer {
      process.send(SIGKILL)
      _ = process.wait()
    }
    let usual = Set(Self.places(of: "self"))
    #expect(usual.count == 1)
    #expect(
      Self.wait(process) {
        let places = Set(Self.places(of: String(process.pid)))
        return places.count == 1 && places != usual
      })
    #expect(Self.wait(process) { Self.arePlaces(of: process, usual) })
  }

  @Test("They stay where whoever started the program allowed it to run")
  func restricted() throws {
    let home = try Home()
    let server = try ScriptedServer([Self.longDocument])
    let usual = try #require(Self.places(of: "self").first)
    let last = try #require(usual.split { !$0.isNumber }.last.map(String.init))
    let process = try ChildProcess(
      [
        "/usr/bin/taskset", "-c", last, OffersProgram.path, "sync", "--quiet", "--from",
        server.url(),
      ],
      environment: OffersProgram.environment(home.environment), to: nil)
    defer {
      process.send(SIGKILL)
      _ = process.wait()
    }
    #expect(Self.wait(process) { !server.requests.isEmpty })
    let end = ContinuousClock.now + .seconds(2)
    // Long enough for more than what is a short document.
    while ContinuousClock.now < end {
      #expect(Self.arePlaces(of: process, [last]))
      usleep(50_000)
    }
  }
}
