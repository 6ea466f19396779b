import OffersCore

/// A member of the items of a document, with the traits of its values.
struct ItemMember {
  /// The path from the item, with `.all` for each list on it.
  fileprivate(set) var steps: [FieldPath.Step]
  /// The keys of the path.
  let keys: [String]
  /// The number of keys, without that of an object, such as `node`, that wraps all members of the
  /// items.
  let depth: Int
  /// The words of the member's key, and of the keys of the objects around it, the outermost first.
  let words: KeyWords
  let owners: [KeyWords]
  /// The member's first text or number in each item, by the item's index.
  fileprivate(set) var values: [Int: String] = [:]
  /// The number of values that are Booleans, which `values` lacks.
  fileprivate(set) var otherCount = 0
  fileprivate(set) var itemCount = 1
  /// The values of the first 300 items that have one, in the order of the items.
  private(set) var samples: [String] = []
  private var traits: [ValueTraits] = []
  /// The order of the day and the month in the values, if they are dates of numbers and it is known.
  private(set) var dateOrder: DateOrder?
  private(set) var distinctCount = 0
  private(set) var averageBytes = 0

  fileprivate init(steps: [FieldPath.Step], keys: [String], depth: Int) {
    self.steps = steps
    self.keys = keys
    self.depth = depth
    words = KeyWords(keys.last ?? "")
    owners = keys.dropLast().map { KeyWords($0) }
  }

  /// Chooses the samples once all values have been added, and returns them as dates.
  fileprivate mutating func close() -> DateOrderGuess.Column {
    samples = values.sorted { $0.key < $1.key }.prefix(300).map(\.value)
    return DateOrderGuess.Column(samples)
  }

  /// Computes the traits.
  ///
  /// - Parameter order: the order in which the samples are read as dates of numbers; nil for other values, and if
  ///   it is not known.
  fileprivate mutating func read(_ order: DateOrder?) {
    dateOrder = order
    let isLink =
      FieldNames.rank(words, as: .url) != nil || FieldNames.rank(words, as: .imageURL) != nil
      || words.has(oneOf: FieldNames.paths)
    traits = samples.map { ValueTraits($0, isCalledLink: isLink, order: order) }
    distinctCount = Set(values.values).count
    averageBytes = values.values.reduce(0) { $0 + $1.utf8.count } / max(1, values.count)
  }

  var isThroughList: Bool { steps.contains(.all) }

  /// The share of items with a text or number as the member's value, from 0 to 1.
  var presence: Double { Double(values.count) / Double(itemCount) }

  /// Whether every item has a text or number, and all of these differ.
  var isUnique: Bool { values.count == itemCount && distinctCount == itemCount }

  /// Whether each of some items, of which there is at least one, has a text or number, and all of these differ.
  func isUnique(among items: Set<Int>) -> Bool {
    !items.isEmpty && Set(items.compactMap { values[$0] }).count == items.count
  }

  /// The share of `samples` that have a trait, from 0 to 1.
  func part(_ isSo: (ValueTraits) -> Bool) -> Double {
    traits.isEmpty ? 0 : Double(traits.count(where: isSo)) / Double(traits.count)
  }

  var isMostlyAddress: Bool { part(\.isAddress) > 0.8 }
  /// The limit is lower than for other traits, since some images have no file extension.
  var isMostlyImage: Bool { part(\.isImage) > 0.6 }
  var isMostlyNumber: Bool { part(\.isNumber) > 0.8 }
  var isMostlyDate: Bool {
    let isNamedSo = words.has(oneOf: FieldNames.times)
    return part { $0.isDate || isNamedSo && $0.isTimestamp } > 0.8
  }
  var isMostlyProse: Bool { part(\.isAddress) < 0.2 && part(\.hasLetters) > 0.5 }
  var hasMarkup: Bool { part(\.hasMarkup) > 0.02 }

  /// The type that the member's values are read as in an attribute.
  var reading: Reading {
    isMostlyDate ? .date : isMostlyAddress ? .link : hasMarkup ? .html : .text
  }

  /// The path of an item's value, with the first element of each list on the way.
  var path: FieldPath { FieldPath(steps.map { $0 == .all ? .index(0) : $0 }) }

  /// Whether the member is within an object that describes a shop, a person or another thing than
  /// the offer, according to the object's key.
  var isOfOther: Bool { owners.contains { FieldNames.otherThings.contains($0.joined) } }

  /// The members of a document's items, in the order of their first occurrence.
  ///
  /// - Parameter dateOrder: the order of the numbers in dates, if no member's values prove one.
  /// - Throws: `CancellationError`.
  static func all(of items: [SampleValue], dateOrder: DateOrder? = nil) throws -> [ItemMember] {
    var survey = MemberSurvey(items)
    for (index, item) in items.enumerated() {
      try Task.checkCancellation()
      survey.take(item, item: index, steps: [], keys: [])
    }
    var dates: [DateOrderGuess.Column] = []
    for index in survey.members.indices {
      survey.members[index].itemCount = max(1, items.count)
      dates.append(survey.members[index].close())
    }
    let proven = Set(dates.compactMap(\.order))
    let order = proven.count == 1 ? proven.first : proven.isEmpty ? dateOrder : nil
    for index in survey.members.indices {
      survey.members[index].read(dates[index].isDates ? order : nil)
    }
    return survey.members
  }
}

/// Collects the members of a document's items.
private struct MemberSurvey {
  var members: [ItemMember] = []
  /// The keys of objects that wrap the items' members in nearly all items, such as `node`.
  private let wrappers: Set<String>
  private var places: [[String]: Int] = [:]

  private static let depthLimit = 5
  private static let memberLimit = 400

  init(_ items: [SampleValue]) {
    var counts: [String: Int] = [:]
    for case .object(let item) in items {
      for case (let key, .object(let inner)) in item.members
      where FieldNames.wrappers.contains(key) && inner.leafCount() >= 2 {
        counts[key, default: 0] += 1
      }
    }
    wrappers = Set(counts.filter { $0.value * 10 >= items.count * 9 }.keys)
  }

  mutating func take(
    _ value: SampleValue, item: Int, steps: [FieldPath.Step], keys: [String]
  ) {
    switch value {
    case .text(let text), .number(let text): add(text, item: item, steps, keys)
    case .truth: if let place = place(steps, keys) { members[place].otherCount += 1 }
    case .null: break
    case .object(let object):
      if keys.count == Self.depthLimit { return }
      if let text = object.text { add(text, item: item, steps, keys) }
      for (key, member) in object.members {
        take(member, item: item, steps: steps + [.key(key)], keys: keys + [key])
      }
    case .list(let list):
      if steps.last == .all { return }
      // A point of GeoJSON (RFC 7946, section 3.1.1): longitude, then latitude.
      if keys.last == "coordinates", case .number? = list.first, list.count >= 2 {
        for (index, name) in ["longitude", "latitude"].enumerated() {
          take(list[index], item: item, steps: steps + [.index(index)], keys: keys + [name])
        }
        return
      }
      for element in list.prefix(8) { take(element, item: item, steps: steps + [.all], keys: keys) }
    }
  }

  private mutating func add(
    _ text: String, item: Int, _ steps: [FieldPath.Step], _ keys: [String]
  ) {
    if text.allSatisfy(\.isWhitespace) { return }
    guard let place = place(steps, keys), members[place].values[item] == nil else { return }
    members[place].values[item] = text
  }

  /// The index of the member at these keys; nil if there are too many members. One that is a single
  /// value in some items and a list in others has the path through the list, which fits both.
  private mutating func place(_ steps: [FieldPath.Step], _ keys: [String]) -> Int? {
    if let place = places[keys] {
      if steps.count > members[place].steps.count { members[place].steps = steps }
      return place
    }
    if members.count >= Self.memberLimit { return nil }
    let isWrapped = keys.first.map(wrappers.contains) == true
    places[keys] = members.count
    members.append(
      ItemMember(steps: steps, keys: keys, depth: isWrapped ? keys.count - 1 : keys.count))
    return members.count - 1
  }
}

/// Guesses at the type of a text.
struct ValueTraits {
  let isNumber: Bool
  let isWhole: Bool
  /// A whole number, or one with zeros only after the point, as some programs print ids.
  let isIntegral: Bool
  let isAddress: Bool
  let isImage: Bool
  /// A date other than a bare number.
  let isDate: Bool
  /// A bare number that may be a Unix time.
  let isTimestamp: Bool
  /// A text or number for no date, such as `N/A`, `ongoing` and 0, that is no date itself.
  let meansNoDate: Bool
  /// Whether the text is not the same when it is read as HTML, spaces aside.
  let hasMarkup: Bool
  /// A price, a percentage, or a number.
  let isMoney: Bool
  /// Has at least one letter, as names do.
  let hasLetters: Bool
  /// Letters only, such as the placeholders `self` and `default` for a missing image.
  let isWord: Bool
  /// A long text without spaces, such as a hash or a token.
  let isOpaque: Bool

  /// - Parameters:
  ///   - isCalledLink: whether the value is that of a member with the name of a link, so that `/tea` is a path,
  ///     and no text such as `/lb`.
  ///   - order: the order of the numbers in a date; nil if it is not known.
  init(_ text: String, isCalledLink: Bool = false, order: DateOrder? = nil) {
    let bytes = Array(text.utf8)
    let hasSpace = text.contains(" ")
    // A number may have its only comma as the decimal mark.
    let isOne = bytes.count { $0 == 0x2C || $0 == 0x2E } == 1
    let withPoint = String(decoding: bytes.map { $0 == 0x2C ? 0x2E : $0 }, as: UTF8.self)
    let number = Double(text) ?? (isOne ? Double(withPoint) : nil)
    isNumber = number?.isFinite == true
    isWhole = isNumber && bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2D }
    isIntegral = isWhole || isNumber && number?.rounded() == number && !text.contains("e")
    hasLetters = text.contains { $0.isLetter }
    let isWeb = Self.isWeb(text)
    let isPath = isCalledLink || text.dropFirst().dropLast().contains { $0 == "/" || $0 == "." }
    isAddress = isWeb || text.hasPrefix("/") && !hasSpace && isPath
    isImage = (isWeb || !hasSpace) && MediaKind(text.utf8) == .picture
    // 10.11.12 is as likely a version number.
    let mayBeDate = !isAddress && bytes.count <= 60 && !(bytes.count <= 8 && text.contains("."))
    // A date of a year that means no date, such as 0001, is one as well.
    let hasDigit = bytes.contains(where: CharacterScan.isDigit)
    let meansNone =
      bytes.count <= 60 && bytes.withUnsafeBytes { DateParser.meansNone($0, order: order) }
    let isDated =
      mayBeDate
      && (Self.seconds(text, order: order) != nil || bytes.count >= 8 && hasDigit && meansNone)
    let isBare = bytes.allSatisfy { $0 &- 0x30 < 10 || $0 == 0x2E }
    isDate = isDated && !isBare
    isTimestamp = isDated && isBare
    meansNoDate = meansNone && !isDated
    isMoney = isNumber || !isAddress && !isDate && bytes.count <= 60 && Self.hasAmount(text)
    isWord = !bytes.isEmpty && bytes.allSatisfy(CharacterScan.isLetter)
    isOpaque = !isAddress && bytes.count > 60 && !hasSpace
    guard bytes.contains(where: { $0 == 0x3C || $0 == 0x26 }) else {
      hasMarkup = false
      return
    }
    var plain: [UInt8] = []
    bytes.withUnsafeBytes { HTMLText.append($0, to: &plain) }
    hasMarkup = !bytes.filter { $0 > 0x20 }.elementsEqual(plain.filter { $0 > 0x20 })
  }

  /// Whether a text is a web address, possibly with spaces in its path, as many feeds print them.
  private static func isWeb(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    guard ["http://", "https://", "//"].contains(where: start.hasPrefix), !text.contains("\n")
    else { return false }
    return !text.drop { $0 != "/" }.drop { $0 == "/" }.prefix { $0 != "/" }.contains(" ")
  }

  /// The time of a date; nil for another text.
  static func seconds(_ text: String, order: DateOrder? = nil) -> Int64? {
    var text = text
    return text.withUTF8 { DateParser.parse(UnsafeRawBufferPointer($0), order: order) }?.seconds
  }

  /// Whether a short text is an amount or a percentage, or has a number, and the sign or code of a
  /// currency or a percent sign.
  private static func hasAmount(_ text: String) -> Bool {
    var text = text
    let kind = text.withUTF8 {
      RewardParser(feedCurrency: nil).parse(UnsafeRawBufferPointer($0)).kind
    }
    if kind != 0 { return true }
    return text.contains(where: \.isNumber)
      && (text.contains { "$€£¥₹%".contains($0) }
        || text.split { !$0.isLetter }.contains { $0.count == 3 && CurrencyCode(String($0)) != nil })
  }
}
