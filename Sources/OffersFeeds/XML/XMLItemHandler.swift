import OffersCore

/// Takes the offers, and what stands around them, out of an XML document's elements.
///
/// An element is an object: its attributes are members with an `@` before the name, its children
/// are members, and repeated ones are like a list. Its text is that of all it holds, without the
/// white space around it.
final class XMLItemHandler: XMLTokenHandler {
  private struct Frame {
    /// What the element is to the definition; below 0 for nothing.
    var shape: Int32
    var node: Int32
    /// Where its text begins, when it is wanted; below 0 when not.
    var textStart = -1
  }

  private let assembler: OfferAssembler
  private let document: DocumentValues
  private let sink: any OfferSink
  private let record: RecordTree
  private let itemPaths: PathTree
  private let documentPaths: PathTree
  /// Holds what must not come between the pieces of a text that is being written.
  private let aside = TextArena()
  private var frames: [Frame] = []
  /// How many elements are open around the item at hand; nil outside of items.
  private var itemDepth: Int?
  /// How many open elements want their text.
  private var collecting = 0
  private var documentText: [UInt8] = []
  private(set) var itemCount = 0
  /// Whether an element was met that items stand in, so that a feed may be empty.
  private(set) var didFindList = false
  /// Which of the paths to items the document has: the first that was met, and no other any more.
  private var itemsRank: Int32?
  /// The first elements of the document, for messages.
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
    if itemDepth != nil { return startInItem(name, attributes) }
    if frames.isEmpty {
      _ = document.append(PathTree.root, .object, to: -1)
      frames.append(Frame(shape: PathTree.root, node: 0))
    }
    note(name)
    let parent = frames[frames.count - 1]
    let shape = parent.shape < 0 ? -1 : documentPaths.child(of: parent.shape, name)
    if shape >= 0, let rank = documentPaths.itemsRank(shape), rank == itemsRank ?? rank,
      // There is one root: where items may stand below it, it is none itself.
      frames.count > 1 || !documentPaths.hasItemsBelow(shape)
    {
      itemsRank = rank
      itemCount += 1
      itemDepth = frames.count
      record.reset()
      aside.reset()
      push(PathTree.root, record.append(PathTree.root, .object, to: -1), attributes)
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
  private func startInItem(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) {
    let parent = frames[frames.count - 1]
    let shape = parent.shape < 0 ? -1 : itemPaths.child(of: parent.shape, name)
    if shape < 0 {
      if collecting > 0, Self.isBlock(name) { endLine() }
      frames.append(Frame(shape: -1, node: -1))
      return
    }
    push(shape, record.append(shape, .object, to: parent.node), attributes)
  }

  private func push(_ shape: Int32, _ node: Int32, _ attributes: XMLAttributes) {
    if itemPaths.wantsAttributes(shape) {
      for (name, value) in attributes {
        let attribute = itemPaths.attribute(of: shape, name)
        if attribute >= 0 {
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
      record.arena.append(text)
    } else if documentText.count < 1 << 20 {
      documentText.append(contentsOf: text)
    }
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
      // What surrounds it is still being written, and may move.
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

  /// Ends the line of the text that is being written, unless it has ended.
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

  /// CRLF becomes LF.
  private static func withLineFeeds(_ text: UnsafeRawBufferPointer) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    for (index, byte) in text.enumerated() {
      if byte == 0x0D, index + 1 < text.count, text[index + 1] == 0x0A { continue }
      bytes.append(byte)
    }
    return bytes
  }

  /// Whether an element within a text ends a line of it, as XHTML's blocks do.
  private static func isBlock(_ name: UnsafeRawBufferPointer) -> Bool {
    blocks.contains { $0.utf8CodeUnitCount == name.count && name.matches($0, at: 0) == true }
  }

  private static let blocks: [StaticString] = [
    "p", "br", "div", "li", "tr", "h1", "h2", "h3", "h4", "h5", "h6", "xhtml:p", "xhtml:br",
    "xhtml:div", "xhtml:li", "xhtml:tr",
  ]
}
