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
      try push(PathTree.root, record.append(PathTree.root, .object, to: -1), attributes)
      return
    }
    var frame = Frame(shape: shape, node: -1)
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
    let parent = frames[frames.count - 1]
    let shape = parent.shape < 0 ? -1 : itemPaths.child(of: parent.shape, name)
    if shape < 0 || record.hasNoRoom() {
      if collecting > 0, Self.isBlock(name) { endLine() }
      frames.append(Frame(shape: -1, node: -1))
      return
    }
    try push(shape, record.append(shape, .object, to: parent.node), attributes)
  }

  private func push(_ shape: Int32, _ node: Int32, _ attributes: XMLAttributes) throws {
    if itemPaths.wantsAttributes(shape) {
      for (name, value) in attributes {
        let attribute = itemPaths.attribute(of: shape, name)
        if attribute >= 0, !record.hasNoRoom() {
          try takeRoom(value.count)
          let copy = aside.copy(value)
          record.append(
            attribute, .text, to: node,
            start: copy.baseAddress?.assumingMemoryBound(to: UInt8.self), count: copy.count)
        }
      }
    }
    var frame = Frame(shape: shape, node: node)
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
      return
    }
    if frame.textStart >= 0 {
      endText(frame)
    } else if frame.shape < 0, collecting > 0, Self.isBlock(name) {
      endLine()
    }
    if frames.count == itemDepth {
      self.itemDepth = nil
      try assembler.deliver(to: sink, position: itemCount)
    }
  }

  private func endText(_ frame: Frame) {
    var text = record.arena.openText(from: frame.textStart).trimmed()
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
      document.setText(all.tail(from: frame.textStart).trimmed(), of: frame.node)
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
