import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersPlatform
import OffersServer
import OffersStore

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check the database, definitions, feeds and schedule.",
    discussion: """
      Prints findings and what to do. A note needs nothing, a warning needs attention; a problem does \
      not work, or soon will not. With a problem the exit code is 1, with warnings alone 0. A repair rebuilds \
      derived data, such as indexes and counts, and removes the files that killed processes left \
      beside the database; it changes no offers, favorites or chosen sources.

      EXAMPLES
        offers doctor
        offers doctor --json | jq '.findings[] | select(.level == "warning")'
        offers doctor --repair
      """)

  @Flag(help: "Rebuild derived data, and print what was done.") var repair = false
  @Flag(.json) var json = false
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func run() async throws {
    let place = try location.place
    let repaired = repair ? try place.fetchFile(for: .repair) : nil
    let settings = try configuration.path
    let now = Date()
    var repairs: [Repair] = []
    var refusal: OffersError?
    if let repaired {
      do {
        // Opened for reading first, which fails without a database instead of creating one.
        _ = try await location.open(.readOnly)
        // Removing files needs no room on the disk, and may make some.
        repairs = [repaired.removeRemains()].compactMap { $0 }
        repairs += await (try await location.openFile(.readWrite, for: .repair)).repair()
      } catch let error as OffersError {
        refusal = error
      }
    }
    var (findings, feeds, stored, channels) = await DatabaseHealth(place: place, now: now).examine()
    if let refusal, !findings.contains(where: { $0.subject == "database" }) {
      findings.append(Finding(.problem, "database", refusal.message, hint: refusal.hint))
    }
    findings.append(LibraryVersions.finding)
    findings.append(PictureScaler.finding)
    // Definitions that cannot be loaded are among the findings.
    let schedule = ScheduleHealth(
      feeds: feeds, definitions: try? settings.load().including(stored),
      channels: channels, database: place.file?.path
    ).examine()
    findings += FeedHealth(
      path: settings, stored: stored, feeds: feeds, now: now, isScheduled: schedule != nil
    ).examine()
    findings += schedule ?? [ScheduleHealth.nothing]
    try Output.print(
      json ? .json(Self.document(findings, repairs)) : .text(Self.text(findings, repairs)))
    if findings.contains(where: { $0.level == .problem }) { throw ExitStatus.failed }
  }

  private static func text(_ findings: [Finding], _ repairs: [Repair]) -> String {
    let done = repairs.map { ($0.isDone ? "repaired" : "failed", $0.subject, $0.message) }
    let found = findings.map { finding in
      let hint = finding.hint.map { " → " + $0.printed } ?? ""
      return (finding.level.rawValue, finding.subject, finding.message + hint)
    }
    let width = (done + found).map { DisplayText.width($0.1) }.max() ?? 0
    return (done + found).flatMap { word, subject, text in
      DisplayText.hanging(
        DisplayText.pad(word, 8) + "  " + DisplayText.pad(subject, width) + "  ",
        DisplayText.oneLine(text), width: Terminal.width)
    }.joined(separator: "\n")
  }

  private static func document(_ findings: [Finding], _ repairs: [Repair]) -> JSONObject {
    [
      "healthy": !findings.contains { $0.level == .problem },
      "findings": findings.map { finding -> JSONObject in
        [
          "level": finding.level.rawValue, "subject": finding.subject,
          "message": finding.message, "advice": finding.hint?.printed,
        ]
      },
      "repairs": repairs.map { repair -> JSONObject in
        ["subject": repair.subject, "message": repair.message, "done": repair.isDone]
      },
      "libraries": LibraryVersions.document,
    ]
  }
}

struct DatabaseHealth {
  let place: any StorePlace
  let now: Date

  /// Runs the checks.
  ///
  /// - Returns: the findings, and the feeds, their definitions and the names of the channels that deliver, which are
  ///   empty if they cannot be read.
  func examine() async -> (
    findings: [Finding], feeds: [Feed], definitions: [StoredDefinition], channels: [String]
  ) {
    do {
      let database = try await place.open(.readOnly)
      // If the feeds cannot be read, pages are damaged, which the checks of the contents report.
      let feeds = (try? await database.fetchFeeds()) ?? []
      var findings = await examine(database, feeds)
      findings.append(await ClockHealth(database: database, now: now).examine())
      if let maintenance = database.maintenance { findings.append(await sizes(maintenance)) }
      // If users and logins cannot be read, pages are damaged, which is among the findings.
      let users = (try? await database.fetchUsers()) ?? []
      if let text = UserSummary.text(users) { findings.append(Finding(.ok, "users", text)) }
      let channels = await ChannelHealth(database: database, users: users).examine()
      findings += channels.findings
      findings += [try? await LoginSummary(database, at: now)].compactMap { $0?.finding }
      let definitions = (try? await database.fetchDefinitions()) ?? []
      return (findings, feeds, definitions, channels.delivering)
    } catch {
      let error = error as? OffersError ?? OffersError(.storageFailed, "\(error)")
      guard let file = place.file else {
        return (
          [Finding(.problem, "database", error.message, hint: error.hint)] + place.findings, [],
          [], []
        )
      }
      let refusal = Finding(
        .problem, "database", error.message, hint: await file.hint(on: error))
      // The file may be no database of this program, so only the problems among its findings are
      // reported.
      let around = file.exists ? file.examineFile() : []
      return (around.filter { $0.level == .problem } + [refusal], [], [], [])
    }
  }

  /// Checks the file and its contents. For a database on a server, the only finding names the server,
  /// whose own tools check it.
  private func examine(_ database: OffersDatabase, _ feeds: [Feed]) async -> [Finding] {
    guard let file = place.file, let maintenance = database.maintenance else {
      let engine = database.software
      return [Finding(.ok, "database", "\(place.name), \(engine.name) \(engine.version)")]
        + place.findings
    }
    return file.examineFile()
      + [file.examineRemains(), disk(file, maintenance)]
      + maintenance.examineTurns(of: feeds.map(\.name)) + (await maintenance.examine())
  }

  /// Checks the free space. A vacuum and a backup need as much space as the file has.
  private func disk(_ file: any StoreFile, _ database: any StoreMaintenance) -> Finding {
    guard let free = file.findFreeBytes() else {
      return Finding(.ok, "disk", "the free space is not known")
    }
    let text = "\(Units.size(free)) is free"
    let hint: Hint = "Free some space. A sync without space fails and changes nothing"
    if free < Self.leastBytes { return Finding(.problem, "disk", "only \(text)", hint: hint) }
    if free < database.sizeBytes + Self.roomyBytes {
      return Finding(.warning, "disk", "only \(text)", hint: hint)
    }
    return Finding(.ok, "disk", text)
  }

  private func sizes(_ database: any StoreMaintenance) async -> Finding {
    guard let sizes = try? await database.fetchSizes() else {
      return Finding(.ok, "sizes", "\(Units.size(database.sizeBytes))")
    }
    let share = sizes.file == 0 ? 0 : Double(sizes.free) / Double(sizes.file)
    let text =
      "file \(Units.size(sizes.file)), \(Int(share * 100)) % of it free; "
      + "log \(Units.size(sizes.log)); images \(Units.size(sizes.images))"
    if sizes.log > Self.largeLogBytes {
      return Finding(
        .warning, "sizes", text,
        hint:
          "A program that reads for a long time keeps the log from being truncated. End it, then sync"
      )
    }
    if share > database.compactedShare, sizes.free > Self.largeFreeBytes {
      return Finding(.warning, "sizes", text, hint: "Release the free space: offers prune")
    }
    return Finding(.ok, "sizes", text)
  }

  private static let leastBytes = 20_000_000
  private static let roomyBytes = 100_000_000
  private static let largeLogBytes = 64_000_000
  private static let largeFreeBytes = 10_000_000
}

/// The check of the channels of all users: of those that are paused, that fail, and that did not take a message.
struct ChannelHealth {
  let database: OffersDatabase
  let users: [User]

  /// - Returns: the findings, and the names of the channels that deliver.
  func examine() async -> (findings: [Finding], delivering: [String]) {
    var findings: [Finding] = []
    var delivering: [String] = []
    for user in users {
      // If the channels cannot be read, pages are damaged, which the checks of the contents report.
      for channel in (try? await database.bound(to: user).fetchChannels()) ?? [] {
        let owner = users.count > 1 ? " of \(user.name)" : ""
        let options = user.isOwner ? "" : " --user \(ShellQuoting.word(user.name))"
        findings += [Self.finding(channel, "channel \(channel.name)\(owner)", options)]
          .compactMap(\.self)
        if channel.endedReason == nil { delivering.append(channel.name) }
      }
    }
    if !delivering.isEmpty, let secrets = try? NoticeServices.secrets() {
      do throws(OffersError) {
        _ = try secrets.read()
      } catch {
        findings.append(Finding(.problem, "secrets", error.message, hint: error.hint))
      }
    }
    return (findings, delivering)
  }

  private static func finding(
    _ channel: UserChannel, _ subject: String, _ options: String
  ) -> Finding? {
    let waiting =
      channel.waitingCount > 0 ? ", \(Units.count(channel.waitingCount, "notice")) waiting" : ""
    if let reason = channel.endedReason {
      return Finding(
        .problem, subject, "is paused\(waiting): \(reason)", hint: channel.remedy(options))
    }
    guard let reason = channel.lastError else { return nil }
    let since = channel.failingSince.map { "has been failing since \(Units.time($0))" }
    return Finding(
      .warning, subject, "\(since ?? "failed")\(waiting): \(reason)",
      hint: Hint("Try it again now.", command: "offers notices --retry\(options)"))
  }
}

/// The check of the machine's clock. If the newest sync or star is later than now, the clock is
/// wrong, or was wrong at that time.
struct ClockHealth {
  let database: OffersDatabase
  let now: Date

  /// The time, in seconds, by which a stored time may be later than now.
  private static let toleranceSeconds = 300.0

  func examine() async -> Finding {
    // If the times cannot be read, pages are damaged, which the checks of the contents report.
    let newest = try? await database.findNewestTime()
    if let newest, newest.timeIntervalSince(now) > Self.toleranceSeconds {
      return Finding(
        .problem, "clock",
        "it is \(Units.time(now)), but the newest sync or star is of \(Units.time(newest))",
        hint: """
          Set the clock: timedatectl. If it was wrong at that time and a sync is the newest: \
          offers sync --force
          """)
    }
    if let times = try? await database.countTimes(after: now + Self.toleranceSeconds),
      let latest = times.latest
    {
      let parts = [
        Units.count(times.runs, "sync"), Units.count(times.offers, "offer"),
        Units.count(times.images, "image"),
      ]
      return Finding(
        .warning, "clock",
        "\(parts[0]), \(parts[1]) and \(parts[2]) have times after now, the latest "
          + Units.time(latest),
        hint: """
          If the clock is wrong now, set it: timedatectl. If it was ahead then, nothing need be done: \
          these are kept for longer, and the images are asked for again
          """)
    }
    return Finding(.ok, "clock", "nothing happened later than now")
  }
}

struct FeedHealth {
  let path: SettingPath
  let stored: [StoredDefinition]
  let feeds: [Feed]
  let now: Date
  /// Whether a schedule is installed, which then is not proposed.
  let isScheduled: Bool

  func examine() -> [Finding] {
    let configuration: FeedConfiguration
    do {
      configuration = try path.load().including(stored)
    } catch {
      let error = error as? OffersError
      return [
        Finding(
          .problem, "definitions", error?.message ?? "\(path.text) could not be read",
          hint: error?.hint)
      ]
    }
    let own = configuration.own.count
    let what =
      own == 0
      ? "only the shipped ones; none of your own in \(path.text)"
      : "\(Units.count(own)) of your own in \(path.text)"
    let definitions =
      configuration.absentFile.map { file in
        Finding(
          .warning, "definitions",
          "there is no file \(file), which \(path.origin == .option ? "--config" : "OFFERS_CONFIG") names",
          hint: Hint(
            "Check its path, or add your feeds.", command: "offers feeds add NAME SOURCE"))
      } ?? Finding(.ok, "definitions", what)
    let faults = configuration.faults.sorted { $0.key < $1.key }.map { name, error in
      Finding(
        .problem, "definitions", error.message, hint: "Correct it: offers feeds edit \(name)")
    }
    return [definitions] + faults
      + feeds.map { feed in
        // `find` throws only for an invalid definition, which is among the findings.
        let definition = try? configuration.find(feed.name)
        return examine(
          FeedSummary(name: feed.name, known: definition.map { KnownFeed($0) }, feed: feed), feed)
      }
  }

  private func examine(_ summary: FeedSummary, _ feed: Feed) -> Finding {
    let subject = "feed \(feed.name)"
    let troubles = summary.unnamedTroubles(at: now)
    let isBroken =
      summary.known == nil || feed.fetch.stoppedAt != nil
      || feed.fetch.failingSince.map { now.timeIntervalSince($0) >= News.failingSeconds } ?? false
    if !troubles.isEmpty {
      return Finding(isBroken ? .problem : .warning, subject, troubles.joined(separator: "; "))
    }
    guard feed.lastRun != nil else {
      return Finding(
        .warning, subject, "was never synced", hint: "Sync it: offers sync \(feed.name)")
    }
    if let due = summary.nextDueAt(now: now), let every = summary.known?.everySeconds,
      now.timeIntervalSince(due) > TimeInterval(every)
    {
      return Finding(
        .warning, subject, "has been due since \(Units.time(due))",
        hint: isScheduled
          ? "Sync it: offers sync --due"
          : "Sync it: offers sync --due. To schedule syncs: offers schedule install")
    }
    return Finding(
      .ok, subject,
      "\(Units.count(feed.currentCount, summary.presentation.noun)), \(summary.lastSync(at: now))")
  }
}

/// The versions of the shared libraries that are installed. The system updates them
/// independently of the program.
enum LibraryVersions {
  /// The names in JSON and in text, and the versions.
  private static var all: [(key: String, name: String, version: String)] {
    StoreLocation.engines.map { (key: $0.key, name: $0.name, version: $0.version) } + [
      ("expat", "expat", LoadedLibraryVersions.expatVersion),
      ("zlib", "zlib", LoadedLibraryVersions.zlibVersion),
      ("libcrypto", "libcrypto", LibCrypto.version ?? "missing"),
      ("libcurl", "libcurl", CurlLibrary.version ?? "missing"),
    ]
  }

  static var finding: Finding {
    Finding(.ok, "libraries", all.map { "\($0.name) \($0.version)" }.joined(separator: ", "))
  }

  static var document: JSONObject {
    all.reduce(into: [:]) { document, library in
      document += [library.key: library.version]
    }
  }
}
