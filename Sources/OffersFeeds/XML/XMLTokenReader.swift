import Expat
import OffersCore

/// Reads an XML document of UTF-8 in pieces of any size and tells a handler of its elements.
///
/// No external entity or document type is ever loaded, and what entities of the document's own
/// expand to is bounded. What `<?xml … encoding` says is ignored: the bytes are UTF-8 by now.
/// Memory is bounded by the largest tag or comment, at most 16 MiB, and by 100,000 different names,
/// since expat keeps each name that it meets. After an error every further call throws it again.
///
/// expat starts a tag that is cut off anew whenever more of it comes, which is slow for a large one
/// in crumbs; so bytes are gathered, in expat's own buffer, until they are 64 KiB and no fewer than
/// what it left over.
package final class XMLTokenReader {
  private let parser: XML_Parser?
  private let handler: any XMLTokenHandler
  private let namespaces = XMLNamespaces(nameBytes: XMLTokenReader.nameBytes)
  private let path = XMLElementPath(
    depthLimit: XMLTokenReader.depthLimit, nameBytes: XMLTokenReader.nameBytes)
  private let names = XMLNameCount()
  private var failure: (any Error)?
  private var isFinished = false

  /// expat's buffer, while it is being filled.
  private var space: UnsafeMutableRawBufferPointer?
  private var filledBytes = 0
  private var gatherBytes = XMLTokenReader.leastBytes
  /// How many bytes expat was given.
  private var fedBytes = 0

  private var hasRoot = false
  /// How many references to something elsewhere were passed over.
  private(set) var passedCount = 0
  private var entityCount = 0
  private var defaultCount = 0
  private var expandedBytes = 0
  private var lastTextIndex: XML_Index = -1

  static let depthLimit = 128
  static let attributeLimit = 256
  static let nameBytes = 1 << 10
  private static let tokenBytes = 16 << 20
  private static let prologBytes = 1 << 20
  private static let expansionBytes = 1 << 20
  private static let entityLimit = 1000
  private static let leastBytes = 64 << 10

  /// - Parameter handler: is held until the reader goes; it must not hold the reader.
  package init(handler: any XMLTokenHandler) {
    self.handler = handler
    parser = XML_ParserCreate("UTF-8")
    guard let parser else { return }
    XML_SetUserData(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetElementHandler(
      parser,
      { context, name, attributes in
        XMLTokenReader.with(context) { $0.takeStart(name, attributes) }
      },
      { context, _ in
        XMLTokenReader.with(context) { $0.takeEnd() }
      })
    XML_SetCharacterDataHandler(parser) { context, text, count in
      XMLTokenReader.with(context) { $0.takeText(text, Int(count)) }
    }
    XML_SetEntityDeclHandler(parser) { context, _, _, _, _, _, _, _, _ in
      XMLTokenReader.with(context) { $0.takeEntity() }
    }
    XML_SetAttlistDeclHandler(parser) { context, _, _, _, _, _ in
      XMLTokenReader.with(context) { $0.takeDefault() }
    }
    // Without one it is passed over in silence. What the handler returns says to go on.
    XML_SetExternalEntityRefHandlerArg(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetExternalEntityRefHandler(parser) { context, _, _, _, _ in
      XMLTokenReader.with(context.map { UnsafeMutableRawPointer($0) }) { $0.passedCount += 1 }
      return 1
    }
    XML_SetSkippedEntityHandler(parser) { context, _, isParameter in
      XMLTokenReader.with(context) { if isParameter == 0 { $0.passedCount += 1 } }
    }
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
    // These count elements and attributes too, which `expandedBytes` does not, but also
    // what is written out: of 2 MiB at four times that, more than 1 MiB is expansion.
    XML_SetBillionLaughsAttackProtectionActivationThreshold(
      parser, UInt64(2 * Self.expansionBytes))
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, 4)
  }

  deinit { XML_ParserFree(parser) }

  /// Takes the next bytes.
  /// - Throws: `malformedFeed`, `limitExceeded`, and what the handler throws.
  package func consume(_ bytes: UnsafeRawBufferPointer) throws {
    if let failure { throw failure }
    var rest = bytes
    while !rest.isEmpty {
      let space = try takeSpace()
      let size = min(rest.count, space.count - filledBytes)
      UnsafeMutableRawBufferPointer(rebasing: space[filledBytes...])
        .copyMemory(from: rest.slice(0, size))
      filledBytes += size
      rest = rest.tail(from: size)
      if filledBytes == space.count { try parse(isLast: false) }
    }
  }

  /// Says that there are no more bytes.
  /// - Throws: as `consume`; `malformedFeed` when there should be more.
  package func finish() throws {
    if let failure { throw failure }
    if isFinished { return }
    _ = try takeSpace()
    try parse(isLast: true)
    isFinished = true
  }

  private func takeSpace() throws -> UnsafeMutableRawBufferPointer {
    if let space { return space }
    guard let parser, let start = XML_GetBuffer(parser, Int32(gatherBytes)) else {
      throw keep(XMLFault.outOfMemory)
    }
    let fresh = UnsafeMutableRawBufferPointer(start: start, count: gatherBytes)
    space = fresh
    return fresh
  }

  private func parse(isLast: Bool) throws {
    fedBytes += filledBytes
    let status = XML_ParseBuffer(parser, Int32(filledBytes), isLast ? 1 : 0)
    space = nil
    filledBytes = 0
    if let failure { throw failure }
    let place = XMLFault.Place(parser: parser, path: path)
    guard status == XML_STATUS_OK else {
      throw keep(
        XMLFault.describe(
          XML_GetErrorCode(parser), at: place, isLast: isLast, isEmpty: fedBytes == 0))
    }
    if isLast { return }
    let doneBytes = max(XML_GetCurrentByteIndex(parser), 0)
    let waitingBytes = fedBytes - doneBytes
    if waitingBytes > Self.tokenBytes {
      throw keep(XMLFault.limit("a single tag or comment larger than 16 MiB", at: place))
    }
    // The declarations of a document type are kept, so they need a bound.
    if !hasRoot && doneBytes > Self.prologBytes {
      throw keep(XMLFault.limit("more than 1 MiB before its first element", at: place))
    }
    gatherBytes = max(
      Self.leastBytes, min(waitingBytes, Self.tokenBytes + Self.leastBytes - waitingBytes))
  }

  private func keep(_ error: OffersError) -> OffersError {
    failure = error
    return error
  }

  // MARK: What expat calls

  @inline(__always)
  private static func with(
    _ context: UnsafeMutableRawPointer?, _ body: (XMLTokenReader) -> Void
  ) {
    guard let context else { return }
    Unmanaged<XMLTokenReader>.fromOpaque(context)._withUnsafeGuaranteedRef {
      // Some calls still come after a stop.
      if $0.failure == nil { body($0) }
    }
  }

  private func stop(_ error: any Error) {
    failure = error
    XML_StopParser(parser, 0)
  }

  private func refuse(_ what: String) {
    stop(XMLFault.limit(what, at: XMLFault.Place(parser: parser, path: path)))
  }

  @inline(__always)
  private func takeStart(_ printed: UnsafePointer<CChar>?, _ list: XMLAttributes.List?) {
    guard let printed, let list else { return }
    let name = UnsafeRawBufferPointer(cString: printed)
    if name.count > Self.nameBytes { return refuse("a name longer than 1 KiB") }
    if let excess = names.take(name) { return refuse(excess) }
    if path.depth == Self.depthLimit {
      let place = XMLFault.Place(parser: parser, path: path)
      return stop(XMLFault.unsound("elements nested more than 128 deep", at: place))
    }
    // Defaults from the document type could make a small document a large one.
    let count = list[0] == nil ? 0 : Int(XML_GetSpecifiedAttributeCount(parser))
    let attributes = XMLAttributes(list: list, count: count, namespaces: namespaces)
    do {
      if count > 0 || !hasRoot {
        guard try takeDeclarations(name, attributes) else { return }
      }
      let canonical = namespaces.canonicalElement(name)
      path.push(canonical)
      try handler.start(canonical, attributes)
    } catch {
      stop(error)
    }
  }

  /// Checks the attributes and takes namespaces from them; returns false when reading was stopped.
  private func takeDeclarations(
    _ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes
  ) throws -> Bool {
    if attributes.count > 2 * Self.attributeLimit {
      refuse("an element with more than 256 attributes")
      return false
    }
    if !hasRoot {
      hasRoot = true
      namespaces.enter(root: name, attributes)
    }
    var index = 0
    while let (name, value) = attributes.pair(at: index) {
      index += 2
      if name.count > Self.nameBytes {
        refuse("a name longer than 1 KiB")
        return false
      }
      if let excess = names.take(name) {
        refuse(excess)
        return false
      }
      if let prefix = XMLNamespaces.declaredPrefix(name) {
        try namespaces.declare(prefix, value, depth: path.depth + 1)
      }
    }
    return true
  }

  @inline(__always)
  private func takeEnd() {
    do {
      try handler.end(path.last)
      namespaces.leave(depth: path.depth)
      path.pop()
    } catch {
      stop(error)
    }
  }

  @inline(__always)
  private func takeText(_ start: UnsafePointer<CChar>?, _ count: Int) {
    let text = UnsafeRawBufferPointer(start: start, count: count)
    if entityCount > 0 && !isExpansionAllowed(count) {
      return refuse("entities that expand to more than 1 MiB")
    }
    do {
      try handler.text(text)
    } catch {
      stop(error)
    }
  }

  /// Counts text that is longer than what it stands for. While an entity is being expanded, the
  /// place in the document stays that of the reference.
  private func isExpansionAllowed(_ count: Int) -> Bool {
    let index = XML_GetCurrentByteIndex(parser)
    let printedBytes = index == lastTextIndex ? 0 : Int(XML_GetCurrentByteCount(parser))
    lastTextIndex = index
    expandedBytes += max(0, count - printedBytes)
    return expandedBytes <= Self.expansionBytes
  }

  /// expat expands entities within entities on the call stack; few of them cannot go deep.
  private func takeEntity() {
    entityCount += 1
    if entityCount > Self.entityLimit { refuse("more than 1000 entities") }
  }

  /// expat goes through all defaults of an element whenever it begins.
  private func takeDefault() {
    defaultCount += 1
    if defaultCount > Self.attributeLimit { refuse("more than 256 attributes in its DOCTYPE") }
  }
}
