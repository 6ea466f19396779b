import Expat
import OffersCore
import OffersPlatform

/// Parses an XML document in UTF-8, in chunks of any size, and calls a handler for its elements.
///
/// Uses expat, with limits. External entities and document types are never loaded, and the
/// expansion of internal entities is bounded. The encoding in `<?xml` is ignored, since the bytes
/// have been converted to UTF-8. Memory use is bounded by the largest tag or comment, at most 16
/// MiB, and by 100,000 distinct names, since expat keeps every name. After an error each further
/// call throws it again.
///
/// expat parses an incomplete tag again from its start whenever more bytes arrive, which is
/// quadratic for a large tag in small chunks. Therefore bytes are collected, in expat's own buffer,
/// until they are at least 64 KiB and at least as many as expat has left unparsed.
package final class XMLTokenReader {
  package typealias Attribute = (name: String, value: String)

  private let parser: XML_Parser?
  private let handler: any XMLTokenHandler
  private var namespaces = XMLNamespaces()
  /// The names of the open elements, starting with the root.
  private var path: [String] = []
  private var names = XMLNameLimit()
  private var failure: (any Error)?
  private var isFinished = false

  /// expat's buffer while it is being filled.
  private var space: UnsafeMutableRawBufferPointer?
  private var filledBytes = 0
  private var gatherBytes = XMLTokenReader.leastBytes
  /// The number of bytes passed to expat.
  private var fedBytes = 0

  /// The namespace of the root element, as `KnownXMLNamespaces.normalized` returns it; nil if it is not
  /// declared.
  var rootNamespace: String? { namespaces.rootURI }

  private var hasRoot = false
  /// The number of references to external entities that were skipped.
  private(set) var passedCount = 0
  private var entityCount = 0
  private var defaultCount = 0
  private var expandedBytes = 0
  private var lastTextIndex: XML_Index = -1

  /// The largest number of open elements.
  static let depthLimit = 128
  static let attributeLimit = 256
  /// The largest length of a name as written in the document.
  static let nameBytes = 1 << 10
  private static let tokenBytes = 16 << 20
  private static let prologBytes = 1 << 20
  private static let expansionBytes = 1 << 20
  private static let entityLimit = 1000
  private static let leastBytes = 64 << 10

  /// - Parameter handler: retained by the reader; it must not retain the reader.
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
    // Without a handler the reference would be skipped unnoticed. The result 1 tells expat to
    // continue.
    XML_SetExternalEntityRefHandlerArg(parser, Unmanaged.passUnretained(self).toOpaque())
    XML_SetExternalEntityRefHandler(parser) { context, _, _, _, _ in
      XMLTokenReader.with(context.map { UnsafeMutableRawPointer($0) }) { $0.passedCount += 1 }
      return 1
    }
    XML_SetSkippedEntityHandler(parser) { context, _, isParameter in
      XMLTokenReader.with(context) { if isParameter == 0 { $0.passedCount += 1 } }
    }
    XML_SetParamEntityParsing(parser, XML_PARAM_ENTITY_PARSING_NEVER)
    // expat's own limit also covers the expansion of elements and attributes, which `expandedBytes`
    // does not count. Its output includes the document's own bytes: 2 MiB of output at four times
    // the input contain more than 1 MiB of expansion.
    XML_SetBillionLaughsAttackProtectionActivationThreshold(
      parser, UInt64(2 * Self.expansionBytes))
    XML_SetBillionLaughsAttackProtectionMaximumAmplification(parser, 4)
  }

  deinit { XML_ParserFree(parser) }

  /// Parses the next bytes.
  /// - Throws: `OffersError` with `malformedFeed` or `limitExceeded`, and any error of the handler.
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

  /// Parses the rest of the document, which has ended.
  /// - Throws: the errors of `consume`; `malformedFeed` for a document that is cut off.
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
    let position = XMLFault.Position(parser: parser, path: path)
    guard status == XML_STATUS_OK else {
      throw keep(
        XMLFault.describe(
          XML_GetErrorCode(parser), at: position, isLast: isLast, isEmpty: fedBytes == 0))
    }
    if isLast { return }
    let doneBytes = max(XML_GetCurrentByteIndex(parser), 0)
    let waitingBytes = fedBytes - doneBytes
    if waitingBytes > Self.tokenBytes {
      throw keep(XMLFault.limit("a single tag or comment larger than 16 MiB", at: position))
    }
    // expat keeps the declarations of a document type, so their size must be bounded.
    if !hasRoot && doneBytes > Self.prologBytes {
      throw keep(XMLFault.limit("more than 1 MiB before its first element", at: position))
    }
    gatherBytes = max(
      Self.leastBytes, min(waitingBytes, Self.tokenBytes + Self.leastBytes - waitingBytes))
  }

  private func keep(_ error: OffersError) -> OffersError {
    failure = error
    return error
  }

  // MARK: Callbacks of expat

  @inline(__always)
  private static func with(
    _ context: UnsafeMutableRawPointer?, _ body: (XMLTokenReader) -> Void
  ) {
    guard let context else { return }
    Unmanaged<XMLTokenReader>.fromOpaque(context)._withUnsafeGuaranteedRef {
      // expat may still make some calls after it has been stopped.
      if $0.failure == nil { body($0) }
    }
  }

  private func stop(_ error: any Error) {
    failure = error
    XML_StopParser(parser, 0)
  }

  private func refuse(_ what: String) {
    stop(XMLFault.limit(what, at: XMLFault.Position(parser: parser, path: path)))
  }

  @inline(__always)
  private func takeStart(
    _ printed: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
  ) {
    guard let printed, let list else { return }
    let name = UnsafeRawBufferPointer(cString: printed)
    if name.count > Self.nameBytes { return refuse("a name longer than 1 KiB") }
    if let excess = names.take(name) { return refuse(excess) }
    if path.count == Self.depthLimit {
      let position = XMLFault.Position(parser: parser, path: path)
      return stop(XMLFault.unsound("elements nested more than 128 deep", at: position))
    }
    // Default attributes of the document type are ignored: they could expand a small document to a
    // large one.
    let count = list[0] == nil ? 0 : Int(XML_GetSpecifiedAttributeCount(parser))
    do {
      guard let attributes = try takeAttributes(of: name, list, count) else { return }
      let canonical = namespaces.canonical(String(decoding: name, as: UTF8.self), isElement: true)
      path.append(canonical)
      try handler.start(canonical, attributes)
    } catch {
      stop(error)
    }
  }

  /// Checks the attributes, adds their namespace declarations, and returns the others; nil after it
  /// has refused the document.
  ///
  /// - Parameters:
  ///   - list: names and values, in turn.
  ///   - count: the number of entries of the list that are written in the tag.
  private func takeAttributes(
    of element: UnsafeRawBufferPointer, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>,
    _ count: Int
  ) throws -> [Attribute]? {
    if count > 2 * Self.attributeLimit {
      refuse("an element with more than 256 attributes")
      return nil
    }
    var attributes: [Attribute] = []
    for index in stride(from: 0, to: count - 1, by: 2) {
      guard let start = list[index], let value = list[index + 1] else { break }
      let name = UnsafeRawBufferPointer(cString: start)
      let excess = name.count > Self.nameBytes ? "a name longer than 1 KiB" : names.take(name)
      if let excess {
        refuse(excess)
        return nil
      }
      attributes.append((String(cString: start), String(cString: value)))
    }
    if !hasRoot {
      hasRoot = true
      namespaces.enter(root: String(decoding: element, as: UTF8.self), attributes)
    }
    if attributes.isEmpty { return attributes }
    for (name, value) in attributes {
      guard let prefix = XMLNamespaces.declaredPrefix(name) else { continue }
      try namespaces.declare(prefix, value, depth: path.count + 1)
    }
    return attributes.filter { XMLNamespaces.declaredPrefix($0.name) == nil }.map {
      (namespaces.canonical($0.name, isElement: false), $0.value)
    }
  }

  @inline(__always)
  private func takeEnd() {
    do {
      guard let last = path.last else { return }
      try handler.end(last)
      namespaces.leave(depth: path.count)
      path.removeLast()
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

  /// Adds the expansion of a text to `expandedBytes`: its length minus the length of its source.
  /// Returns whether the sum is within the limit. While an entity is expanded, the position in the
  /// document remains that of the reference.
  private func isExpansionAllowed(_ count: Int) -> Bool {
    let index = XML_GetCurrentByteIndex(parser)
    let printedBytes = index == lastTextIndex ? 0 : Int(XML_GetCurrentByteCount(parser))
    lastTextIndex = index
    expandedBytes += max(0, count - printedBytes)
    return expandedBytes <= Self.expansionBytes
  }

  /// Counts a declared entity, and refuses too many of them: expat expands nested entities
  /// recursively, which could overflow the stack.
  private func takeEntity() {
    entityCount += 1
    if entityCount > Self.entityLimit { refuse("more than 1000 entities") }
  }

  /// Counts a declared attribute, and refuses too many of them: expat goes through all default
  /// attributes of an element at each of its start tags.
  private func takeDefault() {
    defaultCount += 1
    if defaultCount > Self.attributeLimit { refuse("more than 256 attributes in its DOCTYPE") }
  }
}

/// Receives the elements and texts of an XML document, in document order.
///
/// Names are canonical, see `XMLNamespaces`. An error that a method throws ends the reading.
package protocol XMLTokenHandler: AnyObject {
  /// Called at the start of an element, with its attributes in order, without namespace
  /// declarations.
  func start(_ name: String, _ attributes: [XMLTokenReader.Attribute]) throws
  /// Called for text within the current element, in UTF-8 that is valid during the call. A text may be
  /// divided into several calls.
  func text(_ text: UnsafeRawBufferPointer) throws
  /// Called at the end of the current element.
  func end(_ name: String) throws
}

/// Counts the distinct names of a document's elements and attributes, to bound their number.
///
/// expat keeps each distinct name until the document ends. A name is represented by a 64-bit hash
/// with a random seed, which no document can anticipate.
struct XMLNameLimit {
  private var known: Set<UInt64> = []
  private var nameBytes = 0
  private let seed = UInt64.random(in: 1 ... .max)

  static let limit = 100_000
  /// The largest total size of the names, in bytes.
  static let limitBytes = 8 << 20

  /// Counts a name; returns a description of the limit that it exceeds, or nil.
  mutating func take(_ name: UnsafeRawBufferPointer) -> String? {
    var hash = ContentHash(seed: seed)
    hash.combine(name)
    guard known.insert(hash.value).inserted else { return nil }
    nameBytes += name.count
    if known.count > Self.limit { return "more than 100,000 different names" }
    return nameBytes > Self.limitBytes ? "different names of more than 8 MiB" : nil
  }
}
