import OffersCore

/// Reads the offers and the values around them from the elements of an XML document.
///
/// An element is an object: its attributes are members with an `@` before the name, its children
/// are members, and repeated children are like a list. Its text is all text within it, trimmed.
final class XMLItemHandler: XMLTokenHandler {
  private struct Frame {
    /// The element's shape: its node in the `PathTree`; negative when no path needs it.
    var shape: Int32
    var node: Int32
    /// The start of its text in the record's arena or, outside items, in `documentText`; negative
    /// when no path needs the text.
    var textStart = -1
    /// The base of relative links, as in `RecordTree.Node.base`.
    var base: Int32 = -1
  }

  private let assembler: OfferAssembler
  private let document: DocumentValues
  private let sink: any OfferSink
  private let record: RecordTree
  private let itemPaths: PathTree
  private let documentPaths: PathTree
  /// The arena of values that are complete while an enclosing text is still being written to the
  /// record's arena.
  private let aside = TextArena()
  /// The size of the texts and attributes that were kept of the current item so far, in bytes.
  private var itemBytes = 0
  private var frames: [Frame] = []
  /// The number of frames around that of the current item; nil outside items.
  private var itemDepth: Int?
  /// The number of bases in scope of the current item.
  private var itemBaseCount = 0
  /// The number of open elements whose text is needed.
  private var collecting = 0
  private var documentText: [UInt8] = []
  private(set) var itemCount = 0
  /// Whether an element that may contain items was found; the feed may then be empty.
  private(set) var didFindList = false
  /// The index, among the definition's paths of items, of the first one found in the document. The
  /// other paths do not apply.
  private var itemsRank: Int32?
  /// Up to six different names of the document's first elements, for messages.
  private(set) var seenElements: [String] = []

  init(assembler: OfferAssembler, document: DocumentValues, sink: any OfferSink) {
    self.assembler = assembler
    self.document = document
    self.sink = sink
    record = assembler.record
    itemPaths = record.paths
    documentPaths = document.tree.paths
    record.isElements = true
    document.tree.isElements = true
  }

  func start(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) throws {
    if itemDepth != nil { return try startInItem(name, attributes) }
    if frames.isEmpty {
      _ = document.append(PathTree.root, .object, to: -1)
      frames.append(Frame(shape: PathTree.root, node: 0))
    }
    note(name)
    let parent = frames[frames.count - 1]
    let shape = parent.shape < 0 ? -1 : documentPaths.child(of: parent.shape, name)
    let base = shape < 0 ? parent.base : base(attributes, within: parent.base)
    if shape >= 0, let rank = documentPaths.itemsRank(shape), rank == itemsRank ?? rank,
      // The root is a container, not an item, if a path leads to items below it.
      frames.count > 1 || !documentPaths.hasItemsBelow(shape)
    {
      itemsRank = rank
      itemCount += 1
      itemDepth = frames.count
      record.reset()
      aside.reset()
      itemBytes = 0
      itemBaseCount = base == parent.base ? record.bases.count : record.bases.count - 1
      try push(
        PathTree.root, record.append(PathTree.root, .object, to: -1), attributes, base: base)
      return
    }
    var frame = Frame(shape: shape, node: -1, base: base)
    if shape >= 0 {
      didFindList = didFindList || documentPaths.hasItemsBelow(shape)
      frame.node = document.append(shape, .object, to: parent.node)
      if frame.node >= 0, documentPaths.wantsAttributes(shape) {
        for (name, value) in attributes {
          let attribute = documentPaths.attribute(of: shape, name)
          if attribute >= 0 { document.append(value, attribute, to: frame.node) }
        }
      }
      if documentPaths.wantsValue(shape), frame.node >= 0 {
        frame.textStart = documentText.count
        collecting += 1
      }
    }
    frames.append(frame)
  }

  @inline(__always)
  private func startInItem(
    _ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes
  ) throws {
    var parent = frames[frames.count - 1]
    var shape = parent.shape < 0 ? -1 : itemPaths.child(of: parent.shape, Self.local(name))
    if collecting > 0, Self.isPicture(name) {
      if Self.isPixel(attributes) {
        shape = -1
      } else if shape < 0, let text = frames.last(where: { $0.textStart >= 0 }) {
        // A picture anywhere in a text is found as if it were directly within it.
        parent = text
        shape = itemPaths.child(of: text.shape, Self.local(name))
      }
    }
    if shape < 0 || record.hasNoRoom() {
      if collecting > 0, Self.isBlock(name) { endLine() }
      frames.append(Frame(shape: -1, node: -1, base: parent.base))
      return
    }
    let base = base(attributes, within: parent.base)
    try push(shape, record.append(shape, .object, to: parent.node), attributes, base: base)
  }

  /// The index of the base in the scope of an element; that of its parent unless the element
  /// declares another one.
  @inline(__always)
  private func base(_ attributes: XMLAttributes, within parent: Int32) -> Int32 {
    guard let text = attributes.base else { return parent }
    return declare(text, within: parent)
  }

  /// The most bases in scope of an item and its elements. Further ones are ignored, because each
  /// may be long.
  private static let baseLimit = 256

  private func declare(_ text: UnsafeRawBufferPointer, within parent: Int32) -> Int32 {
    guard record.bases.count < Self.baseLimit, text.count <= OfferLimits.linkBytes, !text.isBlank
    else { return parent }
    let outer = parent < 0 ? assembler.links : record.bases[Int(parent)]
    record.bases.append(outer.within(text))
    return Int32(record.bases.count - 1)
  }

  private func push(
    _ shape: Int32, _ node: Int32, _ attributes: XMLAttributes, base: Int32
  ) throws {
    record.nodes[Int(node)].base = base
    if itemPaths.wantsAttributes(shape) {
      for (name, value) in attributes {
        let attribute = itemPaths.attribute(of: shape, name)
        if attribute >= 0, !record.hasNoRoom() {
          try takeRoom(value.count)
          let copy = aside.copy(value)
          let index = record.append(
            attribute, .text, to: node,
            start: copy.baseAddress?.assumingMemoryBound(to: UInt8.self), count: copy.count)
          record.nodes[Int(index)].base = base
        }
      }
    }
    var frame = Frame(shape: shape, node: node, base: base)
    if itemPaths.wantsValue(shape) {
      record.arena.open()
      frame.textStart = record.arena.openCount
      collecting += 1
    }
    frames.append(frame)
  }

  func text(_ text: UnsafeRawBufferPointer) throws {
    if collecting == 0 { return }
    if itemDepth != nil {
      try takeRoom(text.count)
      record.arena.append(text)
    } else if documentText.count < 1 << 20 {
      documentText.append(contentsOf: text)
    }
  }

  /// Adds a number of bytes to the size of the current item; throws `limitExceeded` if the item
  /// exceeds the limit of a record.
  @inline(__always)
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

  func end(_ name: UnsafeRawBufferPointer) throws {
    guard let frame = frames.popLast() else { return }
    guard let itemDepth else {
      if frame.textStart >= 0 { endDocumentText(frame) }
      // The base of the element is the last one, because its children have ended.
      if let outer = frames.last?.base, outer != frame.base { record.bases.removeLast() }
      return
    }
    if frame.textStart >= 0 {
      endText(frame)
    } else if frame.shape < 0, collecting > 0, Self.isBlock(name) {
      endLine()
    }
    if frames.count == itemDepth {
      self.itemDepth = nil
      defer { record.bases.removeLast(record.bases.count - itemBaseCount) }
      try assembler.deliver(to: sink, position: itemCount)
    }
  }

  private func endText(_ frame: Frame) {
    var text = Self.unwrapped(record.arena.openText(from: frame.textStart).trimmed())
    collecting -= 1
    if collecting == 0 { record.arena.close() }
    if text.contains(0x0D) {
      text = aside.copy(Self.withLineFeeds(text))
    } else if collecting > 0 {
      // The enclosing text is still growing, so the arena may be reallocated.
      text = aside.copy(text)
    }
    record.nodes[Int(frame.node)].start = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
    record.nodes[Int(frame.node)].count = text.count
  }

  private func endDocumentText(_ frame: Frame) {
    documentText.withUnsafeBytes { all in
      document.setText(Self.unwrapped(all.tail(from: frame.textStart).trimmed()), of: frame.node)
    }
    collecting -= 1
    if collecting == 0 { documentText.removeAll(keepingCapacity: true) }
  }

  /// Adds a line break to the text being written, unless it is empty or ends in one.
  private func endLine() {
    let text = record.arena.openText(from: 0)
    if text.isEmpty || text.last == 0x0A { return }
    withUnsafeBytes(of: UInt8(0x0A)) { record.arena.append($0) }
  }

  private func note(_ name: UnsafeRawBufferPointer) {
    guard seenElements.count < 6, frames.count <= 3 else { return }
    let name = String(decoding: name.prefix(40), as: UTF8.self)
    if !seenElements.contains(name) { seenElements.append(name) }
  }

  /// A text without the marks of a CDATA section around it. A program that escapes a section that
  /// it was to write as it is makes these a part of the text.
  private static func unwrapped(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard text.count >= 12, text[0] == 0x3C, text.matches("<![CDATA[", at: 0) == true,
      text.matches("]]>", at: text.count - 3) == true
    else { return text }
    return text.slice(9, text.count - 3).trimmed()
  }

  /// Whether an element is the picture of HTML or XHTML.
  private static func isPicture(_ name: UnsafeRawBufferPointer) -> Bool {
    let name = local(name)
    return name.count == 3 && name.matches("img", at: 0) == true
  }

  /// The name of an element without the prefix of XHTML if it is a picture, so that one path leads
  /// to it.
  @inline(__always)
  private static func local(_ name: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
    guard name.count == 9, name.matches("xhtml:img", at: 0) == true else { return name }
    return name.tail(from: 6)
  }

  private static func isPixel(_ attributes: XMLAttributes) -> Bool {
    attributes.contains { name, value in
      (name.matches("width", at: 0) == true || name.matches("height", at: 0) == true)
        && HTMLPicture.isPixel(String(decoding: value, as: UTF8.self))
    }
  }

  /// Replaces CRLF by LF.
  private static func withLineFeeds(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for (index, byte) in text.enumerated() {
      if byte == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A { continue }
      bytes.append(byte)
    }
    return bytes
  }

  /// Whether an element within a text begins and ends on a line of its own, as the blocks of XHTML
  /// do.
  private static func isBlock(_ name: UnsafeRawBufferPointer) -> Bool {
    blocks.contains { $0.utf8CodeUnitCount == name.count && name.matches($0, at: 0) == true }
  }

  private static let blocks: [StaticString] = [
    "p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "xhtml:p", "xhtml:br",
    "xhtml:div", "xhtml:li", "xhtml:tr",
  ]
}
