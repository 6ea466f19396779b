/// Reads one JSON value into a record's tree, and keeps the values that the definition's paths
/// need.
///
/// Other values are validated and skipped. Of a duplicate key the last value counts, as in most
/// JSON parsers (RFC 8259, section 4, leaves it open).
struct JSONItemReader {
  private let tree: RecordTree
  private let paths: PathTree
  private let decoder: JSONTextDecoder

  init(tree: RecordTree) {
    self.tree = tree
    paths = tree.paths
    decoder = tree.decoder
  }

  /// Reads the value at `p`, which is nested in `depth` other values, and moves `p` past it. The
  /// tree holds the value until the next call.
  func read(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, depth: Int
  ) throws(JSONStop) {
    tree.reset()
    try readValue(scanner, &p, PathTree.root, below: -1, depth: depth)
  }

  @inline(__always)
  private func readValue(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ shape: Int32, below parent: Int32,
    depth: Int
  ) throws(JSONStop) {
    if tree.hasNoRoom() { return try scanner.skipValue(&p, depth: depth) }
    switch p.pointee {
    case 0x22:
      p += 1
      let start = p
      var traits = JSONScanner.TextTraits()
      try scanner.scanText(&p, &traits)
      let node = tree.append(shape, .rawText, to: parent, start: start, count: p - start)
      if traits.hasEscapes || traits.hasNonASCII {
        tree.nodes[Int(node)].hasEscapes = traits.hasEscapes
        tree.nodes[Int(node)].hasNonASCII = traits.hasNonASCII
      }
      p += 1
    case 0x2D, 0x30...0x39:
      let start = p
      try scanner.scanNumber(&p)
      tree.append(shape, .number, to: parent, start: start, count: p - start)
    case 0x6E:
      try scanner.scanLiteral(&p)
      tree.append(shape, .null, to: parent)
    case 0x7B:
      let node = tree.append(shape, .object, to: parent)
      if paths.wantsMembers(shape) {
        try readObject(scanner, &p, shape, node, depth: depth)
      } else {
        try scanner.skipValue(&p, depth: depth)
      }
    case 0x5B:
      let node = tree.append(shape, .list, to: parent)
      if paths.wantsElements(shape) || paths.wantsMembers(shape) {
        try readList(scanner, &p, shape, node, depth: depth)
      } else {
        try scanner.skipValue(&p, depth: depth)
      }
    default:
      let start = p
      try scanner.skipValue(&p, depth: depth)
      tree.append(shape, .truth, to: parent, start: start, count: p - start)
    }
  }

  private func readObject(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ shape: Int32, _ node: Int32,
    depth: Int
  ) throws(JSONStop) {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    guard scanner.enter(&p, until: 0x7D) else { return }
    repeat {
      scanner.skipWhitespace(&p)
      let child = try readKey(scanner, &p, shape)
      if child >= 0 {
        if tree.has(child), !paths.isAny(child, of: shape) { tree.replace(child, below: node) }
        try readValue(scanner, &p, child, below: node, depth: depth + 1)
      } else {
        try scanner.skipValue(&p, depth: depth + 1)
      }
    } while try scanner.goOn(&p, until: 0x7D)
  }

  /// Reads the key at `p` and the colon; returns the shape of the key's member (see `PathTree`), or
  /// a negative number when no path needs the member.
  private func readKey(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ shape: Int32
  ) throws(JSONStop) -> Int32 {
    var traits = JSONScanner.TextTraits()
    var key = try scanner.scanKey(&p, &traits)
    if traits.hasEscapes {
      var wasMended = false
      key = decoder.decode(key, traits, wasMended: &wasMended)
    }
    return paths.child(of: shape, key)
  }

  private func readList(
    _ scanner: JSONScanner, _ p: inout JSONScanner.Position, _ shape: Int32, _ node: Int32,
    depth: Int
  ) throws(JSONStop) {
    if depth >= JSONScanner.depthLimit { throw scanner.stop(p, .tooDeep) }
    guard scanner.enter(&p, until: 0x5D) else { return }
    repeat {
      scanner.skipWhitespace(&p)
      try readValue(scanner, &p, shape, below: node, depth: depth + 1)
    } while try scanner.goOn(&p, until: 0x5D)
  }
}
