import OffersCore

/// The lines of a definition file, to insert and remove some of them.
///
/// Knows only the usual layout of such a file: a section's key (`feeds:` or another) at the margin,
/// the feeds' names indented below it. Each line is an array of bytes with its line ending, since
/// Swift treats CR LF as a single `Character`.
struct DefinitionLines {
  private let section: String
  private var lines: [[UInt8]]

  init(_ text: String, section: String = "feeds") {
    self.section = section
    lines = []
    var line: [UInt8] = []
    for byte in text.utf8 {
      line.append(byte)
      if byte == 0x0A {
        lines.append(line)
        line = []
      }
    }
    if !line.isEmpty { lines.append(line) }
  }

  var text: String { String(decoding: lines.joined(), as: UTF8.self) }

  // MARK: Changes

  /// Appends a feed to the section; does nothing if the file has no such section.
  ///
  /// - Parameter block: the feed's lines without line endings, indented by two spaces.
  mutating func add(_ block: [[UInt8]]) {
    guard let head = headLine else { return }
    var place = head + 1
    var indent = 2
    if let first = firstFeed(below: head) {
      indent = self.indent(of: lines[first])
      let end = sectionEnd(below: head)
      place = (lines[..<end].lastIndex { !isBlank($0) && self.indent(of: $0) > 0 } ?? head) + 1
    } else {
      setValue([], of: section, in: head)
    }
    let margin = [UInt8](repeating: 0x20, count: indent)
    insert(block.map { margin + $0.dropFirst(2) }, at: place)
  }

  /// Sets a feed's value in the section, such as `6h` below `intervals:`. Appends the feed where it
  /// is missing, and the section as well.
  mutating func set(_ name: String, to text: String) {
    addSection()
    if let line = findFeed(name) {
      setValue(Array(" \(text)".utf8), of: name, in: line)
    } else {
      add([Array("  \(name): \(text)".utf8)])
    }
  }

  /// Removes a feed from the section.
  ///
  /// - Parameters:
  ///   - name: the name of the feed; nothing changes when the section does not have it.
  ///   - hasComment: whether to remove the comment directly above it as well.
  mutating func remove(_ name: String, hasComment: Bool = true) {
    guard let head = headLine, var start = findFeed(name) else { return }
    let indent = self.indent(of: lines[start])
    let section = sectionEnd(below: head)
    var end = start + 1
    while end < section, isBlank(lines[end]) || self.indent(of: lines[end]) > indent { end += 1 }
    while hasComment, start > head + 1, isComment(lines[start - 1]),
      self.indent(of: lines[start - 1]) <= indent
    {
      start -= 1
    }
    if end == lines.count {
      // Removes the empty lines before the feed as well, which would otherwise end the file.
      while start > head + 1, isBlank(lines[start - 1]) { start -= 1 }
    }
    lines.removeSubrange(start..<end)
  }

  /// Writes `{}` as the section's value, for a section without feeds.
  mutating func setEmpty() {
    if let head = headLine { setValue(Array(" {}".utf8), of: section, in: head) }
  }

  /// Adds the section, without feeds, if the file lacks it. Writes `{}` as the value of a section
  /// that has neither feeds nor a value.
  mutating func addSection() {
    if let head = headLine {
      let shown = shown(of: section, in: head)
      let isEmpty = firstFeed(below: head) == nil
      if isEmpty, ["", "~", "null"].contains(where: { shown.elementsEqual($0.utf8) }) {
        setEmpty()
      }
      return
    }
    let end = lines.firstIndex { $0.starts(with: Array("...".utf8)) } ?? lines.count
    insert([Array("\(section): {}".utf8)], at: end)
  }

  private mutating func insert(_ block: [[UInt8]], at place: Int) {
    let ending = self.ending
    if place > 0, lines[place - 1].last != 0x0A { lines[place - 1] += ending }
    lines.insert(contentsOf: block.map { $0 + ending }, at: place)
  }

  /// The line ending of the file's first line.
  private var ending: [UInt8] {
    lines.first?.suffix(2).elementsEqual([0x0D, 0x0A]) == true ? [0x0D, 0x0A] : [0x0A]
  }

  /// Replaces the value after a key, and keeps a comment after it.
  private mutating func setValue(_ value: [UInt8], of key: String, in index: Int) {
    let old = shown(of: key, in: index)
    guard let rest = self.value(of: key, in: lines[index]) else { return }
    lines[index] =
      Array(lines[index][..<rest.startIndex]) + value + Array(lines[index][old.endIndex...])
  }

  /// The value after a key, without a comment and surrounding spaces.
  private func shown(of key: String, in index: Int) -> ArraySlice<UInt8> {
    guard let rest = value(of: key, in: lines[index]) else { return [] }
    let comment = rest.indices.first { place in
      rest[place] == 0x23 && (place == rest.startIndex || ASCII.isSpace(rest[place - 1]))
    }
    var text = rest[..<(comment ?? rest.endIndex)]
    while let last = text.last, ASCII.isSpace(last) { text.removeLast() }
    while let first = text.first, ASCII.isSpace(first) { text.removeFirst() }
    return text
  }

  // MARK: Finding lines

  /// The index of the section's first line, which has its key.
  private var headLine: Int? {
    lines.firstIndex { indent(of: $0) == 0 && value(of: section, in: $0) != nil }
  }

  private func findFeed(_ name: String) -> Int? {
    guard let head = headLine, let first = firstFeed(below: head) else { return nil }
    let indent = self.indent(of: lines[first])
    return (first..<sectionEnd(below: head)).first { index in
      self.indent(of: lines[index]) == indent && value(of: name, in: lines[index]) != nil
    }
  }

  /// The index of the first feed's line; nil for a section without feeds.
  private func firstFeed(below head: Int) -> Int? {
    let next = lines.indices.dropFirst(head + 1).first {
      !isBlank(lines[$0]) && !isComment(lines[$0])
    }
    return next.flatMap { indent(of: lines[$0]) > 0 ? $0 : nil }
  }

  /// The index after the section's last line: the next line that is not indented, blank lines and
  /// comments aside.
  private func sectionEnd(below head: Int) -> Int {
    lines.indices.dropFirst(head + 1).first { index in
      let line = lines[index]
      return !isBlank(line) && !isComment(line) && indent(of: line) == 0
    } ?? lines.count
  }

  /// The rest of a line after a key and its colon; nil for a line whose content does not begin with
  /// the key.
  private func value(of key: String, in line: [UInt8]) -> ArraySlice<UInt8>? {
    let text = content(of: line)
    for spelling in [key, "\"\(key)\"", "'\(key)'"] where text.starts(with: spelling.utf8) {
      var rest = text.dropFirst(spelling.utf8.count)
      while let first = rest.first, first == 0x20 || first == 0x09 { rest = rest.dropFirst() }
      guard rest.first == 0x3A else { continue }
      rest = rest.dropFirst()
      if rest.first.map(ASCII.isSpace) ?? true { return rest }
    }
    return nil
  }

  /// A line without its byte order mark and indentation.
  private func content(of line: [UInt8]) -> ArraySlice<UInt8> {
    let hasMark = line.starts(with: [0xEF, 0xBB, 0xBF])
    return line.dropFirst(hasMark ? 3 : 0).drop { $0 == 0x20 }
  }

  private func indent(of line: [UInt8]) -> Int {
    line.prefix { $0 == 0x20 }.count
  }

  private func isBlank(_ line: [UInt8]) -> Bool { line.allSatisfy(ASCII.isSpace) }

  private func isComment(_ line: [UInt8]) -> Bool { content(of: line).first == 0x23 }
}
