import Foundation

/// The programs with which offers is compared, if they are installed.
struct Peers {
  /// The folder with the feed generator and the sources of the C programs; nil when it does not
  /// exist.
  let folder: String?
  let scratch: String
  /// A message about each missing program.
  private(set) var missing: [String] = []
  /// The C program that reads JSON into SQLite.
  private(set) var limit: String?
  /// The C program that reads RSS into SQLite.
  private(set) var rssLimit: String?
  /// The C program that stores images in SQLite.
  private(set) var imageLimit: String?
  private(set) var python: String?
  /// The installed releases of sqlite-utils, which differ in speed. `name` includes the version.
  private(set) var sqliteUtils: [(name: String, program: String)] = []

  init(folder: String, scratch: String) {
    let exists = FileManager.default.fileExists(atPath: folder + "/limit_sync.c")
    self.folder = exists ? folder : nil
    self.scratch = scratch
    guard exists else {
      missing = ["No peers at \(folder): only offers itself is measured."]
      return
    }
    // If the folder cannot be written, the compiler reports the reason.
    try? FileManager.default.createDirectory(atPath: scratch, withIntermediateDirectories: true)
    limit = findLimit(folder)
    rssLimit = findRSSLimit(folder)
    imageLimit = findImageLimit(folder)
    let venv = scratch + "/venv/bin/python"
    if FileManager.default.isExecutableFile(atPath: venv) {
      python = venv
    } else {
      missing.append(
        "No DuckDB: python3 -m venv \(scratch)/venv && "
          + "\(scratch)/venv/bin/pip install sqlite-utils duckdb")
    }
    sqliteUtils = findSQLiteUtils()
    if sqliteUtils.isEmpty {
      missing.append("No sqlite-utils that works in \(scratch)/venv*/bin: install it with pip.")
    }
  }

  /// Finds sqlite-utils in the folders `venv`, `venv-3.39.1` and the like, each release once.
  private mutating func findSQLiteUtils() -> [(name: String, program: String)] {
    // An unreadable folder counts as empty.
    let folders = (try? FileManager.default.contentsOfDirectory(atPath: scratch)) ?? []
    var found: [(name: String, program: String)] = []
    for folder in folders.sorted() where folder.hasPrefix("venv") {
      let program = "\(scratch)/\(folder)/bin/sqlite-utils"
      guard FileManager.default.isExecutableFile(atPath: program) else { continue }
      do {
        let words = try ProcessTimer.output([program, "--version"]).split(
          whereSeparator: \.isWhitespace)
        let name = "sqlite-utils \(words.last ?? "of \(folder)")"
        if !found.contains(where: { $0.name == name }) { found.append((name, program)) }
      } catch {
        missing.append("\(program) does not work: \(error)")
      }
    }
    return found
  }

  /// Returns the path of the C program that reads JSON, which is built if necessary. If that fails,
  /// adds a message and returns nil.
  private mutating func findLimit(_ folder: String) -> String? {
    let program = scratch + "/limit_sync"
    if FileManager.default.isExecutableFile(atPath: program) { return program }
    let command = [
      "gcc", "-O3", "-mavx2", "-o", program, folder + "/limit_sync.c", "-lsqlite3", "-lxxhash",
      "-lcrypto", "-lpthread",
    ]
    do {
      _ = try ProcessTimer.time(command)
      return program
    } catch {
      missing.append("No C program: it needs gcc, libxxhash-dev, libssl-dev and libsqlite3-dev.")
      return nil
    }
  }

  private mutating func findRSSLimit(_ folder: String) -> String? {
    let program = scratch + "/limit_rss"
    if FileManager.default.isExecutableFile(atPath: program) { return program }
    do {
      _ = try ProcessTimer.time([
        "gcc", "-O3", "-o", program, folder + "/limit_rss.c", "-lexpat", "-lsqlite3",
      ])
      return program
    } catch {
      missing.append("No C program for RSS: it needs gcc, libexpat1-dev and libsqlite3-dev.")
      return nil
    }
  }

  private mutating func findImageLimit(_ folder: String) -> String? {
    let program = scratch + "/limit_image"
    if FileManager.default.isExecutableFile(atPath: program) { return program }
    do {
      _ = try ProcessTimer.time([
        "gcc", "-O2", "-o", program, folder + "/limit_image.c", "-lsqlite3",
      ])
      return program
    } catch {
      missing.append("No C program for images: it needs gcc and libsqlite3-dev.")
      return nil
    }
  }

  /// The command with which the peers' feed generator writes a feed to `path`; nil without the
  /// peers' folder.
  func generator(_ variant: FeedGenerator.Variant, count: Int, path: String) -> [String]? {
    guard let folder else { return nil }
    let base = ["python3", folder + "/gen_feed.py", "-n", "\(count)", "-o", path]
    switch variant {
    case .plain: return base
    case .changed: return base + ["--mutate", "1", "--change", "1"]
    case .reordered: return base + ["--mutate", "1", "--reorder"]
    }
  }

  /// The commands with which the peers import a feed into a new database, each after its name in
  /// the report.
  func imports(feed: String, database: String) -> [(String, [String])] {
    var result: [(String, [String])] = []
    if let limit {
      result.append(("C program", [limit, "sync", feed, database, "strategy=upsert"]))
    }
    if let python, let folder {
      result.append(("DuckDB", [python, folder + "/peers.py", "duckdb", feed, database]))
    }
    for (name, program) in sqliteUtils {
      result.append((name, [program, "upsert", database, "offers", feed, "--pk", "id"]))
    }
    return result
  }
}
