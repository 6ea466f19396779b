import OffersCore

/// A value of a document, as the paths of a definition see it: whether its members and elements are
/// items, or lead to items and to other values that are needed.
///
/// Outside its items a document is not kept: while it is read from its root on, the place of each
/// value tells what to do with it. The elements of a list have the place of the list, since a
/// definition may omit the index of an element.
final class DocumentPlace {
  private var members: [(key: String, place: DocumentPlace)] = []
  /// The place of the members that only a `*` matches.
  private(set) var any: DocumentPlace?
  /// Whether the path of a value ends here.
  private(set) var wantsValue = false
  /// Whether a path selects elements of a list here: by an index, a `*` or a condition.
  private(set) var wantsElements = false
  /// The index, among the paths of items, of the one that ends here, so that a list here contains
  /// items; nil for none.
  private(set) var itemsRank: Int?
  /// Whether an object here is an item itself: the last step of a path of items is a `*` that
  /// matches its key.
  private(set) var isItem = false
  /// The index of the list element in which the items are; nil when they are in all elements.
  private(set) var itemsIndex: Int?

  private init() {}

  /// The place of the root, at which all paths start.
  convenience init(_ definition: FeedDefinition) {
    self.init()
    for path in definition.documentPaths { insert(path.steps[...]) { $0.wantsValue = true } }
    for (rank, path) in definition.items.enumerated() { insertItems(path.steps[...], rank) }
    shareMembers()
  }

  /// The place of the member with a key; nil when no path needs it.
  func member(_ key: String) -> DocumentPlace? { named(key) ?? any }

  /// The place of the attribute with a name, without `@`, of an XML element; nil when no path needs
  /// it.
  func attribute(_ name: String) -> DocumentPlace? { named("@" + name) }

  /// Whether a path continues with a key or a `*`, so that members of an object are needed.
  var wantsMembers: Bool { !members.isEmpty || any != nil }

  /// Whether a path of items ends at a member, so that an XML element without such children is an
  /// empty list of items.
  var hasItemsBelow: Bool {
    members.contains { $0.place.itemsRank != nil } || any?.itemsRank != nil
  }

  private func named(_ key: String) -> DocumentPlace? {
    members.first { $0.key.hasSameBytes(as: key) }?.place
  }

  private func insert(_ path: ArraySlice<FieldPath.Step>, _ mark: (DocumentPlace) -> Void) {
    guard let step = path.first else { return mark(self) }
    let rest = path.dropFirst()
    switch step {
    case .key(let key):
      makeMember(key).insert(rest, mark)
    case .index:
      wantsElements = true
      insert(rest, mark)
    case .matching(let key, _):
      wantsElements = true
      insert(key.map(FieldPath.Step.key)[...]) { $0.wantsValue = true }
      insert(rest, mark)
    case .kind(let kind):
      wantsElements = true
      wantsValue = wantsValue || kind.needsText
      for key in kind.statements.joined() { makeMember(key).wantsValue = true }
      insert(rest, mark)
    case .all:
      wantsElements = true
      insert(rest, mark)
      makeAny().insert(rest, mark)
    case .ownKey:
      break
    }
  }

  /// Adds a path of items. A list at its end contains the items. If its last step is a `*`, an
  /// object that this step matches as a member is an item itself.
  ///
  /// - Parameters:
  ///   - path: the steps of the path from here on. Negative indices and conditions count as `*` for
  ///     lists.
  ///   - rank: the index of the whole path among the paths of items.
  ///   - isMember: whether the step that led here is a `*` that matches members.
  private func insertItems(
    _ path: ArraySlice<FieldPath.Step>, _ rank: Int, isMember: Bool = false
  ) {
    guard let step = path.first else {
      itemsRank = itemsRank ?? rank
      isItem = isItem || isMember
      return
    }
    let rest = path.dropFirst()
    switch step {
    case .key(let key):
      makeMember(key).insertItems(rest, rank)
    case .index(let index):
      wantsElements = true
      if index >= 0 { itemsIndex = index }
      insertItems(rest, rank)
    case .matching, .kind:
      wantsElements = true
      insertItems(rest, rank)
    case .all:
      wantsElements = true
      // Nested lists are flattened, so that one list consumes several `*` in a row.
      insertItems(path.drop { $0 == .all }, rank)
      makeAny().insertItems(rest, rank, isMember: true)
    case .ownKey:
      break
    }
  }

  private func makeMember(_ key: String) -> DocumentPlace {
    if let found = named(key) { return found }
    let made = DocumentPlace()
    members.append((key, made))
    return made
  }

  private func makeAny() -> DocumentPlace {
    let made = any ?? DocumentPlace()
    any = made
    return made
  }

  /// Merges the place of a `*` into its siblings with a key, whose members the `*` matches as well;
  /// here and everywhere below.
  private func shareMembers() {
    if let any { for (_, place) in members { place.take(any) } }
    for (_, place) in members { place.shareMembers() }
    any?.shareMembers()
  }

  private func take(_ other: DocumentPlace) {
    wantsValue = wantsValue || other.wantsValue
    wantsElements = wantsElements || other.wantsElements
    itemsRank = itemsRank ?? other.itemsRank
    isItem = isItem || other.isItem
    itemsIndex = itemsIndex ?? other.itemsIndex
    for (key, place) in other.members { makeMember(key).take(place) }
    if let otherAny = other.any { makeAny().take(otherAny) }
  }
}

extension FeedDefinition {
  /// The paths of the values of an item and of its id.
  fileprivate var valuePaths: [FieldPath] {
    var paths = (OfferField.allCases.compactMap { fields[$0] } + attributes.map(\.rule))
      .flatMap(\.paths)
    switch id {
    case .value(let rule): paths += rule.paths
    case .valueOrMade(let rule, let parts): paths += rule.paths + parts
    case .madeFrom(let parts): paths += parts
    }
    return paths
  }

  /// The paths of values that start at the document's root.
  fileprivate var documentPaths: [FieldPath] {
    var paths = valuePaths
    // A path of the categories may end at a list, without a `*`: its elements are needed then.
    for path in fields[.categories]?.paths ?? [] {
      paths.append(FieldPath(isFromDocument: path.isFromDocument, path.steps + [.index(0)]))
    }
    paths += title.paths + shared.flatMap(\.rule.paths) + error
    paths += (pages?.places ?? []).compactMap(\.place.path) + [ttl].compactMap(\.self)
    return paths.filter(\.isFromDocument)
  }

  /// Whether a path leads to an item itself, which may be a text then.
  var readsItemItself: Bool {
    valuePaths.contains { path in
      !path.isFromDocument
        && path.steps.allSatisfy { step in
          switch step {
          case .key, .ownKey: false
          case .index, .all, .matching, .kind: true
          }
        }
    }
  }
}

/// The keys of an item's members that a rule may read, so that the others need not be kept.
struct ItemKeys {
  /// The members with which the paths in an item begin; nil to keep all, because a path begins with no
  /// member.
  private let keys: [String]?

  init(_ definition: FeedDefinition) {
    var keys: Set<[UInt8]> = []
    for path in definition.valuePaths where !path.isFromDocument {
      switch path.steps.first {
      case .key(let key): keys.insert(Array(key.utf8))
      case .ownKey: break
      case .index, .all, .matching, .kind, nil:
        self.keys = nil
        return
      }
    }
    self.keys = keys.map { String(decoding: $0, as: UTF8.self) }
  }

  /// Whether a rule may read any member, and the text directly in an XML element.
  var hasAll: Bool { keys == nil }

  func contains(_ key: String) -> Bool { keys?.contains { $0.hasSameBytes(as: key) } ?? true }
}

extension FieldRule {
  /// The paths of the rule's values, currencies, kinds, numbers of decimals, and dates of a sale.
  fileprivate var paths: [FieldPath] {
    alternatives.flatMap { alternative -> [FieldPath] in
      var paths: [FieldPath] = []
      switch alternative.value {
      case .path(let path): paths = [path]
      case .template(let template):
        for case .path(let path) in template.parts { paths.append(path) }
      case .constant: break
      }
      if case .path(let path)? = alternative.currency { paths.append(path) }
      if case .path(let path)? = alternative.minorUnits { paths.append(path) }
      if let path = alternative.percent { paths.append(path) }
      return paths + (alternative.sale?.paths ?? [])
    }
  }
}
