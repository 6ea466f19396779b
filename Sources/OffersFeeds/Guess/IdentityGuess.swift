import OffersCore

/// Proposes the identity of the items of an unknown document: a member with the name of an id, the
/// item's key, its link, or an id that is made from values that last.
///
/// An id made from a price would change with the price, and favorites under the old id would no
/// longer match.
struct IdentityGuess {
  private(set) var rule = IDRule.madeFrom([])
  /// The member with the name of an id that is the id or a part of it; nil for another id.
  private(set) var member: ItemMember?
  /// The reason why no id can be made: only values that change distinguish the items.
  private(set) var problem: OffersError?

  private let fields: FieldGuess

  /// The rank from which on a name may be that of an id of another thing.
  private static let weak = 50
  /// The number of members that an id is made from.
  private static let partLimit = 4
  /// The number of members that are tried. Each trial is a pass over all items.
  private static let trialLimit = 40

  /// - Parameters:
  ///   - fields: the members of the items, among which an id is searched for, and the fields found so
  ///     far.
  ///   - ownKeys: the keys of the items within their parent object; empty for items of one list.
  /// - Throws: `CancellationError`.
  init(_ fields: FieldGuess, ownKeys: [String]) throws {
    self.fields = fields
    let hasUniqueKeys = !ownKeys.isEmpty && Set(ownKeys).count == ownKeys.count
    let key = FieldPath([.ownKey(1)])
    let ranked = ranked
    // An item without a name is no offer.
    let named = fields.chosen[.name].map { Set($0.flatMap(\.values.keys)) }
    let found = ranked.first { member, rank in
      if Self.lacksSome(member) { return false }
      // A member that is named like an id may repeat in a few items; then the feed lists these
      // offers twice. Any other member must be unique, because it may be the id of something else.
      return (named.map(member.isUnique(among:)) ?? member.isUnique)
        || rank <= 2 && ownKeys.isEmpty && member.presence > 0.98
          && member.distinctCount * 10 >= member.values.count * 9
    }
    if let found, found.rank < Self.weak || !hasUniqueKeys {
      member = found.member
      rule = .value(FieldRule(.path(found.member.path)))
    } else if hasUniqueKeys {
      rule = .value(FieldRule(.path(key)))
    } else if !ownKeys.isEmpty,
      let part = ranked.first(where: { $0.rank < Self.weak && $0.member.presence == 1 })?.member,
      Set(part.values.map { [ownKeys[$0.key], $0.value] }).count == fields.itemCount
    {
      // Lists under keys repeat the ids of other lists.
      member = part
      rule = .value(FieldRule(.template(Template([.path(key), .literal("-"), .path(part.path)]))))
    } else if let link = fields.chosen[.url]?.first, link.isUnique,
      !link.values.values.contains(where: { $0.contains("?") })
    {
      rule = .value(FieldRule(.path(link.path)))
    } else {
      try make()
    }
  }

  /// Whether several items have a value that stands for none, such as 0; of the codes of products, whether one has.
  private static func lacksSome(_ member: ItemMember) -> Bool {
    let limit = member.words.has(oneOf: FieldNames.productCodes) ? 0 : 1
    return member.values.values.count { placeholders.contains($0.trimmed().lowercased()) } > limit
  }

  private static let placeholders: Set = ["0", "-", "n/a", "na", "none", "null", "unknown"]

  /// The members with the name of an id, the best first.
  private var ranked: [(member: ItemMember, rank: Int)] {
    let ranked = fields.members.compactMap { member -> (member: ItemMember, rank: Int)? in
      guard !member.isThroughList, !member.keys.isEmpty, member.averageBytes <= 300,
        member.part({ $0.isDate || $0.isNumber && !$0.isIntegral }) < 0.1,
        let rank = Self.rank(member), rank <= 4 || !member.isMostlyAddress
      else { return nil }
      return (member, rank)
    }
    return ranked.sorted { $0.rank < $1.rank }
  }

  private static func rank(_ member: ItemMember) -> Int? {
    guard let owner = member.owners.last, member.depth > 1 else { return rank(member.words) }
    if member.depth > 2 { return nil }
    if FieldNames.isMain(member.words, of: .id), let rank = FieldNames.rank(owner, as: .id) {
      return rank + 1
    }
    return member.isOfOther ? nil : rank(member.words).map { $0 + weak }
  }

  private static func rank(_ words: KeyWords) -> Int? {
    let named = FieldNames.rank(words, as: .id)
    if let named, named < FieldNames.qualifiedRank { return named }
    let ends = ["id", "guid", "uuid", "nr", "nummer", "number", "code"]
    guard let end = ends.first(where: words.joined.hasSuffix) else { return named }
    let subject = KeyWords(words.joined.dropLast(end.utf8.count) + "_" + end)
    if let rank = FieldNames.rank(subject, as: .id), rank < FieldNames.qualifiedRank {
      return rank + 1
    }
    return words.words.count > 1 && words.words.last == end ? weak : named
  }

  // MARK: Made ids

  /// Makes an id from the name, and as many other lasting values as distinguish the items.
  private mutating func make() throws {
    let name = fields.chosen[.name]?.first
    // A member that is the items' only name identifies them, even if it reads like a description.
    let isPaid = fields.chosen[.reward]?.contains { $0.keys == name?.keys } == true
    let texts = [OfferField.reward, .description, .terms].flatMap { fields.chosen[$0] ?? [] }
    var parts = (fields.chosen[.name] ?? []).filter { member in
      member.keys == name?.keys ? !isPaid : !texts.contains { $0.keys == member.keys }
    }
    let addresses = fields.members.filter { member in
      !member.isThroughList && member.depth <= 2 && member.part(\.hasLetters) > 0.5
        && [member.words.joined, member.words.words.first ?? ""].contains(
          where: FieldNames.addresses.contains)
    }
    // The name does not distinguish the shops of a chain; their addresses do.
    if fields.chosen[.latitude] != nil, let address = addresses.first(where: { $0.presence > 0.9 })
    {
      parts.append(address)
    }
    let chosen = [OfferField.retailer, .categories, .url].map { fields.chosen[$0]?.first }
    let lasting =
      [chosen[0]] + addresses + fields.members.filter(Self.isLasting) + chosen.dropFirst()
    let count = try add(lasting.compactMap(\.self), to: &parts, limit: Self.partLimit)
    rule = .madeFrom((parts.isEmpty ? [name].compactMap(\.self) : parts).map(\.path))
    // A few items that are alike are probably offers that the feed lists twice; a note reports
    // them.
    if name == nil || count * 10 >= fields.itemCount * 9 { return }
    var all = parts
    if try add(fields.members, to: &all, limit: .max) > count {
      problem = Self.problem(all.map(\.path), from: parts.count)
    }
  }

  /// Adds each member, in this order, that distinguishes more of the items; returns the number of
  /// items that the parts distinguish.
  private func add(
    _ members: [ItemMember], to parts: inout [ItemMember], limit: Int
  ) throws -> Int {
    var known = try combinations(parts)
    for member in members.prefix(Self.trialLimit) {
      if known == fields.itemCount || parts.count >= limit { break }
      let next = try combinations(parts + [member])
      if next > known {
        parts.append(member)
        known = next
      }
    }
    return known
  }

  /// The number of different combinations of the members' values, among the items that have any of
  /// them.
  private func combinations(_ members: [ItemMember]) throws -> Int {
    try Task.checkCancellation()
    let items = members.reduce(into: Set<Int>()) { $0.formUnion($1.values.keys) }
    return Set(items.map { item in members.map { $0.values[item] } }).count
  }

  private static func problem(_ paths: [FieldPath], from first: Int) -> OffersError {
    let names = paths.dropFirst(first).map(\.description)
    return OffersError(
      .unexpectedShape,
      "Only \(names.joined(separator: " and ")) \(names.count == 1 ? "distinguishes" : "distinguish") "
        + "the offers, and an id must be made from values that do not change.",
      hint: Hint(
        "If these do not change, write a definition with id: {made-from: "
          + "[\(paths.map(\.description).joined(separator: ", "))]}. Otherwise map a stable value.",
        command: "--map id=…"))
  }

  /// Whether a member is a single short text whose name says that it stays the same while the offer
  /// lasts.
  private static func isLasting(_ member: ItemMember) -> Bool {
    !member.isThroughList && member.depth <= 2 && member.averageBytes <= 120
      && !member.isMostlyAddress && !member.isMostlyDate
      && member.words.has(oneOf: FieldNames.lasting)
      && !FieldNames.isPrice(member.words) && FieldNames.rank(member.words, as: .reward) == nil
  }
}
