import OffersCore

/// Finds the path of the offers in an unknown document.
///
/// The candidates are lists of objects or texts, objects with similar members, and in XML repeated
/// elements, and single ones that have members. A list whose name means offers comes first, then
/// one whose items have a name and a price, a link or an image, then the one that is not within the
/// items of another, then the one with the most members.
struct ItemsGuess {
  /// A path that may be that of the offers, with the first values there.
  private struct Candidate {
    let steps: [FieldPath.Step]
    /// The number of lists, and of objects that map ids to items, around the values.
    let nesting: Int
    var count = 0
    var samples: [SampleValue] = []
    var isText = false
    /// True for an XML element that is not repeated.
    var isAlone = false
    /// The names of the first object's members, and of the members of objects in it.
    private(set) var words: [KeyWords] = []
    /// Whether the first object has a name that is not in an object within it.
    private(set) var hasOwnName = false

    private static let wordLimit = 200

    mutating func add(_ elements: [SampleValue]) {
      count += elements.count
      samples += elements.prefix(max(0, 100 - samples.count))
      guard words.isEmpty, let first = samples.lazy.compactMap(\.object).first else { return }
      let members = first.members.prefix(Self.wordLimit)
      hasOwnName = members.contains { key, value in
        (value.scalar ?? value.object?.text) != nil && ItemsGuess.has([.name], [KeyWords(key)])
      }
      let inner = members.flatMap { _, value in
        if case .object(let object) = value { object.members.map(\.key) } else { [String]() }
      }
      words = (members.map(\.key) + inner).prefix(Self.wordLimit).map { KeyWords($0) }
    }

    func has(_ fields: OfferField...) -> Bool { ItemsGuess.has(fields, words) }

    /// The average number of members of an item, with those of nested objects.
    var memberCount: Double {
      let counts = samples.map {
        if case .object(let object) = $0 { object.leafCount() } else { 1 }
      }
      return Double(counts.reduce(0, +)) / Double(max(1, counts.count))
    }

    /// How clearly a key on the path means offers, from 0 to 2.
    var nameRank: Int {
      let ranks = steps.map {
        if case .key(let key) = $0 { FieldNames.containerRank(key) } else { 0 }
      }
      return steps.isEmpty ? 1 : ranks.max() ?? 0
    }

    /// Whether the items describe something else than an offer, by their own key.
    var isOfOther: Bool {
      guard case .key(let key)? = steps.last(where: { $0 != .all }) else { return false }
      return FieldNames.otherThings.contains(KeyWords(key).joined)
    }

    /// Whether the items are at most names, as those of categories and of groups of offers are.
    var isBare: Bool {
      memberCount <= 4 && !has(.reward, .url, .imageURL, .expiresAt, .description)
    }

    /// Whether the values can be offers at all: texts, or a single element, only if their name
    /// means offers.
    var isPossible: Bool {
      if isText || isAlone, nameRank == 0 || nesting > 0 { return false }
      return !isAlone || nameRank == 2 || hasOwnName && has(.reward)
    }
  }

  private let isXML: Bool
  private var candidates: [Candidate] = []
  private var places: [[FieldPath.Step]: Int] = [:]

  private static let levelLimit = 6
  private static let candidateLimit = 500

  init(_ root: SampleValue, isXML: Bool) {
    self.isXML = isXML
    walk(root, [], nesting: 0)
  }

  /// Returns the path of the best candidate.
  ///
  /// - Throws: `OffersError` with `unexpectedShape` when there is none, or two are about as good;
  ///   the message names the candidates.
  func best() throws -> [FieldPath.Step] {
    let ranked = candidates.filter(\.isPossible).map { ($0, rank(of: $0)) }
      .filter { $0.1.size > 0 }.sorted { $0.1 > $1.1 }
    guard let (first, rank) = ranked.first else { throw problem() }
    if let (second, other) = ranked.dropFirst().first,
      (other.isNamed, other.fit, other.nesting) == (rank.isNamed, rank.fit, rank.nesting),
      other.size > 0.9 * rank.size, !first.steps.starts(with: second.steps),
      !second.steps.starts(with: first.steps)
    {
      throw problem()
    }
    return first.steps
  }

  private func rank(of candidate: Candidate) -> (isNamed: Int, fit: Int, nesting: Int, size: Double)
  {
    let members = min(candidate.memberCount, 25)
    let size = members * members * Double(min(candidate.count, 100))
    // The items of a list within other offers describe these; those within mere groups are offers.
    let isPart =
      candidate.isOfOther
      || candidates.contains { outer in
        outer.nesting < candidate.nesting && candidate.steps.starts(with: outer.steps)
          && !outer.isBare
      }
    let isOffer = candidate.has(.name) && candidate.has(.reward, .url, .imageURL)
    return (
      candidate.nameRank == 2 ? 1 : 0, isPart ? 0 : isOffer ? 2 : candidate.has(.name) ? 1 : 0,
      -candidate.nesting, candidate.nameRank == 1 ? 1.2 * size : size
    )
  }

  /// Whether a JSON document is a single offer: an object with an id and a name, without a list of
  /// objects in it.
  func isOneOffer(_ root: SampleValue) -> Bool {
    guard !isXML, case .object(let object) = root, candidates.allSatisfy(\.isText) else {
      return false
    }
    let words = object.members.filter { $0.value.scalar != nil }.map { KeyWords($0.key) }
    return Self.has([.id], words) && Self.has([.name], words)
  }

  private static func has(_ fields: [OfferField], _ words: [KeyWords]) -> Bool {
    fields.contains { field in words.contains { FieldNames.rank($0, as: field) != nil } }
  }

  /// Returns the error for a document in which no list, or no single one, is recognized as the list
  /// of offers.
  ///
  /// - Parameter path: the path that the user gave; nil for none.
  func problem(at path: FieldPath? = nil) -> OffersError {
    let seen = candidates.prefix(6).map { candidate -> String in
      let name = candidate.steps.isEmpty ? "the top level" : FieldPath(candidate.steps).description
      let kind = candidate.isText ? "text" : isXML ? "element" : "object"
      return "\(name) (\(candidate.count) \(kind)\(candidate.count == 1 ? "" : "s"))"
    }
    let place = path.map { " at \($0.descriptionFromRoot)" } ?? ""
    return OffersError(
      .unexpectedShape,
      "No list of offers was found\(place); seen: "
        + (seen.isEmpty ? "no list at all" : seen.joined(separator: ", ")) + ".",
      hint: Hint(
        "Say where it is.", command: "offers feeds add NAME SOURCE --items PATH"))
  }

  // MARK: Candidates

  private mutating func walk(_ value: SampleValue, _ steps: [FieldPath.Step], nesting: Int) {
    if steps.count > Self.levelLimit { return }
    switch value {
    case .list(let list):
      if !isXML { add(list, steps, nesting: nesting) }
      for element in list.prefix(50) {
        walk(element, isXML ? steps : steps + [.all], nesting: nesting + 1)
      }
    case .object(let object) where !isXML && object.isKeyed:
      let below = steps + [.all]
      let values = object.members.map(\.value)
      add(values.filter { if case .object = $0 { true } else { false } }, below, nesting: nesting)
      for case .list(let list) in values { add(list, below, nesting: nesting) }
      for value in values.prefix(50) {
        for element in value.elements.prefix(50) { walk(element, below, nesting: nesting + 1) }
      }
    case .object(let object):
      for (key, member) in object.members.prefix(500) {
        let below = steps + [.key(key)]
        if isXML, !key.hasPrefix("@") {
          if case .list(let list) = member { add(list, below, nesting: nesting) }
          if case .object = member, below.count > 1 {
            add([member], below, nesting: nesting, isAlone: true)
          }
        }
        walk(member, below, nesting: nesting)
      }
    case .text, .number, .truth, .null: break
    }
  }

  private mutating func add(
    _ elements: [SampleValue], _ steps: [FieldPath.Step], nesting: Int, isAlone: Bool = false
  ) {
    let objectCount = elements.count { if case .object = $0 { true } else { false } }
    let textCount = elements.count { if case .text = $0 { true } else { false } }
    if objectCount * 2 < elements.count && textCount < elements.count { return }
    if places[steps] == nil {
      if candidates.count >= Self.candidateLimit || elements.isEmpty && isXML { return }
      places[steps] = candidates.count
      candidates.append(Candidate(steps: steps, nesting: nesting))
    }
    guard let place = places[steps] else { return }
    candidates[place].isAlone = isAlone && candidates[place].count == 0
    candidates[place].isText = objectCount == 0 && textCount > 0
    candidates[place].add(elements)
  }
}

extension SampleObject {
  /// Whether the object maps ids to items, or to lists of items: most members are objects or lists
  /// of objects, and have keys that look like ids, or members with similar names.
  fileprivate var isKeyed: Bool {
    let keyed = members.filter { $0.value.object != nil }
    guard keyed.count * 2 > members.count else { return false }
    if keyed.count(where: { Self.isID($0.key) }) * 5 >= keyed.count * 4 { return true }
    // A key that describes its value is a name, not the id of an item.
    let isNamed = keyed.contains { key, _ in
      FieldNames.containerRank(key) > 0 || FieldNames.otherThings.contains(KeyWords(key).joined)
    }
    if isNamed || keyed.count < 2 { return false }
    let names = keyed.map { member in
      Set(member.value.elements.prefix(20).compactMap(\.object).flatMap(\.leafKeys))
    }
    let all = names.reduce(into: Set<String>()) { $0.formUnion($1) }
    // Two members may be similar by chance, so a greater likeness is required of them.
    let count = names.reduce(0) { $0 + $1.count }
    return all.count >= 2
      && count * 10 >= all.count * keyed.count * (keyed.count > 2 ? 6 : 8)
  }

  /// The keys of the members that are neither objects nor lists.
  private var leafKeys: [String] {
    members.filter { _, value in
      switch value {
      case .text, .number, .truth, .null: true
      case .object, .list: false
      }
    }.map(\.key)
  }

  /// Whether a key looks like an id: only digits, or at least five bytes with three digits.
  private static func isID(_ key: String) -> Bool {
    let digits = key.utf8.count { $0 &- 0x30 < 10 }
    return digits > 0 && digits == key.utf8.count || digits >= 3 && key.utf8.count >= 5
  }
}
