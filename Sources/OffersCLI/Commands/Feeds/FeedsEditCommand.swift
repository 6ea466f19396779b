import ArgumentParser
import ChildProcesses
import Foundation
import Glibc
import OffersCore
import OffersFeeds
import OffersPlatform

struct FeedsEditCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit",
    abstract: "Change a feed's definition in your editor.",
    usage: "offers feeds edit <name> [<options>]",
    discussion: """
      Opens the definition in $VISUAL, else $EDITOR, else vi, and stores it in the database once it is \
      valid. A mistake is reported with its line, and your text is kept in a file. The changed \
      definition of a feed that ships with the program overrides that one; to return to it: offers \
      feeds remove NAME, then offers sync NAME. A definition in your own file is changed there.

      EXAMPLES
        offers feeds edit deals
        offers feeds edit deals --from deals.yaml
      """)

  @Argument(help: "The feed.", completion: .feeds) var name: String

  @Option(
    help: .value("file", "A file with the new definition, instead of an editor."),
    completion: .file())
  var from: String?

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  var logEntry: LogEntry? { LogEntry("feed changed", ["feed": name]) }

  func run() async throws {
    let own = OwnFeeds(file: try configuration.path, database: try await location.open(.readWrite))
    let known = try await own.configuration()
    let old = known.findStored(name)?.text
    if known.findOrigin(of: name) == .file, old == nil {
      throw OffersError(
        .invalidRequest, "\(name) is defined in \(own.file.text), which is yours alone to change.",
        hint: "Change it there, then check it with: offers feeds check \(name)")
    }
    if let from {
      guard let text = try TextFile.read(from) else {
        throw OffersError(.notFound, "There is no file \(from).", hint: "Name a file to read.")
      }
      return report(try await own.replace(old, by: text, of: name, from: from), known, own)
    }
    let text = try old ?? known.fetchText(name)
    let draft = try Draft(of: name, text)
    do {
      try draft.edit()
      guard let edited = try TextFile.read(draft.path), edited != text else {
        draft.remove()
        return report(false, known, own)
      }
      let didChange = try await own.replace(old, by: edited, of: name, from: draft.path)
      draft.remove()
      report(didChange, known, own)
    } catch let error as OffersError {
      let hint = error.hint.map { $0.text + " " } ?? ""
      throw OffersError(
        error.code, error.message,
        hint: "\(hint)Your text is kept. Correct it, then store it: offers feeds edit \(name) "
          + "--from \(ShellQuoting.word(draft.path))")
    }
  }

  private func report(_ didChange: Bool, _ known: FeedConfiguration, _ own: OwnFeeds) {
    Output.note(
      didChange ? "\(name): its definition was changed." : "\(name): nothing was changed.")
    if let note = DefinitionOrigin.conflict(of: name, known, own.file) { Output.note(.line(note)) }
  }
}

/// A definition in a temporary file, which an editor changes.
private struct Draft {
  let path: String

  init(of name: String, _ text: String) throws {
    let folder = ProcessContext.variable("TMPDIR") ?? "/tmp"
    // mkstemp(3): mkstemps requires these six X, and replaces them by characters that make the name unique. Editors
    // know YAML by the suffix.
    var template = Array("\(folder)/offers-\(name)-XXXXXX.yaml".utf8CString)
    let descriptor = mkstemps(&template, Int32(".yaml".utf8.count))
    guard descriptor >= 0 else { throw Self.failure(folder) }
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    defer { close(descriptor) }
    do {
      try FileHandle(fileDescriptor: descriptor).write(contentsOf: Data(text.utf8))
    } catch {
      unlink(path)
      throw Self.failure(folder)
    }
  }

  private static func failure(_ folder: String) -> OffersError {
    OffersError(
      .storageFailed, "A file for the editor could not be written in \(folder).",
      hint: "Check its permissions, or set TMPDIR.")
  }

  /// Runs the editor until it ends. The shell splits the words of the variable, such as `code --wait`.
  func edit() throws {
    let set = [ProcessContext.variable("VISUAL"), ProcessContext.variable("EDITOR")]
    let editor = set.compactMap(\.self).first { !$0.isEmpty } ?? "vi"
    let process = try ChildProcess(
      ["/bin/sh", "-c", "\(editor) \"$1\"", "sh", path], input: .standardInput,
      output: .standardOutput, errors: .standardErrors)
    guard process.wait() == 0 else {
      throw OffersError(
        .invalidRequest, "The editor \(editor) failed, and nothing was changed.",
        hint: "Set VISUAL or EDITOR to an editor that waits until you are done.")
    }
  }

  func remove() { unlink(path) }
}

struct FeedsSetCommand: AsyncParsableCommand, LoggedCommand {
  static let configuration = CommandConfiguration(
    commandName: "set",
    abstract: "Set how often a feed is synced, and the currency of its amounts.",
    usage: "offers feeds set <name> [--every <time>] [--currency <code>] [<options>]",
    discussion: """
      Both are kept in the database, and override those of the feed's definition; intervals: and \
      currencies: in your own YAML file override them. The currency is that of amounts which do not state one; the next sync reads \
      the feed again with it. The source of a feed is set by: offers sync FEED --from SOURCE

      EXAMPLES
        offers feeds set ibotta --every 2h
        offers feeds set ibotta --every default
        offers feeds set shop --currency USD
      """)

  @Argument(help: "The feed.") var name: String

  @Option(
    parsing: .unconditional,
    help: .value(
      "time", "The interval, such as 30m, 6h, 1d or 2w; or default, for the one of its definition.")
  )
  var every: String?

  @Option(
    help: .value("code", "The currency, such as USD; or default, for the one of its definition."))
  var currency: String?

  @OptionGroup var location: DatabaseOptions
  @OptionGroup var configuration: ConfigurationOptions

  func validate() throws {
    if every == nil, currency == nil {
      throw ValidationError("Name what to set: --every TIME or --currency CODE.")
    }
  }

  var logEntry: LogEntry? { LogEntry("feed changed", ["feed": name]) }

  func run() async throws {
    let file = try configuration.path
    var settings: [FeedSetting] = []
    if let every {
      settings.append(
        .everySeconds(every == "default" ? nil : try IntervalText.seconds(parsing: every)))
    }
    if let currency { settings.append(.currency(currency == "default" ? nil : currency)) }
    for setting in settings { try setting.check() }
    _ = try await file.load(from: location.openIfThere(.readOnly)).fetch(name)
    // An unknown feed and an invalid value create no database.
    let own = OwnFeeds(file: file, database: try await location.open(.readWrite))
    let didChange = try await own.set(settings, of: name)
    let feed = try await own.configuration().fetch(name)
    for (setting, didChange) in zip(settings, didChange) {
      let words =
        switch setting {
        case .everySeconds:
          "every "
            + IntervalText.text(seconds: feed.everySeconds ?? FeedDefinition.defaultEverySeconds)
        case .currency: feed.currency.map { "amounts in \($0)" } ?? "amounts without a currency"
        }
      try Output.print(.text("\(name): \(words)" + (didChange ? "" : ", as before")))
    }
  }
}
