import OffersCore

/// Reads the products that a web page states in JSON-LD (https://www.w3.org/TR/json-ld11/#embedding-json-ld-in-html-documents).
///
/// The page is read as a stream, of which only the scripts with JSON-LD are kept, up to a total of 4 MiB. The products
/// come at the end, because parts of one may stand in several scripts. A script that is not valid JSON is left out.
final class PageFeedReader: FormatReader {
  private enum Part {
    case markup
    /// A part without JSON-LD, up to the text that ends it.
    case passed(until: StaticString)
    case script
  }

  private var assembler: OfferAssembler
  private let sink: any OfferSink
  private let address: String?
  private let input = InputBuffer(limitBytes: 2 * PageFeedReader.limitBytes)
  private var part = Part.markup
  private var roomBytes = PageFeedReader.limitBytes
  private var products = PageProducts()
  private(set) var itemCount = 0

  private static let limitBytes = 4 << 20
  private static let tagBytes = 16 << 10
  private static let scriptEnd: StaticString = "</script"

  /// - Parameter address: the page's URL, which is the link of a product without one.
  init(assembler: OfferAssembler, address: String?, sink: any OfferSink) {
    self.assembler = assembler
    self.address = address
    self.sink = sink
  }

  let shapeProblem: String? = nil
  let lacksOnlyList = false
  let shapeHint: String? = nil

  func consume(_ bytes: UnsafeRawBufferPointer) throws {
    try input.take(bytes, limitBytes: Self.limitBytes) { try read(isFinal: false) }
  }

  func finish() throws {
    try read(isFinal: true)
    let records = products.records(address: address)
    guard !records.isEmpty else {
      throw OffersError(
        .malformedFeed, "The document is a web page without products in JSON-LD, not a feed.",
        hint: "Nothing was changed. Open the source in a browser: it may ask for a login.")
    }
    for record in records {
      itemCount += 1
      try assembler.deliver(.object(record), isFull: false, to: sink, position: itemCount)
    }
  }

  private func read(isFinal: Bool) throws {
    let html = UnsafeRawBufferPointer(start: input.start, count: input.end - input.start)
    var p = 0
    defer { input.consume(to: input.start + p) }
    while p < html.count {
      switch part {
      case .markup:
        guard let start = html[p...].firstIndex(of: 0x3C) else {
          p = html.count
          return
        }
        p = start
        if html.count - p <= Self.scriptEnd.utf8CodeUnitCount, !isFinal { return }
        if html.hasText("<!--", at: p) {
          part = .passed(until: "-->")
          p += 2
        } else if html.hasText("<script", at: p) {
          let rest = html.slice(p, min(html.count, p + Self.tagBytes))
          var tag = HTMLPicture.Tag(rest)
          part = .passed(until: Self.scriptEnd)
          while let (name, value) = tag.nextAttribute() {
            if name == "type",
              tag.decoded(value).withUnsafeBytes({ $0.hasText("application/ld+json", at: 0) })
            {
              part = .script
            }
          }
          if tag.position < rest.count {
            p += tag.position
          } else {
            part = .markup
            if !isFinal, rest.count < Self.tagBytes { return }
            p += 1
          }
        } else {
          p += 1
        }
      case .passed(let end):
        if let place = html.place(of: end, from: p) {
          part = .markup
          p = place + end.utf8CodeUnitCount
        } else {
          p = isFinal ? html.count : max(p, html.count - end.utf8CodeUnitCount + 1)
          return
        }
      case .script:
        let end = html.place(of: Self.scriptEnd, from: p)
        if (end ?? html.count) - p > roomBytes { throw Self.tooLarge }
        guard let end else {
          if isFinal { p = html.count }
          return
        }
        try take(html.slice(p, end))
        part = .markup
        p = end + Self.scriptEnd.utf8CodeUnitCount
      }
    }
  }

  private static let tooLarge = OffersError(
    .limitExceeded, "The page has more than \(limitBytes >> 20) MiB of JSON-LD.",
    hint: "Nothing was changed. Check that the source is the page of a product or list.")

  /// Takes the value of a script. Some programs escape it as they escape text.
  private func take(_ script: UnsafeRawBufferPointer) throws {
    roomBytes -= script.count
    if try addValue(of: script) { return }
    if script.place(of: "&quot;", from: 0) != nil {
      let decoded = HTMLPicture.Tag(script).decoded(script)
      if try decoded.withUnsafeBytes(addValue) { return }
    }
    if try Self.withoutTrailingCommas(script).withUnsafeBytes(addValue) { return }
    sink.mend(position: 0, reason: "a script with JSON-LD is not valid JSON, left out")
  }

  /// The script without commas before a closing bracket, which people leave behind as they edit.
  private static func withoutTrailingCommas(_ script: UnsafeRawBufferPointer) -> [UInt8] {
    var text = [UInt8](script)
    var comma: Int?
    var isInText = false
    var isEscaped = false
    for (place, byte) in script.enumerated() {
      if isInText {
        if !isEscaped, byte == 0x22 { isInText = false }
        isEscaped = !isEscaped && byte == 0x5C
        continue
      }
      if byte == 0x7D || byte == 0x5D, let comma { text[comma] = 0x20 }
      if byte > 0x20 { comma = byte == 0x2C ? place : nil }
      isInText = byte == 0x22
    }
    return text
  }

  /// Adds the value of a script, which may have line ends in its texts, and marks of a comment or of a CDATA section
  /// around it. Returns false if it is not JSON.
  private func addValue(of script: UnsafeRawBufferPointer) throws -> Bool {
    var start = 0
    while start < script.count, script[start] != 0x7B,
      script[start] != 0x5B || script.hasText("[cdata[", at: start)
    {
      start += script[start] == 0x5B ? 7 : 1
    }
    let text =
      script.tail(from: min(start, script.count)).map { $0 < 0x20 ? 0x20 : $0 }
      + [UInt8](repeating: 0, count: InputBuffer.paddingBytes)
    return try text.withUnsafeBufferPointer { bytes in
      guard var p = bytes.baseAddress, bytes.count > InputBuffer.paddingBytes else {
        return script.isBlank
      }
      var reader = JSONValueReader(
        JSONScanner(end: p + bytes.count - InputBuffer.paddingBytes, isFinal: true))
      do {
        products.add(try reader.read(&p, depth: 0))
      } catch is JSONStop {
        return false
      }
      if reader.isFull { throw Self.tooLarge }
      return true
    }
  }
}

extension UnsafeRawBufferPointer {
  /// Whether a text in lower case stands at an index, in any case.
  fileprivate func hasText(_ text: StaticString, at start: Int) -> Bool {
    guard count - start >= text.utf8CodeUnitCount else { return false }
    for offset in 0..<text.utf8CodeUnitCount {
      let byte = self[start + offset]
      let isCapital = byte &- 0x41 < 26
      if (isCapital ? byte | 0x20 : byte) != text.utf8Start[offset] { return false }
    }
    return true
  }

  fileprivate func place(of text: StaticString, from start: Int) -> Int? {
    var place = self[start...].firstIndex(of: text.utf8Start[0])
    while let found = place, !hasText(text, at: found) {
      place = self[(found + 1)...].firstIndex(of: text.utf8Start[0])
    }
    return place
  }
}
