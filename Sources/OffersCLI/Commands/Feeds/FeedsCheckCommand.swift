import ArgumentParser
import Foundation
import OffersCore
import OffersFeeds
import OffersHTTP
import OffersPlatform
import OffersSync

struct FeedsCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Read a feed without storing it, and report what was found.",
    usage: "offers feeds check <feed> [<options>]",
    discussion: """
      Reads the source in use: the one that was set for the feed, else that of its definition. \
      Shows the first offers as they would be stored, how many offers have each field, and which \
      records were skipped or repaired and why.

      EXAMPLES
        offers feeds check albums
        offers feeds check my-feed.yaml --from export.json
      """)

  @Argument(help: "A feed's name, or a YAML file with definitions.", completion: .feeds)
  var feed: String

  @Option(
    help: .value(
      "source", "The source to read: an http(s) URL, a file, - for standard input, or sample."))
  var from: String?

  @Flag(.json) var json = false
  @OptionGroup var network: NetworkOptions
  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  private var isFile: Bool {
    feed.contains("/") || feed.hasSuffix(".yaml") || feed.hasSuffix(".yml")
  }

  func run() async throws {
    let database = try await location.openIfThere(.readOnly)
    let configured = try await configuration.path.load(from: database)
    let definitions = try definitions(configured)
    guard from == nil || definitions.count == 1 else {
      throw OffersError(
        .invalidRequest, "\(feed) defines \(definitions.count) feeds; --from applies to one only.")
    }
    let engine = SyncEngine(
      store: try await StoreLocation.inMemory(), environment: ProcessContext.findVariable)
    let options = network.syncOptions(configured)
    // The definitions of a file are checked as they are, whatever the database has of such names.
    let state =
      isFile || from != nil
      ? nil : try await database?.findSyncState(of: feed)
    var checks: [(FeedDefinition, FeedCheckResult)] = []
    for definition in definitions {
      let check = try await engine.check(
        definition, from: from.map { SyncSource(typed: $0) }, state: state, options: options)
      checks.append((definition, check))
      if json { continue }
      if let source = state?.source {
        Output.note(
          .line(
            "Read from the source that was set for it: \(AddressRedaction.hidden(in: source.text))")
        )
      }
      try Output.print(
        FeedCheckReport.text(check, definition, width: Terminal.width ?? 80))
      if from == nil, definition.source == nil,
        state?.source.map({ $0.text == SyncSource.sample.text }) ?? true
      {
        Output.note(
          """
          These are the built-in sample offers. To check your own feed:
            offers feeds check \(ShellQuoting.word(feed)) --from URL-OR-FILE
          """)
      }
      if check.offerCount == 0 { throw ExitStatus.failed }
    }
    guard json else { return }
    try Output.print(FeedCheckReport.document(checks))
    if checks.contains(where: { $0.1.offerCount == 0 }) { throw ExitStatus.failed }
  }

  private func definitions(_ configured: FeedConfiguration) throws -> [FeedDefinition] {
    guard isFile else { return [try configured.fetch(feed)] }
    guard let yaml = try TextFile.read(feed) else {
      throw OffersError(.notFound, "There is no file \(feed).", hint: "Name a feed or a YAML file.")
    }
    return try DefinitionFile.parse(yaml, name: feed)
  }
}

/// The report that `offers feeds check` prints.
enum FeedCheckReport {
  static func text(_ check: FeedCheckResult, _ definition: FeedDefinition, width: Int)
    -> PrintedText
  {
    let skipped = check.skippedCount == 0 ? "" : ", \(Units.count(check.skippedCount)) skipped"
    let title = check.title.map { DisplayText.oneLine($0) } ?? definition.name
    let counts = "\(Units.count(check.offerCount)) of \(Units.count(check.recordCount)) records"
    var lines: [PrintedText] = [
      "\(title): \(counts) are offers\(skipped), \(Units.size(check.bytes)) read"
    ]
    for offer in check.first {
      lines +=
        ["", rule(width)]
        + OfferCard.lines(UserOffer(offer), definition.presentation, at: Date(), width: width)
    }
    lines += ["", rule(width), "", "Found in how many offers"]
    lines += found(check, definition).map { label, count in
      let share = check.offerCount == 0 ? 0 : 100 * count / check.offerCount
      let number = DisplayText.padLeft(Units.count(count), 9)
      return """
          \(DisplayText.pad(DisplayText.oneLine(label), 22))\(number)  \
        \(DisplayText.padLeft("\(share) %", 5))
        """
    }
    if !check.shared.isEmpty {
      lines += ["", "Shared by all"]
      lines += check.shared.map {
        "  \(DisplayText.pad(DisplayText.oneLine($0.label), 22))  \(DisplayText.oneLine($0.value))"
      }
    }
    if check.repeatedCount > 0 {
      lines.append("  \(Units.count(check.repeatedCount)) have an id that came before")
    }
    if check.unknownCurrencyCount > 0 {
      lines += [
        "",
        .text(
          "\(Units.count(check.unknownCurrencyCount, "amount")) without a currency. Set it with: "
            + "offers feeds set \(definition.name) --currency USD"),
      ]
    }
    if !check.problems.isEmpty {
      lines += ["", "Skipped or repaired"]
      lines += check.problems.map { .line("  " + $0.summary) }
      let rest = check.skippedCount + check.mendedCount - check.problems.count
      if rest > 0 { lines.append("  and \(Units.count(rest)) more") }
    }
    return lines.joined(separator: "\n")
  }

  static func document(_ checks: [(FeedDefinition, FeedCheckResult)]) -> PrintedText {
    let feeds = checks.map { definition, check -> JSONObject in
      [
        "name": definition.name, "title": check.title, "records": check.recordCount,
        "offers": check.offerCount, "skipped": check.skippedCount, "mended": check.mendedCount,
        "repeated": check.repeatedCount, "without_currency": check.unknownCurrencyCount,
        "bytes": check.bytes,
        "found": found(check, definition).map { value, count -> JSONObject in
          ["value": value, "offers": count]
        },
        "shared": WrittenJSON { $0.value(check.shared) },
        "problems": check.problems.map { problem -> JSONObject in
          [
            "record": problem.position, "effect": problem.effect.rawValue,
            "reason": problem.reason,
          ]
        },
        "first": check.first.map { offer in
          WrittenJSON { $0.value(UserOffer(offer), at: Date()) }
        },
      ]
    }
    return .json(
      ["feeds": feeds],
      pricedFeeds: FeedPresentations(checks.map { KnownFeed($0.0) }).pricedFeeds)
  }

  private static func rule(_ width: Int) -> PrintedText {
    .text(String(repeating: "─", count: min(width, 40)))
  }

  private static func found(
    _ check: FeedCheckResult, _ definition: FeedDefinition
  ) -> [(String, Int)] {
    check.fields(of: definition).flatMap { field, name, _, count in
      [(name, count)] + (field == .reward ? [("\(name), exact", check.exactRewardCount)] : [])
    }
  }
}
