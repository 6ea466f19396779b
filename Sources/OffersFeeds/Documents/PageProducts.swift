import OffersCore

/// The products in the JSON-LD of a page.
struct PageProducts {
  typealias Members = [RecordValue.Member]

  private var roots: [RecordValue] = []
  /// The objects with an `@id`, to which others refer. Those with the same one are parts of one object.
  private var named: [[UInt8]: Members] = [:]
  private var found: [(root: Int, members: Members)] = []
  /// The places in `found` of the products with a name.
  private var places: [[UInt8]: [Int]] = [:]
  /// The entries of lists that have no more than an address and perhaps a name.
  private var entries: [Members] = []
  private var taken: Set<[UInt8]> = []

  private static let depthLimit = 16
  /// The number of members above which an object is not repeated where others refer to it or inherit from it.
  private static let memberLimit = 200
  /// The keys below which products are looked for.
  private static let ways = [
    "@graph", "mainEntity", "about", "hasPart", "makesOffer", "hasOfferCatalog",
  ]
  /// The values by which products with the same name differ.
  private static let marks = ["@id", "sku", "productID", "gtin", "gtin13", "url"]

  mutating func add(_ value: RecordValue) {
    roots.append(value)
    index(value)
  }

  private mutating func index(_ value: RecordValue) {
    for object in value.items {
      if object.count > 1, let id = object.bytes("@id") {
        let other = named[id] ?? []
        let (own, name) = (object.bytes("name"), other.bytes("name"))
        if object.count + other.count <= Self.memberLimit, own == nil || name == nil || own == name
        {
          named[id] = object + other
        }
      }
      for member in object { index(member.value) }
    }
  }

  /// The products as records; if there are none, the entries of lists.
  mutating func records(address: String?) -> [Members] {
    for (place, root) in roots.enumerated() { visit(root, root: place, depth: 0) }
    if found.isEmpty { return entries }
    let isOne = found.count == 1
    return found.map { product in
      var members = product.members.map { RecordValue.Member(key: $0.key, value: whole($0.value)) }
      if let offers = members.value("offers") {
        members.append(.init(key: "offers", value: .list(offers.items.map { .object(tidied($0)) })))
      }
      if isOne, let address { members.append(.init(key: "page address", value: .text(address))) }
      return members
    }
  }

  /// The object to which a value refers that is nothing but a reference.
  private func whole(_ value: RecordValue) -> RecordValue {
    guard case .object(let members) = value, members.count <= 2, let id = members.bytes("@id"),
      members.allSatisfy({ $0.key.utf8.first == 0x40 }), let object = named[id]
    else { return value }
    return .object(object)
  }

  private mutating func visit(
    _ value: RecordValue, within outer: Members = [], root: Int, depth: Int
  ) {
    guard depth < Self.depthLimit else { return }
    for part in value.items {
      guard case .object(var object) = whole(.object(part)) else { continue }
      let name = object.bytes("name")
      if let id = object.bytes("@id") {
        if let all = named[id], name == nil || name == all.bytes("name") { object = all }
        // A product, and an object that leads to others, is taken once.
        if !taken.insert(id + (object.bytes("name") ?? [])).inserted { continue }
      }
      let types = object.types
      let variants = object.value("hasVariant")?.items ?? []
      if types.contains("ItemList") || types.contains("OfferCatalog") {
        for entry in object.value("itemListElement")?.items ?? [] {
          visit(entry: entry, root: root, depth: depth + 1)
        }
      } else if !variants.isEmpty {
        let shared = object.prefix(Self.memberLimit).filter {
          !["@id", "@type", "hasVariant", "offers", "url", "sku"].contains($0.key)
        }
        for variant in variants {
          guard case .object(let own) = whole(.object(variant)),
            own.value("name") != nil || own.value("offers") != nil
          else { continue }
          take(outer + shared + own, root)
        }
      } else if types.contains("Offer") || types.contains("AggregateOffer") {
        let item = object.value("itemOffered").flatMap { whole($0).items.first } ?? []
        take(outer + item + object + [.init(key: "offers", value: .object(object))], root)
      } else if object.value("offers") != nil || types.contains(where: { $0.contains("Product") }) {
        take(outer + object, root)
      } else {
        for key in Self.ways {
          if let inner = object.value(key) { visit(inner, root: root, depth: depth + 1) }
        }
      }
    }
  }

  /// Takes an entry of a list, which has its product in `item`, or its address there or in `url`, or is the product.
  private mutating func visit(entry: Members, root: Int, depth: Int) {
    guard case .object(let entry) = whole(.object(entry)) else { return }
    let item = entry.value("item")
    let own = entry.prefix(Self.memberLimit).filter {
      ["name", "url", "image", "description"].contains($0.key)
    }
    if let item, let page = item.items.first {
      let count = found.count
      visit(item, within: own, root: root, depth: depth)
      if found.count == count {
        entries.append(own + [.init(key: "url", value: page.value("@id") ?? .null)] + page)
      }
    } else if let item, item.comparedText != nil {
      entries.append([.init(key: "url", value: item)] + own)
    } else if entry.types.contains("ListItem") || entry.types.isEmpty {
      if own.bytes("url") != nil { entries.append(own) }
    } else {
      visit(.object(entry), root: root, depth: depth)
    }
  }

  /// Keeps a product, as a part of one in another script if it has the same name and no other id: programs that add
  /// ratings to a page repeat the product.
  private mutating func take(_ product: Members, _ root: Int) {
    guard let name = product.bytes("name") else { return found.append((root, product)) }
    for place in places[name, default: []].prefix(20) where found[place].root != root {
      let other = found[place].members
      let isSame = Self.marks.allSatisfy { key in
        guard let mark = product.bytes(key), let own = other.bytes(key) else { return true }
        return mark == own
      }
      if isSame {
        found[place].members = product + other
        return
      }
    }
    places[name, default: []].append(found.count)
    found.append((root, product))
  }

  /// An offer with its references resolved, its price if the lowest is the highest, and its words from schema.org as
  /// words.
  private func tidied(_ offer: Members) -> Members {
    guard case .object(let offer) = whole(.object(offer)), offer.count <= Self.memberLimit else {
      return offer
    }
    var members = offer.map { RecordValue.Member(key: $0.key, value: whole($0.value)) }
    if members.value("price") == nil, let low = members.value("lowPrice"),
      let text = members.bytes("lowPrice"),
      text == members.bytes("highPrice")
    {
      members.append(.init(key: "price", value: low))
    }
    for key in ["availability", "itemCondition"] {
      if let word = members.value(key)?.comparedText {
        members.append(.init(key: key, value: .text(word.schemaWord.spaced)))
      }
    }
    return members
  }
}

extension RecordValue {
  /// The objects of a list, with nested lists flattened, or the object itself.
  fileprivate var items: [[Member]] {
    switch self {
    case .object(let members): [members]
    case .list(let list): list.flatMap(\.items)
    default: []
    }
  }
}

extension [RecordValue.Member] {
  fileprivate func value(_ key: String) -> RecordValue? {
    last { $0.key.hasSameBytes(as: key) && !$0.value.isNull }?.value
  }

  /// The text of a member; nil without one. Texts are compared by their bytes.
  fileprivate func bytes(_ key: String) -> [UInt8]? {
    value(key)?.comparedText.flatMap { $0.isBlank ? nil : [UInt8]($0.utf8) }
  }

  /// The names of the object's types, which a document may write as `http://schema.org/Product`.
  fileprivate var types: [String] {
    guard let type = value("@type") else { return [] }
    let all = if case .list(let list) = type { list } else { [type] }
    return all.prefix(20).compactMap { $0.comparedText?.schemaWord }
  }
}

extension RecordValue {
  fileprivate var isNull: Bool { if case .null = self { true } else { false } }
}

extension String {
  /// A word of schema.org's vocabulary without its address.
  fileprivate var schemaWord: String {
    let word = utf8.count > 100 ? "" : self
    let place = ["schema.org/", "schema:"].lazy.compactMap { word.firstRange(of: $0) }.first
    return place.map { String(word[$0.upperBound...]) } ?? self
  }

  /// `InStock` as `In stock`.
  fileprivate var spaced: String {
    var text = ""
    for scalar in unicodeScalars {
      let isCapital = ("A"..."Z").contains(scalar)
      if isCapital, let last = text.unicodeScalars.last, ("a"..."z").contains(last) {
        text += " " + scalar.properties.lowercaseMapping
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
