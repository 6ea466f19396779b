import ArgumentParser
import Foundation
import OffersCore

/// `offers doctor`
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

  @Flag(name: .long, help: "Rebuild derived data, and print what was done.")
  var repair = false

  @Flag(name: .long, help: "Print one JSON document.")
  var json = false

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
        repairs += await (try await location.openFile(.readWrite, for: .repair)).repair(at: now)
      } catch let error as OffersError {
        refusal = error
      }
    }
    var (findings, feeds, stored) = await DatabaseHealth(place: place, now: now).examine()
    if let refusal, !findings.contains(where: { $0.subject == "database" }) {
      findings.append(Finding(.problem, "database", refusal.message, advice: refusal.advice))
    }
    findings.append(LibraryVersions.finding)
    findings.append(PictureScaler.finding)
    // Definitions that cannot be loaded are among the findings.
    let schedule = ScheduleHealth(
      feeds: feeds, definitions: try? settings.load().including(stored),
      database: place.file?.path
    ).examine()
    findings += FeedHealth(
      path: settings, stored: stored, feeds: feeds, now: now, isScheduled: schedule != nil
    ).examine()
    findings += schedule ?? [ScheduleHealth.nothing]
    if json {
      try Output.printData(Self.json(findings, repairs))
    } else {
      try Output.print(.text(Self.text(findings, repairs)))
    }
    if findings.contains(where: { $0.level == .problem }) { throw ExitStatus.failed }
  }

  private static func text(_ findings: [Finding], _ repairs: [Repair]) -> String {
    let done = repairs.map { ($0.isDone ? "repaired" : "failed", $0.subject, $0.message) }
    let found = findings.map { finding in
      let advice = finding.advice.map { " → " + $0.printed } ?? ""
      return (finding.level.rawValue, finding.subject, finding.message + advice)
    }
    let width = (done + found).map { DisplayText.width($0.1) }.max() ?? 0
    return (done + found).flatMap { word, subject, text in
      DisplayText.hanging(
        DisplayText.pad(word, 8) + "  " + DisplayText.pad(subject, width) + "  ",
        DisplayText.oneLine(text), width: Terminal.width)
    }.joined(separator: "\n")
  }

  /// `{"healthy","findings":[{"level","subject","message","advice"}],"repairs":[…],"libraries":{…}}`
  private static func json(_ findings: [Finding], _ repairs: [Repair]) -> String {
    JSONWriter.document { json in
      json.member("healthy", !findings.contains { $0.level == .problem })
      json.member("findings", objects: findings) { json, finding in
        json.member("level", finding.level.rawValue)
        json.member("subject", finding.subject)
        json.member("message", finding.message)
        json.member("advice", finding.advice?.printed)
      }
      json.member("repairs", objects: repairs) { json, repair in
        json.member("subject", repair.subject)
        json.member("message", repair.message)
        json.member("done", repair.isDone)
      }
      LibraryVersions.write(to: &json)
    }
  }
}
