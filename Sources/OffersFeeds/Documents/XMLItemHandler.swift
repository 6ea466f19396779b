import OffersCore

/// Reads the offers and the values around them from the elements of an XML document.
///
/// An element is a `RecordValue.Element`. Outside of the offers, only the elements that a path needs
/// are kept.
final class XMLItemHandler: XMLTokenHandler {
  /// An open element outside of the items.
  private struct Frame {
    /// The place of the element; nil when no path needs it.
    let place: DocumentPlace?
    /// Whether the element is kept in `DocumentValues`.
    var isKept = false
    /// Whether its text is needed.
    var isRead = false
    /// The base of relative links.
    var base: LinkResolver?
    var declaresBase = false
  }

  /// An open element of the current item.
  private struct ItemFrame {
    let name: String
    var element = RecordValue.Element()
    /// The base of relative links.
    var base: LinkResolver?
  }

  private var assembler: OfferAssembler
  private let itemKeys: ItemKeys
  private let links: LinkResolver
  private let document: DocumentValues
  private let sink: any OfferSink
  private var frames: [Frame] = []
  /// The open elements of the current item; empty outside of items.
  private var item: [ItemFrame] = []
  /// The text since the last start or end of an element, of the current item or of the document.
  private var pending: [UInt8] = []
  /// The number of the current item's open elements that are not kept: no rule reads them, or there
  /// was no room for them. Their texts do not count.
  private var leftOutDepth = 0
  /// The number of elements and attributes of the current item.
  private var itemValues = 0
  private var isFull = false
  /// The size of the texts and attributes of the current item so far, in bytes.
  private var itemBytes = 0
  /// The number of bases that elements around the current item, and in it, declare.
  private var baseCount = 0
  /// The number of open elements outside of items whose text is needed.
  private var readCount = 0
  /// The size of the texts outside of items, in bytes.
  private var documentBytes = 0
  private(set) var itemCount = 0
  /// Whether an element that may contain items was found; the feed may then be empty.
  private(set) var didFindList = false
  /// The index, among the definition's paths of items, of the first one found in the document. The
  /// other paths do not apply.
  private var itemsRank: Int?
  /// Up to six different names of the document's first elements, for messages.
  private(set) var seenElements: [String] = []

  init(assembler: OfferAssembler, document: DocumentValues, sink: any OfferSink) {
    self.assembler = assembler
    itemKeys = assembler.itemKeys
    links = assembler.links
    self.document = document
    self.sink = sink
  }

  func start(_ name: String, _ attributes: [XMLTokenReader.Attribute]) throws {
    if !item.isEmpty { return try startInItem(name, attributes) }
    if frames.isEmpty {
      frames.append(Frame(place: document.root, isKept: document.begin(.element, key: "")))
    }
    endDocumentText()
    note(name)
    let parent = frames[frames.count - 1]
    let place = parent.place?.member(name)
    var frame = Frame(place: place, base: parent.base)
    if place != nil, let base = base(attributes, within: parent.base) {
      frame.base = base
      frame.declaresBase = true
      baseCount += 1
    }
    if let place, let rank = place.itemsRank, rank == itemsRank ?? rank,
      // The root is a container, not an item, if a path leads to items below it.
      frames.count > 1 || !place.hasItemsBelow
    {
      itemsRank = rank
      itemCount += 1
      itemValues = 0
      itemBytes = 0
      isFull = false
      frames.append(frame)
      return try push(name, attributes, base: frame.base, declares: frame.base != nil)
    }
    if let place {
      didFindList = didFindList || place.hasItemsBelow
      frame.isKept = parent.isKept && document.begin(.element, key: name)
      if frame.isKept {
        for (name, value) in attributes where place.attribute(name) != nil {
          document.add(.text(value), key: "@" + name)
        }
        frame.isRead = place.wantsValue
        if frame.isRead { readCount += 1 }
      }
    }
    frames.append(frame)
  }

  private func startInItem(_ name: String, _ attributes: [XMLTokenReader.Attribute]) throws {
    // One path leads to a picture, whether or not it has the prefix of XHTML.
    let name = name == "xhtml:img" ? "img" : name
    if leftOutDepth > 0 || item.count == 1 && !itemKeys.contains(name) || !hasRoom() {
      leftOutDepth += 1
      return
    }
    endItemText()
    let outer = item[item.count - 1].base
    let base = base(attributes, within: outer)
    if base != nil { baseCount += 1 }
    try push(name, attributes, base: base ?? outer, declares: base != nil)
  }

  /// Whether there is room for another value of the item.
  private func hasRoom() -> Bool {
    if itemValues < RecordValue.countLimit { return true }
    isFull = true
    return false
  }

  private func push(
    _ name: String, _ attributes: [XMLTokenReader.Attribute], base: LinkResolver?, declares: Bool
  ) throws {
    try takeRoom(name.utf8.count)
    itemValues += 1
    var frame = ItemFrame(name: name, base: base)
    if declares { frame.element.base = base }
    for (name, value) in attributes {
      let key = "@" + name
      if item.isEmpty, !itemKeys.contains(key) { continue }
      guard hasRoom() else { break }
      try takeRoom(key.utf8.count + value.utf8.count)
      itemValues += 1
      frame.element.members.append(.init(key: key, value: .text(value)))
    }
    item.append(frame)
  }

  /// The most bases in scope of an item and its elements. Further ones are ignored, because each
  /// may be long.
  private static let baseLimit = 256

  /// The base that an element declares; nil if it declares none.
  private func base(
    _ attributes: [XMLTokenReader.Attribute], within outer: LinkResolver?
  ) -> LinkResolver? {
    guard let text = attributes.first(where: { $0.name == "xml:base" })?.value,
      baseCount < Self.baseLimit, text.utf8.count <= OfferLimits.linkBytes, !text.isBlank
    else { return nil }
    return (outer ?? links).within(text)
  }

  func text(_ text: UnsafeRawBufferPointer) throws {
    if !item.isEmpty {
      if leftOutDepth > 0 || item.count == 1 && !itemKeys.hasAll { return }
      try takeRoom(text.count)
    } else {
      if readCount == 0 || documentBytes >= 1 << 20 { return }
      documentBytes += text.count
    }
    pending.append(contentsOf: text)
  }

  /// Adds a number of bytes to the size of the current item; throws `limitExceeded` if the item
  /// exceeds the limit of a record.
  private func takeRoom(_ bytes: Int) throws {
    itemBytes += bytes
    if itemBytes > JSONFeedReader.itemLimitBytes { throw Self.tooLarge(itemCount) }
  }

  private static func tooLarge(_ item: Int) -> OffersError {
    OffersError(
      .limitExceeded,
      "Record \(item) is larger than \(JSONFeedReader.itemLimitBytes >> 20) MiB.",
      hint: "Nothing was changed. Check that the source is an offers feed.")
  }

  func end(_ name: String) throws {
    if !item.isEmpty { return try endInItem() }
    endDocumentText()
    guard let frame = frames.popLast() else { return }
    if frame.declaresBase { baseCount -= 1 }
    if frame.isRead { readCount -= 1 }
    if frame.isKept { document.end() }
  }

  private func endInItem() throws {
    if leftOutDepth > 0 {
      leftOutDepth -= 1
      return
    }
    endItemText()
    let last = item.removeLast()
    if !item.isEmpty {
      item[item.count - 1].element.members.append(
        .init(key: last.name, value: .element(last.element)))
      return
    }
    frames.removeLast()
    baseCount = frames.count(where: \.declaresBase)
    try assembler.deliver(.element(last.element), isFull: isFull, to: sink, position: itemCount)
  }

  private func endItemText() {
    if pending.isEmpty { return }
    item[item.count - 1].element.members.append(
      .init(key: "", value: .text(String(decoding: pending, as: UTF8.self))))
    pending.removeAll(keepingCapacity: true)
  }

  /// Adds the pending text to the innermost element that is kept.
  private func endDocumentText() {
    if pending.isEmpty { return }
    document.add(.text(String(decoding: pending, as: UTF8.self)), key: "")
    pending.removeAll(keepingCapacity: true)
  }

  private func note(_ name: String) {
    guard seenElements.count < 6, frames.count <= 3 else { return }
    let name = String(decoding: name.utf8.prefix(40), as: UTF8.self)
    if !seenElements.contains(name) { seenElements.append(name) }
  }
}
