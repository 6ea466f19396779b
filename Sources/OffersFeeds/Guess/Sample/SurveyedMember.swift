/// A member of the items of a document, with the traits of its values.
struct SurveyedMember {
  /// The path from the item, with `.all` for each list on it.
  private(set) var steps: [FieldPath.Step]
  /// The keys of the path.
  let keys: [String]
  /// The number of keys, without that of an object, such as `node`, that wraps all members of the
  /// items.
  let depth: Int
  /// The member's first text or number in each item, by the item's index.
  private(set) var values: [Int: SampleText] = [:]
  /// The number of values that are Booleans, which `values` lacks.
  var otherCount = 0
  private(set) var itemCount = 1
  /// The words of the member's key.
  let words: KeyWords
  /// The words of the keys of the objects around the member, the outermost first.
  let owners: [KeyWords]

  init(steps: [FieldPath.Step], keys: [String], depth: Int) {
    self.steps = steps
    self.keys = keys
    self.depth = depth
    words = KeyWords(keys.last ?? "")
    owners = keys.dropLast().map { KeyWords($0) }
  }

  mutating func add(_ value: SampleText, item: Int) {
    if values[item] == nil { values[item] = value }
  }

  /// Adds the values at the same keys in other items.
  mutating func merge(_ other: SurveyedMember) {
    if other.steps.count > steps.count { steps = other.steps }
    values.merge(other.values) { own, _ in own }
    otherCount += other.otherCount
  }

  /// Computes the traits once all values have been added.
  mutating func close(itemCount: Int) {
    self.itemCount = max(1, itemCount)
    samples = values.sorted { $0.key < $1.key }.prefix(Self.lookedAt).map(\.value)
    traits = samples.map { ValueTraits($0) }
    distinctCount = Set(values.values.map(\.text)).count
    averageBytes = values.values.reduce(0) { $0 + $1.sizeBytes } / max(1, values.count)
  }

  /// The values of the first 300 items that have one, in the order of the items.
  private(set) var samples: [SampleText] = []
  private var traits: [ValueTraits] = []
  private static let lookedAt = 300

  var isThroughList: Bool { steps.contains(.all) }
  /// The words of the key of the object that contains the member.
  var ownerWords: KeyWords? { owners.last }

  /// The share of items with a text or number as the member's value, from 0 to 1.
  var presence: Double { Double(values.count) / Double(itemCount) }

  private(set) var distinctCount = 0

  /// The share of `samples` that have a trait, from 0 to 1.
  func part(_ isSo: (ValueTraits) -> Bool) -> Double {
    traits.isEmpty ? 0 : Double(traits.count(where: isSo)) / Double(traits.count)
  }

  var isMostlyAddress: Bool { part(\.isAddress) > 0.8 }
  /// The limit is lower than for other traits, since some images have no file extension.
  var isMostlyImage: Bool { part(\.isImage) > 0.6 }
  var isMostlyNumber: Bool { part(\.isNumber) > 0.8 }
  var isMostlyDate: Bool {
    let isNamedSo = words.words.contains(where: FieldVocabulary.timeWords.contains)
    return part { $0.isDate || isNamedSo && $0.isTimestamp } > 0.8
  }
  var hasMarkup: Bool { part(\.hasMarkup) > 0.02 }

  /// The type that the member's values are read as in an attribute.
  var reading: Reading {
    isMostlyDate ? .date : isMostlyAddress ? .link : hasMarkup ? .html : .text
  }

  private(set) var averageBytes = 0

  /// Whether every item has a text or number, and all of these differ.
  var isUnique: Bool { values.count == itemCount && distinctCount == itemCount }

  /// The path of an item's value, with the first element of each list on the way.
  var path: FieldPath {
    FieldPath(steps.map { $0 == .all ? .index(0) : $0 })
  }

  /// The path of all values of an item, with every element of each list on the way.
  var pathToAll: FieldPath { FieldPath(steps) }
}
