import ChildProcesses
import Foundation
import OffersTestSupport
import Testing

@testable import OffersCLI

@Suite("offers serve as a service")
struct ServiceManagerTests {
  @Test("the server reports that it is ready, that it answers, and that it ends")
  func reports() throws {
    let home = try Home()
    let manager = try DatagramListener(home.folder.file("notify"))
    let process = try OffersProgram.start(
      ["serve", "--port", "0"],
      environment: home.environment.merging([
        "NOTIFY_SOCKET": home.folder.file("notify"), "WATCHDOG_USEC": "300000",
      ]) { $1 })
    defer {
      process.send(SIGKILL)
      process.wait()
    }
    #expect(manager.receive() == "READY=1")
    #expect(manager.receive() == "WATCHDOG=1")
    #expect(manager.receive() == "WATCHDOG=1")
    process.send(SIGTERM)
    var last = manager.receive()
    while last == "WATCHDOG=1" { last = manager.receive() }
    #expect(last == "STOPPING=1")
    #expect(process.wait() == 0)
  }

  @Test("without a watchdog, or with one of another process, only the state is reported")
  func watchdog() throws {
    let socket = ["NOTIFY_SOCKET": "/run/notify"]
    func seconds(_ more: [String: String]) -> Double? {
      ServiceManager(socket.merging(more) { $1 }, process: 7)?.watchdogSeconds
    }
    #expect(seconds(["WATCHDOG_USEC": "60000000"]) == 60)
    #expect(seconds(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "7"]) == 60)
    #expect(seconds(["WATCHDOG_USEC": "60000000", "WATCHDOG_PID": "8"]) == nil)
    for text in ["", "0", "-5", "soon"] { #expect(seconds(["WATCHDOG_USEC": text]) == nil) }
    #expect(ServiceManager(socket) != nil)
    for name in ["", "notify"] { #expect(ServiceManager(["NOTIFY_SOCKET": name]) == nil) }
    #expect(ServiceManager([:]) == nil)
  }

  @Test(
    "the units of a system have little access to it",
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze")),
    arguments: ["offers-serve.service", "offers-sync.service", "offers-backup.service"])
  func exposure(unit: String) throws {
    let home = try Home()
    let path = PackageFolder.file("Scripts/systemd/\(unit)")
    let rated = try home.shell("systemd-analyze security --offline=true --no-pager '\(path)'")
    let found = rated.output.firstMatch(of: #/Overall exposure level for \S+: (\d+\.\d+)/#)
    let exposure = try #require(found.flatMap { Double($0.output.1) }, "\(rated.errors)")
    #expect(exposure <= 1.5)
    let verified = try home.shell("systemd-analyze --man=no verify '\(path)' 2>&1 | grep '\(unit)'")
    // The program need not be installed where the tests run.
    let complaints = verified.output.split(separator: "\n").filter {
      !$0.contains("Command /usr/bin/offers is not executable")
    }
    #expect(complaints == [])
  }

  @Test("the command of the unit is one that the program accepts")
  func command() throws {
    let unit = try PackageFolder.text(of: "Scripts/systemd/offers-serve.service")
    let line = try #require(unit.firstMatch(of: #/\nExecStart=\/usr\/bin\/offers (.+)\n/#)).output.1
    let home = try Home()
    try home.folder.write(
      "k3hG7uXw0PzQ9sVb5TnR2yLdk3hG7uXw0PzQ9sVb5Tn", to: "token", mode: 0o440)
    let manager = try DatagramListener(home.folder.file("notify"))
    let process = try OffersProgram.start(
      line.replacing("${CREDENTIALS_DIRECTORY}", with: home.folder.path)
        .replacing("$OPTIONS", with: "--port 0").split(separator: " ").map(String.init),
      environment: home.environment.merging([
        "NOTIFY_SOCKET": home.folder.file("notify"), "CREDENTIALS_DIRECTORY": home.folder.path,
      ]) { $1 })
    defer {
      process.send(SIGKILL)
      process.wait()
    }
    // systemd may let the group, which is root's, read a credential.
    var report: String?
    while report == nil, process.isRunning { report = manager.receive(milliseconds: 100) }
    #expect(report == "READY=1")
    process.send(SIGTERM)
    process.wait()
  }
}
