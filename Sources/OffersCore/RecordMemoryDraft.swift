/// What is to be remembered of a document that is being read, in its order: the new offers in it get
/// their keys later.
public struct RecordMemoryDraft: Sendable {
  /// What was remembered before.
  public let old: [RememberedRecord]
  /// Records that are not as they were.
  private var fresh: [RememberedRecord] = []
  /// Each with its kind in the upper two bits: most records are as they were, and a million of them
  /// is named by 4 MB.
  private var entries: [UInt32] = []
  private var keptCount = 0
  private var newCount = 0

  /// A part of the document.
  public enum Part: Hashable, Sendable {
    /// The record of an offer that the store has.
    case known(RememberedRecord)
    /// So many records of offers that it has not got.
    case new(count: Int)
  }

  private static let freshKind: UInt32 = 1 << 30
  private static let newKind: UInt32 = 2 << 30
  private static let numberMask: UInt32 = 1 << 30 - 1

  public init(old: [RememberedRecord]) {
    self.old = old
    entries.reserveCapacity(old.count)
  }

  /// Whether more than a few records are not as they are remembered. A few are read each time at less
  /// than what writing all down again costs.
  public var isWorthWriting: Bool {
    let count = max(old.count, keptCount + fresh.count + newCount)
    return !Self.isFew(count - keptCount, of: count)
  }

  /// Whether so many records are too few to write all down again.
  public static func isFew(_ some: Int, of count: Int) -> Bool { some * 25 <= count }

  /// How many parts there are.
  public var count: Int { entries.count }

  public subscript(_ place: Int) -> Part {
    let number = Int(entries[place] & Self.numberMask)
    switch entries[place] & ~Self.numberMask {
    case Self.newKind: return .new(count: number)
    case Self.freshKind: return .known(fresh[number])
    default: return .known(old[number])
    }
  }

  /// Removes the first parts: what is not remembered is read the next time.
  public mutating func removeFirst(_ count: Int) {
    for place in 0..<count {
      switch entries[place] & ~Self.numberMask {
      case Self.newKind: newCount -= Int(entries[place] & Self.numberMask)
      case Self.freshKind: break
      default: keptCount -= 1
      }
    }
    entries.removeFirst(count)
  }

  /// Adds a record that is as it was, by its number among the old ones.
  public mutating func append(old number: Int) {
    // What no number names is read the next time.
    guard number < Self.numberMask else { return }
    entries.append(UInt32(number))
    keptCount += 1
  }

  /// Adds the record of an offer that the store has.
  public mutating func append(_ record: RememberedRecord) {
    guard record.key != 0, fresh.count < Self.numberMask else { return }
    entries.append(Self.freshKind | UInt32(fresh.count))
    fresh.append(record)
  }

  /// Adds one of an offer that it has not got.
  public mutating func appendNew() {
    newCount += 1
    if let last = entries.last, last & ~Self.numberMask == Self.newKind,
      last & Self.numberMask < Self.numberMask
    {
      entries[entries.count - 1] += 1
    } else {
      entries.append(Self.newKind | 1)
    }
  }
}
