/// A member that the items of a document have, and what its values are like.
struct SurveyedMember {
  /// From the item; `.all` where it goes through a list.
  private(set) var steps: [FieldPath.Step]
  /// The keys on the way.
  let keys: [String]
  /// How many of the keys stand for more than a wrapper around all members.
  let depth: Int
  /// The first value that each item has here, by the item's place.
  private(set) var values: [Int: SampleText] = [:]
  /// How many items have something here that is neither a text nor a number.
  var otherCount = 0
  private(set) var itemCount = 1

  init(steps: [FieldPath.Step], keys: [String], depth: Int) {
    self.steps = steps
    self.keys = keys
    self.depth = depth
  }

  mutating func add(_ value: SampleText, item: Int) {
    if values[item] == nil { values[item] = value }
  }

  /// Takes what stands at the same keys in other items.
  mutating func merge(_ other: SurveyedMember) {
    if other.steps.count > steps.count { steps = other.steps }
    values.merge(other.values) { own, _ in own }
    otherCount += other.otherCount
  }

  /// Takes stock when all values are there.
  mutating func close(itemCount: Int) {
    self.itemCount = max(1, itemCount)
    samples = values.sorted { $0.key < $1.key }.prefix(Self.lookedAt).map(\.value)
    traits = samples.map { ValueTraits($0) }
  }

  /// The first of the values, in the items' order.
  private(set) var samples: [SampleText] = []
  private var traits: [ValueTraits] = []
  private static let lookedAt = 300

  var isThroughList: Bool { steps.contains(.all) }
  var words: KeyWords { KeyWords(keys.last ?? "") }
  /// The words of the object that holds the value.
  var ownerWords: KeyWords? { keys.count > 1 ? KeyWords(keys[keys.count - 2]) : nil }

  /// The part of the items that have it.
  var presence: Double { Double(values.count) / Double(itemCount) }

  var distinctCount: Int { Set(values.values.map(\.text)).count }

  /// The part of the values that are so.
  func part(_ isSo: (ValueTraits) -> Bool) -> Double {
    traits.isEmpty ? 0 : Double(traits.count(where: isSo)) / Double(traits.count)
  }

  var isMostlyAddress: Bool { part(\.isAddress) > 0.8 }
  /// Of several addresses some may lack the end that tells an image.
  var isMostlyImage: Bool { part(\.isImage) > 0.6 }
  var isMostlyNumber: Bool { part(\.isNumber) > 0.8 }
  var isMostlyDate: Bool {
    let isNamedSo = words.words.contains(where: FieldVocabulary.timeWords.contains)
    return part { $0.isDate || isNamedSo && $0.isTimestamp } > 0.8
  }
  var hasMarkup: Bool { part(\.hasMarkup) > 0.02 }

  /// How its values are read where they are shown as texts.
  var reading: Reading {
    isMostlyDate ? .date : isMostlyAddress ? .link : hasMarkup ? .html : .text
  }

  var averageBytes: Int {
    values.isEmpty ? 0 : values.values.reduce(0) { $0 + $1.sizeBytes } / values.count
  }

  /// Whether it is different in every item, and there in all of them.
  var isUnique: Bool { values.count == itemCount && distinctCount == itemCount }

  /// The path to it; where it goes through lists, to their first element.
  var path: FieldPath {
    FieldPath(steps.map { $0 == .all ? .index(0) : $0 })
  }

  /// The path to every one of its values.
  var pathToAll: FieldPath { FieldPath(steps) }
}
