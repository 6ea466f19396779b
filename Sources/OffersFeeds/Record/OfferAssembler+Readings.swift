import OffersCore

extension OfferAssembler {
  /// Converts a text to the form in which its field is stored, by the reading and the options of
  /// the alternative. Returns nil if the result is empty, and nil with a note if the text has no
  /// such form.
  func finish(
    _ found: UnsafeRawBufferPointer, _ alternative: CompiledRules.Alternative, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    var text = found
    let base = values.base
    let isPoint = field == .startsAt || field == .expiresAt
    switch alternative.reading {
    case .text: break
    case .html: text = plainText(of: text)
    case .date: if !isPoint { text = shownDate(text) }
    case .link:
      guard let link = link(text, field, base: base) else { return nil }
      text = link
    case .image:
      guard let source = HTMLPicture.find(in: text),
        let link = link(record.arena.copy(source), field, base: base)
      else { return nil }
      text = link
    }
    if let limit = alternative.limitCharacters { text = cut(text, to: limit) }
    if let minorUnits = alternative.minorUnits {
      guard let amount = amount(text, minorUnits, alternative.currency, field) else { return nil }
      text = amount
    } else if let currency = alternative.currency {
      text = amount(text, currency)
    }
    if isPoint { return point(text, field) }
    if field == .latitude || field == .longitude { return coordinate(text, field) }
    return text.isEmpty ? nil : text
  }

  /// The text of a field; in a field of one line without the white space around it, and with single
  /// spaces between its words. Returns nil if nothing is left.
  @inline(__always)
  func tidied(
    _ text: UnsafeRawBufferPointer?, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    guard let text else { return nil }
    switch field.kind {
    case .line, .reward: return text.isTidy ? text : oneLine(text)
    default: return text
    }
  }

  /// A text on one line, with single spaces between its words; nil if it has no words.
  func oneLine(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for byte in text {
      if byte != 0x20, byte &- 9 >= 5 {
        bytes.append(byte)
      } else if let last = bytes.last, last != 0x20 {
        bytes.append(0x20)
      }
    }
    if bytes.last == 0x20 { bytes.removeLast() }
    return bytes.isEmpty ? nil : record.arena.copy(bytes)
  }

  /// Resolves a link. Returns nil, with a note, for a link that is too long, for the link of an
  /// image or a page that is no address, and for the link of an image that is that of a video or a
  /// sound.
  ///
  /// - Parameter base: the base of a relative link, as in `RecordTree.Node.base`.
  func link(
    _ text: UnsafeRawBufferPointer, _ field: OfferField, base: Int32
  ) -> UnsafeRawBufferPointer? {
    if text.count > OfferLimits.linkBytes {
      note(field, "is longer than \(OfferLimits.text(OfferLimits.linkBytes))", isKept: false)
      return nil
    }
    if field == .imageURL, MediaKind(text) == .soundOrVideo {
      let shown = String(decoding: text.trimmed().prefix(40), as: UTF8.self)
      note(field, "is a video or a sound: “\(shown)”", isKept: false)
      return nil
    }
    if LinkResolver.isAbsolute(text) { return text }
    let links = base < 0 ? links : record.bases[Int(base)]
    if field == .imageURL || field == .url, links.isNoAddress(text) {
      let shown = String(decoding: text.trimmed().prefix(40), as: UTF8.self)
      note(field, "is not a URL: “\(shown)”", isKept: false)
      return nil
    }
    return links.resolve(text, in: record.arena)
  }

  private func plainText(of html: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    if !html.contains(where: { $0 == 0x3C || $0 == 0x26 }) { return html }
    var bytes: [UInt8] = []
    HTMLText.append(html, to: &bytes)
    return record.arena.copy(bytes)
  }

  /// Converts a date to ISO 8601, for a field that is shown as text, such as an attribute; returns
  /// other texts unchanged.
  private func shownDate(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard let date = DateParser.parse(text, order: dateOrder) else { return text }
    let shown = DateParser.write(zone.shown(date).seconds, isWholeDay: date.isWholeDay)
    return record.arena.copy(Array(shown.utf8))
  }

  /// Converts a date to Unix seconds in decimal digits; returns nil, with a note, for other texts.
  private func point(
    _ text: UnsafeRawBufferPointer, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    guard let date = DateParser.parse(text, order: dateOrder) else {
      let shown = String(decoding: text.prefix(40), as: UTF8.self)
      note(field, "is not a recognized date: “\(shown)”", isKept: false)
      return nil
    }
    // An offer that expires on a day is valid until the end of that day.
    let seconds = field == .expiresAt ? zone.end(of: date) : zone.start(of: date)
    return record.arena.copy(Array(String(seconds).utf8))
  }

  private func cut(_ text: UnsafeRawBufferPointer, to limit: Int) -> UnsafeRawBufferPointer {
    if text.count <= limit { return text }
    let cut = Self.cut(String(decoding: text, as: UTF8.self), to: limit)
    return cut.map { record.arena.copy(Array($0.utf8)) } ?? text
  }

  /// Cuts a text at the last space within its first `limit` characters, or after them if there is
  /// no space, and appends an ellipsis. Returns nil for a text of at most `limit` characters.
  static func cut(_ text: String, to limit: Int) -> String? {
    let kept = text.prefix(limit)
    if kept.endIndex == text.endIndex { return nil }
    let cut = kept.lastIndex(of: " ").map { kept[..<$0] } ?? kept
    return cut + "…"
  }

  /// Appends a currency code to an amount that is a bare number; returns other texts unchanged, and
  /// also the amount if the currency has no value. For other texts, in which a sign such as `$` may
  /// stand for several currencies, the code is kept beside the text.
  private func amount(
    _ text: UnsafeRawBufferPointer, _ currency: CompiledRules.Source
  ) -> UnsafeRawBufferPointer {
    guard !text.isEmpty, case .text(let own, _) = values.value(currency, join: []) else {
      return text
    }
    let code = Self.code(own)
    let isBare = text.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E || $0 == 0x2C || $0 == 0x20 }
    if isBare { return record.arena.copy(Array(text) + [0x20] + code) }
    if code.count == 3 { texts.rewardCurrency = (code[0], code[1], code[2]) }
    return text
  }

  /// Converts an amount in minor units to major units, and appends the currency code if it is
  /// known. Returns nil, with a note, when the number of decimals is unknown. Texts other than
  /// plain numbers are returned unchanged.
  private func amount(
    _ text: UnsafeRawBufferPointer, _ minorUnits: CompiledRules.MinorUnits,
    _ currency: CompiledRules.Source?, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    guard DecimalShift.amount(text, places: 0) != nil else { return text }
    var code = currencyCode
    if let currency, case .text(let own, _) = values.value(currency, join: []) {
      code = Self.code(own)
    }
    var places = code?.withUnsafeBytes { CurrencyCode.find($0)?.unitDigits }
    if case .source(let source) = minorUnits,
      case .text(let printed, _) = values.value(source, join: [])
    {
      places = Int(String(decoding: printed, as: UTF8.self))
    }
    guard let places, let amount = DecimalShift.amount(text, places: places) else {
      note(
        field, "is in minor units, and its number of decimals is unknown", isKept: false)
      return nil
    }
    let number = JSONNumberText.amount(record.arena.copy(amount), record.arena)
    return record.arena.copy(Array(number) + (code.map { [0x20] + $0 } ?? []))
  }

  /// Returns a currency code, in capitals if it consists of three ASCII letters.
  private static func code(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    guard text.count == 3, text.allSatisfy(CharacterScan.isLetter) else { return Array(text) }
    return text.map { $0 & ~0x20 }
  }

  private func coordinate(
    _ text: UnsafeRawBufferPointer, _ field: OfferField
  ) -> UnsafeRawBufferPointer? {
    let text = text.trimmed()
    let limit = field == .latitude ? 90.0 : 180.0
    let shown = String(decoding: text.prefix(40), as: UTF8.self)
    if text.count <= OfferLimits.nameBytes,
      let degrees = Double(String(decoding: text, as: UTF8.self)), degrees.magnitude <= limit
    {
      return text
    }
    note(field, "is “\(shown)”, not in degrees", isKept: false)
    return nil
  }
}
