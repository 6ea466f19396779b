import Foundation
import OffersCore

/// The manual page, made from the same description of the commands as `--help`.
///
/// It uses the macros of man(7): https://man7.org/linux/man-pages/man7/man.7.html
struct ManualPage {
  /// A command in ArgumentParser's JSON description.
  struct Command: Decodable {
    var shouldDisplay: Bool?
    var commandName: String
    var abstract: String?
    var discussion: String?
    var subcommands: [Command]?
    var arguments: [Argument]?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var shouldDisplay: Bool?
    var isOptional: Bool?
    var isRepeating: Bool?
    var names: [Name]?
    var valueName: String?
    var defaultValue: String?
    var allValues: [String]?
    var abstract: String?
    var discussion: String?
  }

  private struct Tool: Decodable {
    var command: Command
  }

  private let root: Command
  private let version: String
  private var lines: [String] = []

  /// - Parameters:
  ///   - description: the program's commands in JSON, as ArgumentParser's
  ///     `--experimental-dump-help` prints them.
  ///   - version: the program's version, for the title line.
  init(description: String, version: String) throws {
    root = try JSONDecoder().decode(Tool.self, from: Data(description.utf8)).command
    self.version = version
  }

  /// The text of the page, for a file `offers.1`.
  mutating func text() -> String {
    lines = [".TH OFFERS 1 \"\" \"offers \(version)\" \"User Commands\""]
    let abstract = Self.plain(root.abstract ?? "").drop { $0 == "." }
    lines += [".SH NAME", "offers \\- \(Self.escaped(String(abstract)))"]
    lines += [".SH SYNOPSIS", ".B offers", ".I command", "[\\fIoptions\\fR] [\\fIarguments\\fR]"]
    let parts = Self.parts(of: root.discussion ?? "")
    lines += [".SH DESCRIPTION"] + paragraphs(parts.text.isEmpty ? root.abstract ?? "" : parts.text)
    lines.append(".SH COMMANDS")
    for command in root.subcommands ?? [] { add(command, path: "offers") }
    for (title, text) in parts.sections {
      lines += [".SH \(title)"] + literal(text)
    }
    lines += [".SH FILES", ".TP", ".I ~/.local/share/offers/offers.sqlite", "The database."]
    lines += [".TP", ".I ~/.config/offers/feeds.yaml", "Your own feed definitions."]
    return lines.joined(separator: "\n") + "\n"
  }

  private mutating func add(_ command: Command, path: String) {
    if command.shouldDisplay == false || command.commandName == "help" { return }
    let path = path + " " + command.commandName
    let shown = (command.arguments ?? []).filter { $0.shouldDisplay != false }
    let words = shown.filter { $0.kind == "positional" }.map { argument in
      let name = "\\fI\(Self.escaped(argument.valueName ?? ""))\\fR"
      let repeated = argument.isRepeating == true ? name + " ..." : name
      return argument.isOptional == true ? "[\(repeated)]" : repeated
    }
    lines.append(".SS \"\(([Self.escaped(path)] + words).joined(separator: " "))\"")
    let parts = Self.parts(of: command.discussion ?? "")
    lines += paragraphs(
      [command.abstract ?? "", parts.text].filter { !$0.isEmpty }
        .joined(separator: "\n\n"))
    for argument in shown where !Self.isEverywhere(argument) {
      lines += [".TP", Self.title(argument)]
      lines += paragraphs(
        [argument.abstract, argument.discussion].compactMap(\.self).joined(separator: " ")
          + Self.particulars(argument))
    }
    for (title, text) in parts.sections {
      lines += [".PP", "\\fI\(Self.escaped(title.capitalized))\\fR"] + literal(text)
    }
    for below in command.subcommands ?? [] { add(below, path: path) }
  }

  /// Whether the argument is `--help` or `--version`, which the page leaves out.
  private static func isEverywhere(_ argument: Argument) -> Bool {
    argument.names?.contains { $0.name == "help" || $0.name == "version" } ?? false
  }

  private static func title(_ argument: Argument) -> String {
    guard let names = argument.names, argument.kind != "positional" else {
      return "\\fI\(escaped(argument.valueName ?? ""))\\fR"
    }
    let shown = names.sorted { $0.name.count < $1.name.count }.map {
      "\\fB\(escaped(($0.kind == "long" ? "--" : "-") + $0.name))\\fR"
    }.joined(separator: ", ")
    return argument.kind == "option"
      ? shown + " \\fI\(escaped(argument.valueName ?? "value"))\\fR" : shown
  }

  private static func particulars(_ argument: Argument) -> String {
    var text = ""
    if let values = argument.allValues, !values.isEmpty, argument.kind == "option" {
      text += " One of: \(values.joined(separator: ", "))."
    }
    if let value = argument.defaultValue, argument.kind == "option" {
      text += " Default: \(value)."
    }
    return text
  }

  /// The text of a discussion before its first section, and its sections. A section begins with its
  /// title, a line in capitals.
  private static func parts(of discussion: String) -> (text: String, sections: [(String, String)]) {
    var text: [Substring] = []
    var sections: [(String, String)] = []
    for line in discussion.split(scalar: "\n", omittingEmptySubsequences: false) {
      let isTitle = !line.isEmpty && line.allSatisfy { $0.isUppercase || $0 == " " }
      if isTitle, line.first != " " {
        sections.append((String(line), ""))
      } else if sections.isEmpty {
        text.append(line)
      } else {
        sections[sections.count - 1].1 += line + "\n"
      }
    }
    return (text.joined(separator: "\n"), sections)
  }

  private func paragraphs(_ text: String) -> [String] {
    let rows = text.split(scalar: "\n", omittingEmptySubsequences: false)
    return rows.split(whereSeparator: \.isEmpty).enumerated().flatMap { index, paragraph in
      (index == 0 ? [] : [".PP"]) + [Self.escaped(paragraph.joined(separator: " "))]
    }
  }

  /// The lines of a text, except empty ones, in troff that preserves the line breaks (`.nf`).
  private func literal(_ text: String) -> [String] {
    let rows = text.split(scalar: "\n").map { Self.escaped(String($0)) }
    return [".PP", ".nf"] + rows + [".fi"]
  }

  private static func plain(_ text: String) -> String {
    text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// A text with backslashes, hyphens and double quotes escaped for troff, and a dot or apostrophe
  /// at its start, where it would begin a request.
  private static func escaped(_ text: String) -> String {
    let escaped = text.replacing(bytes: "\\", with: "\\e").replacing(bytes: "-", with: "\\-")
      .replacing(bytes: "\"", with: "\\(dq")
    let isRequest = text.utf8.first.map { ".'".utf8.contains($0) } ?? false
    return isRequest ? "\\&" + escaped : escaped
  }
}
