import OffersCore

/// Proposes the identity of the items of an unknown document.
struct IdentityGuess {
  let rule: IDRule
  /// The member with the name of an id that is the id or a part of it; nil where the id comes from
  /// the item's key, a link or several values.
  private(set) var member: SurveyedMember?
  /// The reason why no id can be made: only values that change from day to day distinguish the
  /// items.
  private(set) var problem: OffersError?

  /// - Parameters:
  ///   - survey: the members of the items, among which an id is searched for.
  ///   - ownKeys: the keys of the items within their parent object; empty for items of one list.
  ///   - fields: the fields found so far.
  /// - Throws: `CancellationError`.
  init(_ survey: MemberSurvey, ownKeys: [String], fields: FieldGuess) throws {
    let hasOwnKeys = ownKeys.count == survey.itemCount && Set(ownKeys).count == ownKeys.count
    var rest: SurveyedMember?
    for (member, rank) in Self.ranked(survey) {
      // A member that is named like an id may repeat in a few items; then the feed lists these
      // offers twice. Any other member must be unique, because it may be the id of something else.
      let isNearly = rank <= 2 && member.distinctCount * 10 >= member.values.count * 9
      if member.isUnique || isNearly && member.presence > 0.98 && ownKeys.isEmpty {
        if rank >= Self.weak, hasOwnKeys { break }
        rule = .value(FieldRule(.path(member.path)))
        self.member = member
        return
      }
      if rest == nil, rank < Self.weak, member.presence == 1 { rest = member }
    }
    if hasOwnKeys {
      rule = .value(FieldRule(.path(FieldPath([.ownKey(1)]))))
      return
    }
    if let rest, ownKeys.count == survey.itemCount, Self.differs(rest, ownKeys) {
      let parts: [Template.Part] = [
        .path(FieldPath([.ownKey(1)])), .literal("-"), .path(rest.path),
      ]
      rule = .value(FieldRule(.template(Template(parts))))
      member = rest
      return
    }
    if let link = fields.chosen[.url]?.first, link.isUnique,
      !link.values.values.contains(where: { $0.text.contains("?") })
    {
      rule = .value(FieldRule(.path(link.path)))
      return
    }
    let made = try MadeIdentity(survey, fields)
    rule = .madeFrom(made.parts.map(\.path))
    problem = made.problem
  }

  private static let weak = 50

  /// The members with the name of an id, the best first.
  private static func ranked(_ survey: MemberSurvey) -> [(SurveyedMember, Int)] {
    var ranked: [(member: SurveyedMember, rank: Int)] = []
    for member in survey.members where !member.isThroughList && !member.keys.isEmpty {
      let isPlain = member.part { $0.isDate || $0.isNumber && !$0.isIntegral } < 0.1
      guard isPlain, member.averageBytes <= 300, let rank = rank(member) else { continue }
      if member.isMostlyAddress, rank > 4 { continue }
      ranked.append((member, rank))
    }
    return ranked.sorted { $0.rank < $1.rank }
  }

  private static func rank(_ member: SurveyedMember) -> Int? {
    let leaf = member.words
    if member.depth <= 1 { return rank(leaf) }
    guard let owner = member.ownerWords, member.depth == 2 else { return nil }
    if FieldVocabulary.carriers(of: .id).contains(leaf.joined),
      let rank = FieldVocabulary.rank(owner, as: .id)
    {
      return rank + 1
    }
    if FieldFit.isStranger(member) { return nil }
    return rank(leaf).map { $0 + weak }
  }

  private static func rank(_ words: KeyWords) -> Int? {
    if let rank = FieldVocabulary.rank(words, as: .id) { return rank }
    let joined = words.joined
    for end in ["id", "guid", "uuid", "nr", "nummer", "number", "code"] where joined.hasSuffix(end)
    {
      let subject = KeyWords(joined.dropLast(end.utf8.count) + "_" + end)
      if let rank = FieldVocabulary.rank(subject, as: .id) { return rank + 1 }
      let isWord = words.words.last == end && words.words.count > 1
      if isWord { return weak }
      return end == "id" && !words.words.contains(where: notIDs.contains) ? weak + 10 : nil
    }
    return nil
  }

  /// Words that end in “id” and do not name ids.
  private static let notIDs: Set = [
    "paid", "prepaid", "valid", "bid", "grid", "hybrid", "void", "solid", "liquid", "fluid", "aid",
    "kid", "lid", "mid", "rapid", "android", "avoid", "covid", "raid", "said", "steroid", "acid",
  ]

  /// Whether no two items have both the same key and the same value of the member.
  private static func differs(_ member: SurveyedMember, _ ownKeys: [String]) -> Bool {
    var seen: Set<[String]> = []
    for (item, value) in member.values where !seen.insert([ownKeys[item], value.text]).inserted {
      return false
    }
    return true
  }
}

extension IDRule {
  /// The rules without the first alternative, without the first two, and so on; none for an id of one
  /// alternative.
  var shorter: [IDRule] {
    switch self {
    case .madeFrom: []
    case .value(let rule): rule.shorter.map { .value($0) }
    case .valueOrMade(let rule, let parts):
      rule.shorter.map { .valueOrMade($0, from: parts) } + [.madeFrom(parts)]
    }
  }
}

extension FieldRule {
  fileprivate var shorter: [FieldRule] {
    (1..<max(1, alternatives.count)).map { count in
      var rule = self
      rule.alternatives.removeFirst(count)
      return rule
    }
  }
}
