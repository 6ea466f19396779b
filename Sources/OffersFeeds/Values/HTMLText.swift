/// Turns a fragment of HTML into the plain text that a person would read.
///
/// Tags, comments, scripts and styles go; blocks and `<br>` become line breaks, paragraphs and
/// lists have a blank line around them, list items begin with a bullet, table cells stand a space
/// apart. Broken HTML is read much as browsers do, except that a tag that never ends is text. The
/// work is in proportion to the input, whatever it holds.
package enum HTMLText {
  /// - Parameters:
  ///   - html: UTF-8. What is not UTF-8 comes out as it went in.
  ///   - out: where the text is put behind what is there.
  package static func append(_ html: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    var reader = HTMLReader(html)
    var lines = TextLines()
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
        index = HTMLReader.readReference(html, at: index, &lines, &out)
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
