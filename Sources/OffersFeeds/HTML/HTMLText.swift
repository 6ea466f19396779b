/// Converts a fragment of HTML to plain text.
///
/// Tags, comments, scripts, styles and titles are removed, character references are decoded, and
/// whitespace is collapsed. Blocks and `<br>` become line breaks, paragraphs and outer lists have a
/// blank line around them, list items begin with a bullet, and table cells are separated by a
/// space. Malformed HTML is read much as in browsers, except that an unclosed tag is text. The work
/// is linear in the input.
package enum HTMLText {
  /// The text of a fragment of HTML.
  static func plain(_ html: String) -> String {
    html.withBytes { html in
      if !html.contains(where: { $0 == 0x3C || $0 == 0x26 }) { return nil }
      var bytes: [UInt8] = []
      append(html, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    } ?? html
  }

  /// Appends the text of a fragment of HTML.
  ///
  /// - Parameters:
  ///   - html: UTF-8; invalid bytes are kept, NUL is replaced by U+FFFD.
  ///   - out: the text is appended to it.
  package static func append(_ html: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    var reader = HTMLMarkupReader(html)
    var lines = PlainTextWriter()
    var start = 0
    var index = 0
    while index < html.count {
      switch html[index] {
      case 0x20, 0x09, 0x0A, 0x0C, 0x0D:
        lines.append(html, start..<index, to: &out)
        lines.addSpace()
        index += 1
      case 0x3C:
        lines.append(html, start..<index, to: &out)
        index = reader.readMarkup(at: index, &lines, &out)
      case 0x26:
        lines.append(html, start..<index, to: &out)
        index = HTMLMarkupReader.readReference(html, at: index, &lines, &out)
      case 0x5D where reader.isInSection:
        guard let end = reader.sectionEnd(at: index) else {
          index += 1
          continue
        }
        lines.append(html, start..<index, to: &out)
        index = end
      case 0x00:
        lines.append(html, start..<index, to: &out)
        lines.append(scalar: 0xFFFD, to: &out)
        index += 1
      case 0xC2 where index + 1 < html.count && html[index + 1] == 0xA0:
        lines.append(html, start..<index, to: &out)
        lines.append(scalar: 0xA0, to: &out)
        index += 2
      default:
        index += 1
        continue
      }
      start = index
    }
    lines.append(html, start..<html.count, to: &out)
  }
}

/// Finds the picture of a text in HTML.
enum HTMLPicture {
  /// Returns the address of the first `<img>` that is meant to be seen, with its character
  /// references decoded; nil if there is none. Passes over data URLs, pixels that count readers,
  /// small signs such as emoji, and elements whose content is no markup or is not shown.
  static func find(in html: UnsafeRawBufferPointer) -> [UInt8]? {
    var rest = html
    while let start = rest.firstIndex(of: 0x3C) {
      rest = rest.tail(from: start)
      if isTag("img", in: rest) {
        var tag = Tag(rest.tail(from: 4))
        let address = tag.pictureAddress()
        rest = rest.tail(from: min(rest.count, 4 + tag.position))
        if let address { return address }
      } else if rest.matches("<!--", at: 0) == true {
        rest = rest.tail(from: 4)
        while !rest.isEmpty, rest.matches("-->", at: 0) != true { rest = rest.tail(from: 1) }
      } else if let name = unseenElements.first(where: { isTag($0, in: rest) }) {
        rest = rest.tail(from: 1)
        while let end = rest.firstIndex(of: 0x3C) {
          rest = rest.tail(from: end)
          if rest.count > 1, rest[1] == 0x2F, isTag(name, in: rest.tail(from: 1)) { break }
          rest = rest.tail(from: 1)
        }
      } else {
        rest = rest.tail(from: 1)
      }
    }
    return nil
  }

  /// The elements in which an `<img>` is a text or is not shown.
  private static let unseenElements: [StaticString] = [
    "script", "style", "textarea", "title", "template", "iframe", "xmp",
  ]

  /// Whether an attribute that says how wide or high a picture is makes it a pixel.
  static func isPixel(_ size: some StringProtocol) -> Bool {
    let digits = size.drop { $0 == " " }.prefix { $0.isASCII && $0.isNumber }
    guard let pixels = Int(digits) else { return false }
    return pixels <= 2 && !size.contains("%") && !size.contains("em")
  }

  private static func isTag(_ name: StaticString, in html: UnsafeRawBufferPointer) -> Bool {
    let count = name.utf8CodeUnitCount
    guard html.count > count + 1 else { return false }
    for offset in 0..<count where html[1 + offset] | 0x20 != name.utf8Start[offset] {
      return false
    }
    let next = html[1 + count]
    return next <= 0x20 || next == 0x2F || next == 0x3E
  }

  /// The attributes of a tag.
  struct Tag {
    private let html: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ html: UnsafeRawBufferPointer) { self.html = html }

    fileprivate mutating func pictureAddress() -> [UInt8]? {
      var sources: [String: [UInt8]] = [:]
      var isUnseen = false
      while let (name, value) = nextAttribute() {
        switch name {
        case "src", "data-src", "data-lazy-src", "data-original":
          let address = decoded(value)
          if !address.isEmpty, !isData(address) { sources[name] = sources[name] ?? address }
        case "width", "height":
          isUnseen = isUnseen || HTMLPicture.isPixel(String(decoding: value, as: UTF8.self))
        case "class":
          let names = String(decoding: value, as: UTF8.self).lowercased()
          isUnseen = isUnseen || names.contains("emoji") || names.contains("smiley")
        default: break
        }
      }
      if isUnseen { return nil }
      // A page that loads its pictures late has a placeholder in `src`.
      return ["data-src", "data-lazy-src", "data-original", "src"].lazy.compactMap { sources[$0] }
        .first
    }

    private func isData(_ address: [UInt8]) -> Bool {
      String(decoding: address.prefix(5), as: UTF8.self).lowercased() == "data:"
    }

    /// The bytes of an attribute's value with its character references decoded.
    func decoded(_ value: UnsafeRawBufferPointer) -> [UInt8] {
      var lines = PlainTextWriter()
      var bytes: [UInt8] = []
      var index = 0
      let value = value.trimmed()
      while index < value.count {
        if value[index] == 0x26 {
          index = HTMLMarkupReader.readReference(value, at: index, &lines, &bytes)
        } else {
          bytes.append(value[index])
          index += 1
        }
      }
      return bytes
    }

    /// The values of the first `limit` attributes by their names in lower case, decoded. Of several with one name
    /// the first counts.
    mutating func attributes(limit: Int) -> [String: String] {
      var found: [String: String] = [:]
      while found.count < limit, let (name, value) = nextAttribute() {
        found[name] = found[name] ?? String(decoding: decoded(value), as: UTF8.self)
      }
      return found
    }

    /// The next attribute's name, in lower case, and its value; nil at the tag's end.
    mutating func nextAttribute() -> (String, UnsafeRawBufferPointer)? {
      while position < html.count, html[position] <= 0x20 || html[position] == 0x2F {
        position += 1
      }
      guard position < html.count, html[position] != 0x3E else { return nil }
      let start = position
      while position < html.count, html[position] > 0x20,
        html[position] != 0x3D || position == start, html[position] != 0x3E,
        html[position] != 0x2F
      {
        position += 1
      }
      let name = String(decoding: html.slice(start, position), as: UTF8.self).lowercased()
      skipSpaces()
      guard position < html.count, html[position] == 0x3D else {
        return (name, html.slice(position, position))
      }
      position += 1
      skipSpaces()
      guard position < html.count else { return (name, html.slice(position, position)) }
      let quote = html[position]
      if quote == 0x22 || quote == 0x27 {
        let valueStart = position + 1
        let end = html[valueStart...].firstIndex(of: quote) ?? html.count
        position = min(html.count, end + 1)
        return (name, html.slice(valueStart, end))
      }
      let valueStart = position
      while position < html.count, html[position] > 0x20, html[position] != 0x3E { position += 1 }
      return (name, html.slice(valueStart, position))
    }

    private mutating func skipSpaces() {
      while position < html.count, html[position] <= 0x20 { position += 1 }
    }
  }
}
