import Foundation
import OffersCore
import OffersSQLite

/// Measures the server's requests per second, compared with nginx, which serves the same bytes as
/// files, and with Datasette on the same database; and the server's memory under load.
struct ServeBenchmark {
  let offers: String
  let scratch: String
  let peers: Peers
  let rounds: Int
  /// The duration of the load during which the memory is measured each minute, in seconds.
  let loadSeconds: Int

  private static let offerCount = 10_000
  private static let imageBytes = 20_480
  private static let ports = (offers: freePort(), nginx: freePort(), datasette: freePort())

  private var work: String { scratch + "/serve" }
  private var database: String { work + "/offers.sqlite" }

  /// A resource, with its path on each server.
  private struct Task {
    let name: String
    let offers: String
    let nginx: String
    var datasette: String?
    var isConditional = false
  }

  private typealias Results = [String: [String: [WrkLoad.Result]]]

  func run() async throws {
    guard
      (try? ProcessTimer.output(["/usr/bin/env", "sh", "-c", "command -v wrk && command -v nginx"]))
        != nil
    else {
      throw BenchmarkError(description: "No wrk or nginx: apt-get install wrk nginx-light")
    }
    try FileManager.default.createDirectory(
      atPath: work + "/www", withIntermediateDirectories: true)
    let ref = try await makeDatabase()
    var report = Report()
    report.printMachine()
    let own = try ServedProcess(
      [offers, "serve", "--port", "\(Self.ports.offers)", "--database", database],
      until: Self.url(Self.ports.offers, "/api/v1/health"))
    let tasks = Self.tasks(ref)
    let nginx = try startNginx(tasks)
    let datasette = try startDatasette()
    let results = try measure(tasks, hasDatasette: datasette != nil)
    printTable(tasks, results)
    addGoals(tasks, results, &report)
    try measurePaint(hasDatasette: datasette != nil)
    try measureMemory(of: own, tasks, &report)
    report.printGoals()
    withExtendedLifetime((nginx, datasette)) {}
  }

  private static func tasks(_ ref: OfferRef) -> [Task] {
    let page = "/api/v1/offers?limit=50"
    let image = "/api/v1/images/\(ref)"
    return [
      Task(
        name: "one offer", offers: "/api/v1/offers/\(ref)", nginx: "/one.json",
        datasette: "/offers/offer/1.json"),
      Task(
        name: "a page of 50", offers: page, nginx: "/page.json",
        datasette: "/offers/offer.json?_size=50"),
      Task(name: "a cached image", offers: image, nginx: "/image.png"),
      Task(name: "304 of a page", offers: page, nginx: "/page.json", isConditional: true),
      Task(name: "304 of an image", offers: image, nginx: "/image.png", isConditional: true),
    ]
  }

  /// Returns a port that no other process uses now; 18180 if the system provides none.
  static func freePort() -> Int {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        bind(listener, name, length) == 0 && getsockname(listener, name, &length) == 0
      }
    }
    return isBound ? Int(UInt16(bigEndian: address.sin_port)) : 18_180
  }

  private static func url(_ port: Int, _ path: String) -> String {
    "http://127.0.0.1:\(port)\(path)"
  }

  /// Makes a new database with `offerCount` offers and a cached image of the first one; returns
  /// that offer. The image also becomes a file for nginx.
  private func makeDatabase() async throws -> OfferRef {
    try removeFiles(at: database)
    let feed = try FeedFiles(folder: scratch + "/sync", peers: peers).path(
      .plain, count: Self.offerCount)
    _ = try ProcessTimer.time([
      offers, "sync", "ibotta", "--from", feed, "--quiet", "--database", database,
    ])
    let store = try await OffersDatabase.open(path: database)
    guard let offer = try await store.fetchOffers(OfferQuery(limit: 1)).first,
      let url = offer.imageURLText
    else { throw BenchmarkError(description: "The feed has no offer with an image.") }
    var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    while bytes.count < Self.imageBytes { bytes.append(UInt8(truncatingIfNeeded: bytes.count)) }
    try await store.putImage(
      CachedImage(
        url: url, bytes: bytes, header: ImageHeader(format: .png, width: 200, height: 200),
        fetchedAt: Date(), freshUntil: Date() + 86_400))
    try Data(bytes).write(to: URL(fileURLWithPath: work + "/www/image.png"))
    return offer.ref
  }

  /// Starts nginx with a single worker and its best settings for files. The files are the responses
  /// of offers.
  private func startNginx(_ tasks: [Task]) throws -> ServedProcess {
    for task in tasks where task.nginx.hasSuffix(".json") {
      let body = try ServedProcess.fetch(Self.url(Self.ports.offers, task.offers)).body
      try body.write(toFile: work + "/www" + task.nginx, atomically: true, encoding: .utf8)
    }
    let configuration = """
      daemon off; worker_processes 1; pid nginx.pid; error_log nginx.err;
      events { worker_connections 1024; }
      http { access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
        default_type application/json; open_file_cache max=1000 inactive=60s;
        client_body_temp_path t1; proxy_temp_path t2; fastcgi_temp_path t3; uwsgi_temp_path t4;
        scgi_temp_path t5;
        server { listen 127.0.0.1:\(Self.ports.nginx); root www; } }
      """
    try configuration.write(toFile: work + "/nginx.conf", atomically: true, encoding: .utf8)
    return try ServedProcess(
      ["nginx", "-p", work + "/", "-c", work + "/nginx.conf"],
      until: Self.url(Self.ports.nginx, "/one.json"))
  }

  private func startDatasette() throws -> ServedProcess? {
    let program = scratch + "/venv/bin/datasette"
    guard FileManager.default.isExecutableFile(atPath: program) else {
      print("No Datasette at \(program).\n")
      return nil
    }
    return try ServedProcess(
      [
        program, "serve", database, "-p", "\(Self.ports.datasette)", "--setting", "num_sql_threads",
        "3",
      ],
      until: Self.url(Self.ports.datasette, "/offers/offer/1.json"))
  }

  private func measure(_ tasks: [Task], hasDatasette: Bool) throws -> Results {
    var results: Results = [:]
    for _ in 0..<rounds {
      for task in tasks {
        var servers = [
          ("offers", Self.ports.offers, task.offers), ("nginx", Self.ports.nginx, task.nginx),
        ]
        if hasDatasette, let path = task.datasette {
          servers.append(("Datasette", Self.ports.datasette, path))
        }
        for (name, port, path) in servers {
          let url = Self.url(port, path)
          // Datasette is slow, and needs more time for enough requests.
          let load = WrkLoad(seconds: name == "Datasette" ? 10 : 2)
          let tag =
            task.isConditional ? try ServedProcess.fetch(url).fields["etag"] : nil
          results[task.name, default: [:]][name, default: []].append(try load.run(url, tag: tag))
        }
      }
    }
    return results
  }

  private func printTable(_ tasks: [Task], _ results: Results) {
    print("### Requests, 10,000 offers, 32 connections\n")
    print("| what | server | requests/s | p99 ms | to nginx | to Datasette |")
    print("|---|---|---|---|---|---|")
    for task in tasks {
      for name in ["offers", "nginx", "Datasette"] {
        guard let runs = results[task.name]?[name] else { continue }
        let row = [
          task.name, name, Report.text(runs.map(\.rate).median, 0),
          Report.text(runs.map(\.slow).median, 2), ratio(task, name, "nginx", results),
          ratio(task, name, "Datasette", results),
        ]
        print("| \(row.joined(separator: " | ")) |")
      }
    }
    print("")
  }

  private func ratio(_ task: Task, _ name: String, _ base: String, _ results: Results) -> String {
    guard name != base else { return "1" }
    return findRatio(task, name, base, results).map { Report.text($0, 2) } ?? ""
  }

  /// The median of each round's ratio of the requests per second of the server `name` to those of
  /// `base`; nil if one of them was not measured.
  private func findRatio(
    _ task: Task, _ name: String, _ base: String, _ results: Results
  ) -> Double? {
    guard let runs = results[task.name]?[name], let others = results[task.name]?[base] else {
      return nil
    }
    return zip(runs, others).map { $0.rate / $1.rate }.median
  }

  private func addGoals(_ tasks: [Task], _ results: Results, _ report: inout Report) {
    for (index, base, limit) in [
      (0, "Datasette", 30.0), (1, "Datasette", 200), (2, "nginx", 0.3), (3, "nginx", 0.3),
      (4, "nginx", 0.3),
    ] {
      guard let ratio = findRatio(tasks[index], "offers", base, results) else { continue }
      report.add("\(tasks[index].name), requests/s to \(base)", ratio, atLeast: limit)
    }
  }

  /// Measures the time from navigation to the whole response and to the first paint, in a freshly
  /// started browser, if `Scripts/benchmark` has set it up.
  private func measurePaint(hasDatasette: Bool) throws {
    let environment = ProcessInfo.processInfo.environment
    guard let python = environment["OFFERS_PYTHON"],
      let script = environment["OFFERS_FIRST_PAINT"]
    else { return }
    var pages = ["offers=" + Self.url(Self.ports.offers, "/")]
    if hasDatasette {
      pages.append("Datasette=" + Self.url(Self.ports.datasette, "/offers/offer?_size=60"))
    }
    let lines = try ProcessTimer.output([python, script, "\(rounds)"] + pages)
    print(
      "### A page of 60 in Chromium, ms\n\n| server | whole response | first paint |\n|---|---|---|"
    )
    for line in lines.split(separator: "\n") {
      print("| \(line.split(separator: " ").joined(separator: " | ")) |")
    }
    print("")
  }

  /// Measures the server's memory before, during and after load: the requests of `tasks` and pages
  /// of 500 offers.
  private func measureMemory(
    of server: ServedProcess, _ tasks: [Task], _ report: inout Report
  ) throws {
    func load(_ seconds: Int) throws {
      let pieces = tasks.map { Self.url(Self.ports.offers, $0.offers) }
      let others = ["name", "reward", "newest", "expiry"].map {
        Self.url(Self.ports.offers, "/api/v1/offers?limit=500&sort=\($0)")
      }
      let all = pieces + others
      for url in all { _ = try WrkLoad(seconds: max(1, seconds / all.count)).run(url) }
    }
    print("### Memory, MiB\n\n| when | resident | peak |\n|---|---|---|")
    func printRow(_ when: String) throws -> Double {
      let now = try server.memory("VmRSS")
      print("| \(when) | \(Report.text(now, 1)) | \(Report.text(try server.memory("VmHWM"), 1)) |")
      return now
    }
    _ = try printRow("before")
    try load(60)
    let first = try printRow("after 60 s of load")
    report.add("memory after 60 s of load", first, atMost: 120, " MiB")
    var last = first
    for round in 1...max(1, loadSeconds / 60) where loadSeconds >= 60 {
      try load(60)
      last = try printRow("after \(round) more minutes")
    }
    print("")
    if loadSeconds >= 60 {
      report.add("memory after \(loadSeconds / 60) more minutes", last / first, atMost: 1.05)
    }
  }
}
