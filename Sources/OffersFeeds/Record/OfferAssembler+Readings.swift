import OffersCore

extension OfferAssembler {
  /// Converts a text to the form in which its field is stored, by the reading and the options of
  /// the alternative. Returns nil if the result is empty, and nil with a note if the text has no
  /// such form.
  mutating func finish(
    _ found: RecordValues.Text, _ alternative: FieldRule.Alternative, _ field: OfferField
  ) -> String? {
    var text = found.string
    let isPoint = field == .startsAt || field == .expiresAt
    switch alternative.reading {
    case .text: break
    case .html: text = HTMLText.plain(text)
    case .date: if !isPoint { text = shownDate(text) }
    case .link:
      guard let link = link(text, field, base: found.base) else { return nil }
      text = link
    case .image:
      guard let source = text.withBytes(HTMLPicture.find),
        let link = link(String(decoding: source, as: UTF8.self), field, base: found.base)
      else { return nil }
      text = link
    }
    if let limit = alternative.limitCharacters { text = Self.cut(text, to: limit) ?? text }
    let code = code(alternative.currency)
    var minorUnits = alternative.minorUnits
    if let path = alternative.percent {
      let kind = values.kind(at: path)
      if text.utf8.first == 0x2D, definition.presentation.valueRole == .reward {
        text.removeFirst()
      }
      if PercentWord.isPercent(kind) { return text.contains("%") ? text : text + " %" }
      if PercentWord.isMinor(kind) { minorUnits = minorUnits ?? .currency }
    }
    if let minorUnits {
      guard let amount = amount(text, minorUnits, code ?? definition.currency, field) else {
        return nil
      }
      text = amount
    } else if let code, !text.isEmpty {
      text = amount(text, code)
    }
    if isPoint { return point(text, field) }
    if field == .latitude || field == .longitude { return coordinate(text, field) }
    return text.isEmpty ? nil : text
  }

  /// The text of a field; in a field of one line without the white space around it, and with single
  /// spaces between its words. Returns nil if nothing is left.
  func tidied(_ text: String?, _ field: OfferField) -> String? {
    switch field.kind {
    case .line, .reward: text.flatMap(Self.oneLine)
    default: text
    }
  }

  /// A text on one line, with single spaces between its words; nil if it has no words.
  static func oneLine(_ text: String) -> String? {
    if text.withBytes(\.isTidy) { return text.isEmpty ? nil : text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    for byte in text.utf8 {
      if byte != 0x20, byte &- 9 >= 5 {
        bytes.append(byte)
      } else if let last = bytes.last, last != 0x20 {
        bytes.append(0x20)
      }
    }
    if bytes.last == 0x20 { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
  }

  /// Resolves a link. Returns nil, with a note, for a link that is too long, for the link of an
  /// image or a page that is no address, and for the link of an image that is that of a video or a
  /// sound.
  ///
  /// - Parameter base: the base of a relative link, if an element around it declares one.
  private mutating func link(_ text: String, _ field: OfferField, base: LinkResolver?) -> String? {
    let text = field == .imageURL ? LinkResolver.first(of: text) : text
    if text.utf8.count > OfferLimits.linkBytes {
      note(field, "is longer than \(OfferLimits.text(OfferLimits.linkBytes))", isKept: false)
      return nil
    }
    if field == .imageURL, text.withBytes({ MediaKind($0) }) == .soundOrVideo {
      note(field, "is a video or a sound: “\(Self.shown(text.trimmed()))”", isKept: false)
      return nil
    }
    if text.withBytes(LinkResolver.isAbsolute) { return text }
    let links = base ?? links
    if field == .imageURL || field == .url, links.isNoAddress(text) {
      note(field, "is not a URL: “\(Self.shown(text.trimmed()))”", isKept: false)
      return nil
    }
    return links.resolve(text)
  }

  /// The beginning of a text, for a note.
  static func shown(_ text: String) -> String {
    String(decoding: text.utf8.prefix(40), as: UTF8.self)
  }

  func date(_ text: String) -> ParsedDate? {
    text.withBytes { DateParser.parse($0, order: definition.dateOrder) }
  }

  /// Converts a date to ISO 8601, for a field that is shown as text, such as an attribute; returns
  /// other texts unchanged.
  private func shownDate(_ text: String) -> String {
    guard let date = date(text) else { return text }
    return DateParser.write(zone.shown(date).seconds, isWholeDay: date.isWholeDay)
  }

  /// Converts a date to Unix seconds in decimal digits; returns nil, with a note, for other texts.
  private mutating func point(_ text: String, _ field: OfferField) -> String? {
    if field == .expiresAt { statesEnd = true }
    let date = date(text)
    // Dates that stand for none are in 1970 or before 1902, or after 9000. A number of the latter
    // in seconds is read as one of 1977 in milliseconds.
    if !(date.map { (283_996_800..<221_845_392_000).contains($0.seconds) } ?? false),
      text.withBytes({ DateParser.meansNone($0, order: definition.dateOrder) })
    {
      return nil
    }
    guard let date else {
      note(field, "is not a recognized date: “\(Self.shown(text))”", isKept: false)
      return nil
    }
    // An offer that expires on a day is valid until the end of that day.
    return String(field == .expiresAt ? zone.end(of: date) : zone.start(of: date))
  }

  /// Cuts a text at the last space within its first `limit` characters, or after them if there is
  /// no space, and appends an ellipsis. Returns nil for a text of at most `limit` characters.
  static func cut(_ text: String, to limit: Int) -> String? {
    let kept = text.prefix(limit)
    if kept.endIndex == text.endIndex { return nil }
    let cut = kept.unicodeScalars.lastIndex(of: " ").map { kept[..<$0] } ?? kept
    return cut + "…"
  }

  /// The currency code of a rule, in capitals if it consists of three ASCII letters; nil if the
  /// record has none.
  private func code(_ rule: CurrencyRule?) -> String? {
    let found: String
    switch rule {
    case nil: return nil
    case .constant(let code): found = code
    case .path(let path):
      guard case .text(let text) = values.value(path, join: "") else { return nil }
      found = text.string
    }
    let isCode = found.utf8.count == 3 && found.utf8.allSatisfy(CharacterScan.isLetter)
    return isCode ? found.uppercased() : found
  }

  /// Appends a currency code to an amount that is a bare number; returns other texts unchanged. For
  /// these, in which a sign such as `$` may stand for several currencies, the code is kept beside
  /// the text.
  private mutating func amount(_ text: String, _ code: String) -> String {
    let isBare = text.utf8.allSatisfy {
      CharacterScan.isDigit($0) || $0 == 0x2E || $0 == 0x2C || $0 == 0x20
    }
    if isBare { return "\(text) \(code)" }
    if code.utf8.count == 3 { offer.rewardCurrency = code }
    return text
  }

  /// Converts an amount in minor units to major units, and appends the currency code if it is
  /// known. Returns nil, with a note, when the number of decimals is unknown. Texts other than
  /// plain numbers are returned unchanged.
  private mutating func amount(
    _ text: String, _ minorUnits: MinorUnitsRule, _ code: String?, _ field: OfferField
  ) -> String? {
    guard text.withBytes({ DecimalShift.amount($0, places: 0) }) != nil else { return text }
    var places = code?.withBytes { CurrencyCode.find($0)?.unitDigits }
    if case .path(let path) = minorUnits, case .text(let printed) = values.value(path, join: "") {
      places = Int(printed.string)
    }
    guard let places, let amount = text.withBytes({ DecimalShift.amount($0, places: places) })
    else {
      note(
        field, "is in minor units, and its number of decimals is unknown", isKept: false)
      return nil
    }
    let number = JSONNumberText.amount(String(decoding: amount, as: UTF8.self))
    return code.map { "\(number) \($0)" } ?? number
  }

  private mutating func coordinate(_ text: String, _ field: OfferField) -> String? {
    let text = text.trimmed()
    let limit = field == .latitude ? 90.0 : 180.0
    if text.utf8.count <= OfferLimits.nameBytes, let degrees = Double(text),
      degrees.magnitude <= limit
    {
      return text
    }
    note(field, "is “\(Self.shown(text))”, not in degrees", isKept: false)
    return nil
  }
}

/// Truncates or omits texts that exceed the limits of an offer; see `OfferLimits`.
extension OfferAssembler {
  /// Returns a field's text, truncated if it exceeds the field's limit, with a note. Returns nil,
  /// also with a note, for a longer text of a field that may not be truncated, such as a link.
  mutating func fit(_ text: String?, _ field: OfferField) -> String? {
    let limit = OfferLimits.bytes(of: field)
    guard let text, text.utf8.count > limit else { return text }
    guard OfferLimits.isCut(field) else {
      noteLong(field)
      return nil
    }
    add("\(field.name) is longer than \(OfferLimits.text(limit)), cut")
    return OfferLimits.fit(text, within: limit)
  }

  /// Returns an attribute's text, truncated if it exceeds the limit of an attribute together with
  /// the label `name`, with a note. Returns nil, also with a note, if the label leaves no room.
  mutating func fit(_ text: String, ofAttribute name: String) -> String? {
    let limit = OfferLimits.attributeBytes - name.utf8.count
    if text.utf8.count <= limit { return text }
    let isCut = limit > OfferLimits.mark.utf8.count
    let size = OfferLimits.text(OfferLimits.attributeBytes)
    add("\(name.prefix(60)) is longer than \(size), \(isCut ? "cut" : "left out")")
    return isCut ? OfferLimits.fit(text, within: limit) : nil
  }

  /// Adds a note that a field is left out because its text is too long, and would have another
  /// meaning if it were truncated, as an address or a number would.
  mutating func noteLong(_ field: OfferField) {
    let size = OfferLimits.text(OfferLimits.bytes(of: field))
    note(field, "is longer than \(size)", isKept: false)
  }
}

/// Prices that count only on some days.
extension OfferAssembler {
  /// Whether the present is within the dates of a sale. A date that is missing or not recognized is
  /// no bound.
  mutating func isNow(_ sale: SaleDatesRule) -> Bool {
    let first: String?
    let last: String?
    switch sale {
    case .range(let path):
      guard let range = saleText(path) else { return true }
      let slash = range.utf8.firstIndex(of: UInt8(ascii: "/"))
      first = String(range[..<(slash ?? range.endIndex)])
      last = slash.map { String(range[range.utf8.index(after: $0)...]) }
    case .bounds(let from, let until):
      first = from.flatMap { saleText($0) }
      last = until.flatMap { saleText($0) }
    }
    let start = saleDate(first).map(zone.start) ?? .min
    let end = saleDate(last).map(zone.end) ?? .max
    if start > now || end >= now && end != .max { offer.isTimed = true }
    return start <= now && now <= end
  }

  private func saleText(_ path: FieldPath) -> String? {
    guard case .text(let text) = values.value(path, join: ""), !text.string.isBlank else {
      return nil
    }
    return text.string
  }

  private mutating func saleDate(_ text: String?) -> ParsedDate? {
    guard let text, !text.isBlank, !text.withBytes({ DateParser.meansNone($0) }) else { return nil }
    if let date = date(text) { return date }
    add("a date of the sale is not recognized: “\(Self.shown(text))”")
    return nil
  }
}
