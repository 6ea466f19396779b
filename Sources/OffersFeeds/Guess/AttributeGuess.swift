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
    _ survey: MemberSurvey, used: Set<[String]>, name: SurveyedMember?
  ) -> [AttributeRule] {
    let members = survey.members.filter { member in
      !used.contains(member.keys) && isWorthShowing(member) && !isSame(member, as: name)
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

  private static func isWorthShowing(_ member: SurveyedMember) -> Bool {
    let items = member.itemCount
    guard !member.keys.isEmpty, member.depth <= 2, !member.isThroughList, member.presence >= 0.2,
      member.otherCount * 20 <= items
    else { return false }
    // A value that is equal in all items says nothing about an offer.
    if items >= 5, member.presence > 0.9, member.distinctCount == 1 { return false }
    if member.isMostlyImage || member.part(\.isOpaque) > 0.2 || member.averageBytes > 300 {
      return false
    }
    if member.isMostlyAddress,
      FieldVocabulary.rank(member.words, as: .imageURL).map({ $0 <= 45 }) == true
    {
      return false
    }
    let words = member.words
    if words.words.isEmpty || member.keys.last?.hasPrefix("_") == true { return false }
    let isVague = vague.contains(words.joined)
    let name = isVague ? member.ownerWords?.words.last : words.words.last
    if unread.contains(name ?? "") { return false }
    return !(words.joined.hasSuffix("id") && member.isMostlyNumber)
  }

  /// Whether at least nine in ten of the member's values equal the item's name.
  private static func isSame(_ member: SurveyedMember, as name: SurveyedMember?) -> Bool {
    guard let name else { return false }
    let count = member.values.count { item, value in name.values[item]?.text == value.text }
    return count * 10 >= member.values.count * 9
  }

  /// Removes members that repeat another one's values, even in another notation, such as dates and
  /// phone numbers.
  private static func withoutRepeats(_ members: ArraySlice<SurveyedMember>) -> [SurveyedMember] {
    var kept: [(member: SurveyedMember, meanings: [Int: String])] = []
    for member in members {
      let isDate = member.isMostlyDate
      let meanings = member.values.mapValues { meaning(of: $0.text, isDate: isDate) }
      let place = kept.firstIndex { _, others in
        let count = meanings.count { item, meaning in others[item] == meaning }
        return count > 0 && count * 10 >= max(meanings.count, others.count) * 9
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

  private static func meaning(of text: String, isDate: Bool) -> String {
    var text = text
    if isDate, let date = text.withUTF8({ DateParser.parse(UnsafeRawBufferPointer($0)) }) {
      return "\(date.seconds)"
    }
    let letters = text.filter { $0.isLetter || $0.isNumber }.lowercased()
    return letters.isEmpty || letters.count < 4 ? text : letters
  }

  /// The label of a member: its key as words. Where the key is vague or already a label, the key of
  /// the member's object precedes it, or replaces a word like `name`. Nil when no label is left.
  private static func label(for member: SurveyedMember, taken: Set<String>) -> String? {
    let own = KeyWords.label(for: member.keys.last ?? "")
    var long = own
    if member.keys.count > 1, member.depth > 1 {
      let owner = member.keys[member.keys.count - 2]
      long = KeyWords.label(for: "\(owner)_\(member.keys.last ?? "")")
      if FieldVocabulary.carriers(of: .retailer).contains(member.words.joined) {
        long = KeyWords.label(for: owner)
      }
    }
    let isVague = vague.contains(member.words.joined)
    let labels = isVague ? [long] : [own, long]
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
