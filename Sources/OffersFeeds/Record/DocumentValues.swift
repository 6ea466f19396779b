import OffersCore

/// Collects the values of a document, outside its offers, that the definition's paths need, and
/// makes the document's facts of them, such as its title and the address of the next page.
final class DocumentValues {
  let tree: RecordTree
  private let title: CompiledRules.Rule
  private let shared: [(label: String, rule: CompiledRules.Rule)]
  private let error: [CompiledRules.Source]
  private let next: CompiledRules.Source?
  private let total: CompiledRules.Source?
  private let ttl: CompiledRules.Source?
  private let links: LinkResolver
  private let dateOrder: DateOrder?
  private let zone: DayZone
  private var textBytes = 0

  /// The number of values at which further ones are left out.
  private static let nodeLimit = 10_000
  /// The total size of the values' texts, in bytes, at which further values are left out.
  private static let textLimitBytes = 1 << 20

  /// - Parameters:
  ///   - definition: names the values that are read.
  ///   - tree: the empty tree to which the values are added.
  ///   - links: resolves relative links among the values.
  init(_ definition: FeedDefinition, tree: RecordTree, links: LinkResolver) {
    self.tree = tree
    self.links = links
    dateOrder = definition.dateOrder
    zone = definition.dayZone
    let compiler = CompiledRules.Compiler(items: tree.paths, document: tree.paths)
    title = compiler.rule(definition.title)
    shared = definition.shared.map { ($0.label, compiler.rule($0.rule)) }
    error = definition.error.map(compiler.source)
    total = (definition.pages?.total).map(compiler.source)
    ttl = definition.ttl.map(compiler.source)
    if case .path(let path)? = definition.pages?.next {
      next = compiler.source(path)
    } else {
      next = nil
    }
  }

  private var isFull: Bool {
    tree.count >= Self.nodeLimit || textBytes >= Self.textLimitBytes
  }

  /// Adds an object, a list or an XML element, and returns the index of its node. Returns a
  /// negative number when there is no room, or when its parent was not added.
  ///
  /// - Parameters:
  ///   - shape: the shape of the value in the tree's paths.
  ///   - kind: an object, which also stands for an XML element, or a list.
  ///   - parent: the index of the parent's node; negative for the root, which is added first.
  func append(_ shape: Int32, _ kind: RecordTree.Kind, to parent: Int32) -> Int32 {
    if isFull || (parent < 0 && tree.count > 0) { return -1 }
    return tree.append(shape, kind, to: parent)
  }

  /// Adds a value with a copy of its text. Leaves it out when there is no room, when the text has
  /// 1 MiB or more, or when `parent` is negative because the parent was not added.
  func append(
    _ text: UnsafeRawBufferPointer, _ shape: Int32, to parent: Int32,
    as kind: RecordTree.Kind = .text
  ) {
    guard !isFull, parent >= 0, text.count < Self.textLimitBytes else { return }
    setText(text, of: tree.append(shape, kind, to: parent))
  }

  /// Sets the text of a node to a copy of `text`, unless there is no room.
  func setText(_ text: UnsafeRawBufferPointer, of node: Int32) {
    guard !isFull else { return }
    textBytes += text.count
    let copy = tree.arena.copy(text)
    tree.nodes[Int(node)].start = copy.baseAddress?.assumingMemoryBound(to: UInt8.self)
    tree.nodes[Int(node)].count = copy.count
  }

  /// Reads the JSON text, number, Boolean or null at `p`, and moves `p` past it. Adds a copy of it,
  /// unless it is null.
  func readScalar(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ shape: Int32, below parent: Int32
  ) throws(JSONStop) {
    let start = p
    guard p.pointee == 0x22 else {
      let first = p.pointee
      try scanner.skipValue(&p, depth: 0)
      if first != 0x6E {
        let isTruth = first == 0x74 || first == 0x66
        append(
          UnsafeRawBufferPointer(start: start, count: p - start), shape, to: parent,
          as: isTruth ? .truth : .number)
      }
      return
    }
    p += 1
    var traits = JSONScanner.TextTraits()
    try scanner.scanText(&p, &traits)
    let raw = UnsafeRawBufferPointer(start: start + 1, count: p - start - 1)
    p += 1
    var wasMended = false
    append(tree.decoder.decode(raw, traits, wasMended: &wasMended), shape, to: parent)
  }

  /// The document's statements about itself, according to the values read so far.
  var facts: DocumentFacts {
    var values = RecordValues(record: tree, document: tree)
    var mended: [String] = []
    var shared: [OfferAttribute] = []
    for (label, rule) in self.shared {
      if let text = text(rule, &values) {
        shared.append(OfferAttribute(label: label, value: text))
      }
    }
    if let fitting = OfferLimits.fit(shared) {
      shared = fitting
      let size = OfferLimits.text(OfferLimits.attributeBytes)
      mended.append(
        "shared has more than \(OfferLimits.attributeCount) values or one longer than \(size), cut")
    }
    var title = text(title, &values)
    if let long = title, let cut = OfferLimits.fit(long, within: OfferLimits.nameBytes) {
      title = cut
      mended.append("title is longer than \(OfferLimits.text(OfferLimits.nameBytes)), cut")
    }
    let total = total.flatMap { text($0, &values) }.flatMap { Int($0) }
    let minutes = ttl.flatMap { text($0, &values) }.flatMap { Int($0) }
    return DocumentFacts(
      title: title, shared: shared, mended: mended,
      error: error.lazy.compactMap { [self] in text($0, &values) }.first.map {
        OfferLimits.fit($0, within: OfferLimits.nameBytes) ?? $0
      },
      nextPage: next.flatMap { text($0, &values) }, pageCount: total,
      freshSeconds: minutes.map { max(0, min($0, 1 << 20)) * 60 })
  }

  private func text(_ rule: CompiledRules.Rule, _ values: inout RecordValues) -> String? {
    for alternative in rule.alternatives {
      guard case .text(let text, _) = values.value(alternative.source, join: alternative.join),
        !text.isBlank
      else { continue }
      var found = read(text, as: alternative.reading)
      if let limit = alternative.limitCharacters, let cut = OfferAssembler.cut(found, to: limit) {
        found = cut
      }
      if !found.isEmpty { return found }
    }
    return nil
  }

  private func read(_ text: UnsafeRawBufferPointer, as reading: Reading) -> String {
    switch reading {
    case .text, .image: break
    case .html:
      var bytes: [UInt8] = []
      HTMLText.append(text, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    case .date:
      if let date = DateParser.parse(text, order: dateOrder) {
        return DateParser.write(zone.shown(date).seconds, isWholeDay: date.isWholeDay)
      }
    case .link:
      let link = links.resolve(text, in: tree.arena)
      return String(decoding: link, as: UTF8.self)
    }
    return String(decoding: text, as: UTF8.self)
  }

  private func text(_ source: CompiledRules.Source, _ values: inout RecordValues) -> String? {
    guard case .text(let text, _) = values.value(source, join: []), !text.isBlank else {
      return nil
    }
    return String(decoding: text, as: UTF8.self)
  }
}

/// The statements of a document about itself.
package struct DocumentFacts {
  /// The feed's title by the definition's rule; nil if the document has none.
  package let title: String?
  /// Labelled texts that every offer shows, in order.
  package let shared: [OfferAttribute]
  /// Notes for people: one if the title, and one if the shared attributes exceeded `OfferLimits`
  /// and were cut.
  package let mended: [String]
  /// The document's error message: the text at the first of the definition's `error` paths that has
  /// one; nil if none has.
  package let error: String?
  /// The address of the next page, as the document prints it; nil if it has none.
  package let nextPage: String?
  /// The number of pages that the document states; nil if it states none.
  package let pageCount: Int?
  /// How long the document stays valid according to its TTL, in seconds; nil if it has none.
  package let freshSeconds: Int?
}
