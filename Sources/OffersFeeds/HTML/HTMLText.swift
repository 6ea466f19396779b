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
