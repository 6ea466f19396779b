import OffersCore

/// Proposes attributes for the members of the items that no field uses.
enum AttributeGuess {
  private static let limit = 12
  /// The number of members that are compared with each other.
  private static let candidateLimit = 64

  /// - Parameters:
  ///   - survey: the members of the items, from which the attributes are chosen.
  ///   - used: the keys of members that fields or the id already use.
  ///   - name: the member that is the name of the items; a member that repeats it is left out.
  static func rules(
    _ survey: MemberSurvey, used: Set<[String]>, name: ItemMember?
  ) -> [AttributeRule] {
    let members = survey.members.filter { member in
      !used.contains(member.keys) && isWorthShowing(member)
        && name.map { isAlike(member.values, $0.values) } != true
    }
    var rules: [AttributeRule] = []
    var labels: Set<String> = []
    // URLs come last, since people rarely read them.
    let ordered = members.filter { !$0.isMostlyAddress } + members.filter(\.isMostlyAddress)
    for member in withoutRepeats(ordered.prefix(candidateLimit)) where rules.count < limit {
      guard let label = label(for: member, taken: labels) else { continue }
      labels.insert(label)
      rules.append(
        AttributeRule(label: label, rule: FieldRule(.path(member.path), reading: member.reading)))
    }
    return rules
  }

  private static func isWorthShowing(_ member: ItemMember) -> Bool {
    let items = member.itemCount
    guard !member.words.words.isEmpty, member.keys.last?.hasPrefix("_") != true, member.depth <= 2,
      !member.isThroughList, member.presence >= 0.2, member.otherCount * 20 <= items
    else { return false }
    // A value that is equal in all items says nothing about an offer.
    if items >= 5, member.presence > 0.9, member.distinctCount == 1 { return false }
    if member.isMostlyImage || member.isMostlyAddress && member.isCalledImage
      || member.part(\.isOpaque) > 0.2 || member.averageBytes > 300
    {
      return false
    }
    let words = member.words
    let name = vague.contains(words.joined) ? member.owners.last?.words.last : words.words.last
    return !unread.contains(name ?? "") && !(words.joined.hasSuffix("id") && member.isMostlyNumber)
  }

  /// Whether at least nine in ten values are equal to the others of the same items.
  private static func isAlike(_ values: [Int: String], _ others: [Int: String]) -> Bool {
    let count = values.count { item, value in others[item] == value }
    return count > 0 && count * 10 >= values.count * 9
  }

  /// Removes members that repeat another one's values, even in another notation, such as dates and
  /// phone numbers.
  private static func withoutRepeats(_ members: ArraySlice<ItemMember>) -> [ItemMember] {
    var kept: [(member: ItemMember, meanings: [Int: String])] = []
    for member in members {
      let isDate = member.isMostlyDate
      let meanings = member.values.mapValues { text in
        if isDate, let seconds = ValueTraits.seconds(text) { return "\(seconds)" }
        let letters = text.filter { $0.isLetter || $0.isNumber }.lowercased()
        return letters.count < 4 ? text : letters
      }
      let place = kept.firstIndex {
        isAlike(meanings, $0.meanings) && isAlike($0.meanings, meanings)
      }
      // If two members differ in punctuation only, the longer one is easier to read.
      if let place, !isDate, member.averageBytes > kept[place].member.averageBytes {
        kept[place] = (member, meanings)
      } else if place == nil {
        kept.append((member, meanings))
      }
    }
    return kept.map(\.member)
  }

  /// The label of a member: its key as words. Where the key is vague or already a label, the key of
  /// the member's object precedes it, or replaces a word like `name`. Nil when no label is left.
  private static func label(for member: ItemMember, taken: Set<String>) -> String? {
    let key = member.keys.last ?? ""
    let own = KeyWords.label(for: key)
    var long = own
    if let owner = member.keys.dropLast().last, member.depth > 1 {
      let isCarrier = FieldNames.carriers.contains(member.words.joined)
      long = KeyWords.label(for: isCarrier ? owner : "\(owner)_\(key)")
    }
    let labels = vague.contains(member.words.joined) ? [long] : [own, long]
    return labels.first { !$0.isEmpty && $0.count <= 100 && !taken.contains($0) }
  }

  /// A key that ends in one of these words has a value for programs, which is not proposed as an
  /// attribute.
  private static let unread: Set = [
    "id", "ids", "guid", "uuid", "oid", "cursor", "typename", "etag",
  ]

  private static let vague: Set = [
    "name", "title", "value", "text", "label", "type", "count", "rate", "amount", "code", "t", "",
    "displayname", "rendered", "url", "href", "min", "max", "average", "total", "description",
  ]
}
