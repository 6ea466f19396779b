import OffersCore

/// Finds the path of the offers in an unknown document.
///
/// The candidates are lists of objects or texts, objects with similar members, and in XML repeated
/// elements, and single ones that have members. The score grows with the number of objects and of
/// their members. It is lower deep in the document and within the items of another list, and higher
/// for a list whose name means offers, and for members with the names of an offer's fields. A list
/// of bare names, such as categories, loses against a list whose items have a price, a link or an
/// image.
struct ItemsGuess {
  /// A path that may be that of the offers, with the first values there.
  struct Candidate {
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

    private static let sampleLimit = 100
    private static let wordLimit = 200

    mutating func add(_ elements: [SampleValue]) {
      samples += elements.prefix(max(0, Self.sampleLimit - samples.count))
      guard words.isEmpty, let object else { return }
      var keys = object.members.prefix(Self.wordLimit).map(\.key)
      for case (_, .object(let inner)) in object.members where keys.count < Self.wordLimit {
        keys += inner.members.prefix(Self.wordLimit).map(\.key)
      }
      words = keys.prefix(Self.wordLimit).map { KeyWords($0) }
    }

    /// The first object.
    var object: SampleObject? { samples.lazy.compactMap(\.object).first }
  }

  private let isXML: Bool
  private(set) var candidates: [Candidate] = []
  private var places: [[FieldPath.Step]: Int] = [:]

  private static let levelLimit = 6
  private static let candidateLimit = 500

  init(_ root: SampleValue, isXML: Bool) {
    self.isXML = isXML
    walk(root, [], nesting: 0)
  }

  /// Returns the best candidate.
  ///
  /// - Throws: `OffersError` with `unexpectedShape` when there is none, or two score about the
  ///   same; the message names the candidates.
  func best() throws -> Candidate {
    let hasOffers = candidates.contains { $0.nesting == 0 && Self.isOfferLike($0) }
    let ranked = candidates.map { candidate in
      let isGivingWay = hasOffers && isBare(candidate)
      return (candidate: candidate, score: score(candidate) * (isGivingWay ? 0.01 : 1))
    }.filter { $0.score > 0 }
      .sorted { $0.score > $1.score }
    guard let first = ranked.first else { throw problem() }
    if let second = ranked.dropFirst().first, second.score > 0.9 * first.score,
      !Self.isOneInOther(first.candidate.steps, second.candidate.steps)
    {
      throw problem()
    }
    return first.candidate
  }

  /// Whether a JSON document is a single offer: an object with an id and a name, without a list of
  /// objects in it.
  func isOneOffer(_ root: SampleValue) -> Bool {
    guard !isXML, case .object(let object) = root, candidates.allSatisfy(\.isText) else {
      return false
    }
    let texts = object.members.filter { if case .text = $0.value { true } else { false } }
    let words = texts.map { KeyWords($0.key) }
    return Self.has(.id, words) && Self.has(.name, words)
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
      advice: Hint(
        "Say where it is.", command: "offers feeds add NAME SOURCE --items PATH"))
  }

  // MARK: Candidates

  private mutating func walk(_ value: SampleValue, _ steps: [FieldPath.Step], nesting: Int) {
    if steps.count > Self.levelLimit { return }
    switch value {
    case .list(let list):
      if !isXML { add(list.elements, count: list.count, steps, nesting: nesting) }
      for element in list.elements.prefix(50) {
        walk(element, isXML ? steps : steps + [.all], nesting: nesting + 1)
      }
    case .object(let object):
      let isKeyed = !isXML && KeyedObject.isKeyed(object)
      if isKeyed { addKeyed(object, steps + [.all], nesting: nesting) }
      for (key, member) in object.members.prefix(isKeyed ? 50 : 500) {
        let below = steps + [isKeyed ? .all : .key(key)]
        if isXML, !key.hasPrefix("@") { addElements(member, below, nesting: nesting) }
        if isKeyed, case .list(let list) = member {
          for element in list.elements.prefix(50) {
            walk(element, below + [.all], nesting: nesting + 1)
          }
        } else {
          walk(member, below, nesting: nesting + (isKeyed ? 1 : 0))
        }
      }
    case .text, .truth, .null: break
    }
  }

  private mutating func addKeyed(
    _ object: SampleObject, _ steps: [FieldPath.Step], nesting: Int
  ) {
    let values = object.members.map(\.value)
    let objects = values.filter { if case .object = $0 { true } else { false } }
    if !objects.isEmpty { add(objects, count: objects.count, steps, nesting: nesting) }
    for case .list(let list) in values {
      add(list.elements, count: list.count, steps, nesting: nesting)
    }
  }

  private mutating func addElements(
    _ value: SampleValue, _ steps: [FieldPath.Step], nesting: Int
  ) {
    switch value {
    case .list(let list): add(list.elements, count: list.count, steps, nesting: nesting)
    case .object where steps.count > 1:
      add([value], count: 1, steps, nesting: nesting, isAlone: true)
    case .object, .text, .truth, .null: break
    }
  }

  private mutating func add(
    _ elements: [SampleValue], count: Int, _ steps: [FieldPath.Step], nesting: Int,
    isAlone: Bool = false
  ) {
    let objectCount = elements.count { if case .object = $0 { true } else { false } }
    let textCount = elements.count {
      if case .text(let text) = $0 { !text.isNumber } else { false }
    }
    if objectCount * 2 < elements.count && textCount < elements.count { return }
    if places[steps] == nil {
      if candidates.count >= Self.candidateLimit { return }
      places[steps] = candidates.count
      candidates.append(Candidate(steps: steps, nesting: nesting))
    }
    guard let place = places[steps] else { return }
    candidates[place].isAlone = isAlone && candidates[place].count == 0
    candidates[place].isText = objectCount == 0 && textCount > 0
    candidates[place].count += count
    candidates[place].add(elements)
  }

  // MARK: Scores

  private func score(_ candidate: Candidate) -> Double {
    let name = Self.containerRank(candidate)
    // A list of texts, or a single element, is a candidate only if its name means offers.
    if candidate.isText && (name == 0 || candidate.nesting > 0) { return 0 }
    if candidate.isAlone, candidate.nesting > 0 || name < (Self.isPriced(candidate) ? 1 : 2) {
      return 0
    }
    let members = min(Self.memberCount(candidate), 25)
    var score = members * members * Double(min(candidate.count, 100))
    for _ in 0..<candidate.nesting { score *= 0.1 }
    for _ in candidate.steps { score *= 0.9 }
    if candidate.isText { score *= 0.5 }
    return score * [1, 1.2, 1.5][name] * fit(candidate)
  }

  /// A factor for how much the names of the objects' members are those of an offer.
  private func fit(_ candidate: Candidate) -> Double {
    Self.gains.reduce(1) { fit, gain in
      Self.has(gain.0, candidate.words) ? fit * gain.1 : fit
    }
  }

  private static let gains: [(OfferField, Double)] = [
    (.name, 1.5), (.reward, 1.3), (.imageURL, 1.2), (.url, 1.1), (.expiresAt, 1.3),
    (.description, 1.1),
  ]

  private static func containerRank(_ candidate: Candidate) -> Int {
    if candidate.steps.isEmpty { return 1 }
    return candidate.steps.reduce(0) { rank, step in
      if case .key(let key) = step { max(rank, FieldVocabulary.containerRank(key)) } else { rank }
    }
  }

  /// The average number of members of an item that are neither lists nor objects, with those of
  /// nested objects.
  private static func memberCount(_ candidate: Candidate) -> Double {
    let leaves = candidate.samples.map { sample -> Int in
      if case .object(let object) = sample { object.leafCount() } else { 1 }
    }
    return Double(leaves.reduce(0, +)) / Double(max(1, leaves.count))
  }

  private static func has(_ field: OfferField, _ words: [KeyWords]) -> Bool {
    words.contains { FieldVocabulary.rank($0, as: field) != nil }
  }

  /// Whether the first item has a name, and a price, a link or an image.
  private static func isOfferLike(_ candidate: Candidate) -> Bool {
    has(.name, candidate.words)
      && [.reward, .url, .imageURL].contains { has($0, candidate.words) }
  }

  /// Whether the first item has a price, and a name that is not in an object within the item.
  private static func isPriced(_ candidate: Candidate) -> Bool {
    guard let object = candidate.object else { return false }
    let texts = object.members.filter { _, value in
      switch value {
      case .text, .list: true
      case .object(let inner): inner.text != nil
      case .truth, .null: false
      }
    }
    return has(.name, texts.map { KeyWords($0.key) }) && has(.reward, candidate.words)
  }

  /// Whether the items have few members, none with the name of a reward, a link, an image, an
  /// expiry or a description, and no key on the path clearly means offers.
  private func isBare(_ candidate: Candidate) -> Bool {
    Self.containerRank(candidate) < 2 && Self.memberCount(candidate) <= 4
      && ![.reward, .url, .imageURL, .expiresAt, .description].contains {
        Self.has($0, candidate.words)
      }
  }

  private static func isOneInOther(_ a: [FieldPath.Step], _ b: [FieldPath.Step]) -> Bool {
    a.starts(with: b) || b.starts(with: a)
  }
}
