import OffersCore

extension RecordTree {
  /// Finds the values at a path, and stores their indices in `found`, in the order of the record.
  ///
  /// - Parameters:
  ///   - steps: the path.
  ///   - start: the value that the path begins at; the record without one.
  ///   - following: the step that the caller takes after the path, which `takeAll` looks at.
  ///   - found: gets the indices.
  func find(
    _ steps: [PathTree.Step], from start: Int32 = 0, before following: PathTree.Step? = nil,
    into found: inout [Int32]
  ) {
    found.removeAll(keepingCapacity: true)
    guard count > 0 else { return }
    found.append(start)
    var next: [Int32] = []
    for (position, step) in steps.enumerated() {
      next.removeAll(keepingCapacity: true)
      if case .all = step.kind {
        let nextStep = position + 1 < steps.count ? steps[position + 1] : following
        for index in found { takeAll(of: index, before: nextStep, into: &next) }
      } else {
        apply(step, to: found, into: &next)
      }
      swap(&found, &next)
      if found.isEmpty { return }
    }
  }

  private func apply(_ step: PathTree.Step, to found: [Int32], into next: inout [Int32]) {
    switch step.kind {
    case .key:
      for index in found {
        forEachElement(of: index) { element in
          forEachChild(of: element) {
            if step.shapes.contains(nodes[Int($0)].shape) { next.append($0) }
          }
        }
      }
    case .all: break
    case .index(let position):
      var elements: [Int32] = []
      func takeElement() {
        let place = position < 0 ? elements.count + position : position
        if elements.indices.contains(place) { next.append(elements[place]) }
        elements.removeAll(keepingCapacity: true)
      }
      for (place, index) in found.enumerated() {
        // An index counts the elements within each object separately.
        if place > 0, owner(of: index) != owner(of: found[place - 1]) { takeElement() }
        forEachElement(of: index) { elements.append($0) }
      }
      takeElement()
    case .matching(let steps, let value):
      for index in found {
        forEachElement(of: index) { if matches($0, steps[...], value) { next.append($0) } }
      }
    case .ofKind(let kind, let statements):
      var ranked: [(rank: Int, index: Int32)] = []
      for index in found {
        forEachElement(of: index) { element in
          let stated = statements.map { statement(of: element, $0) }
          if let rank = kind.rank(stated, text: kind.needsText ? text(of: element) : nil) {
            ranked.append((rank, element))
          }
        }
      }
      let ranks = Set(ranked.map(\.rank)).sorted()
      for rank in ranks { next += ranked.lazy.filter { $0.rank == rank }.map(\.index) }
    }
  }

  /// Adds to `next` the values that a `*` selects of a value: the elements of a list, or the
  /// members of an object. An object that has the key of the following step, an object without
  /// members, and a scalar count as a list with one element.
  private func takeAll(of index: Int32, before step: PathTree.Step?, into next: inout [Int32]) {
    guard nodes[Int(index)].kind == .object else {
      return forEachElement(of: index) { next.append($0) }
    }
    var isOne = false
    var members: [Int32] = []
    forEachChild(of: index) { child in
      if case .key? = step?.kind, step?.shapes.contains(nodes[Int(child)].shape) == true {
        isOne = true
      }
      // The attributes of an XML element are not among its members.
      if !isElements || nodes[Int(child)].kind == .object { members.append(child) }
    }
    next += isOne || members.isEmpty ? [index] : members
  }

  /// The object that contains a value, directly or through lists; negative when no object does.
  private func owner(of index: Int32) -> Int32 {
    var owner = nodes[Int(index)].parent
    while owner >= 0, nodes[Int(owner)].kind == .list { owner = nodes[Int(owner)].parent }
    return owner
  }

  private func matches(_ index: Int32, _ steps: ArraySlice<PathTree.Step>, _ value: [UInt8])
    -> Bool
  {
    guard let step = steps.first else {
      let text = decode(index)
      return text.map { $0.elementsEqual(value, by: Self.areEqualLetters) } ?? value.isEmpty
    }
    var isMatch = false
    var isThere = false
    forEachChild(of: index) { child in
      if step.shapes.contains(nodes[Int(child)].shape) {
        isThere = true
        forEachElement(of: child) {
          if !isMatch { isMatch = matches($0, steps.dropFirst(), value) }
        }
      }
    }
    return isMatch || value.isEmpty && !isThere
  }

  private static func areEqualLetters(_ byte: UInt8, _ other: UInt8) -> Bool {
    byte == other || (byte ^ other) == 0x20 && CharacterScan.isLetter(byte)
  }

  /// The text of the first member of a value that has one of the shapes and a text.
  private func statement(of index: Int32, _ shapes: [Int32]) -> String? {
    for shape in shapes {
      var found: String?
      forEachChild(of: index) { child in
        if found == nil, nodes[Int(child)].shape == shape { found = text(of: child) }
      }
      if let found { return found }
    }
    return nil
  }

  private func text(of index: Int32) -> String? {
    guard let text = decode(index), !text.isBlank else { return nil }
    return String(decoding: text.prefix(OfferLimits.linkBytes), as: UTF8.self)
  }

  /// Calls `body` for the elements of a list, with nested lists flattened; another value is its own
  /// only element.
  func forEachElement(of index: Int32, _ body: (Int32) -> Void) {
    guard nodes[Int(index)].kind == .list else { return body(index) }
    forEachChild(of: index) { forEachElement(of: $0, body) }
  }

  private func forEachChild(of index: Int32, _ body: (Int32) -> Void) {
    var child = nodes[Int(index)].firstChild
    while child >= 0 {
      if !nodes[Int(child)].isReplaced { body(child) }
      child = nodes[Int(child)].next
    }
  }

  /// Returns the text of a value; nil for a value without one. A raw text is decoded the first
  /// time.
  @inline(__always)
  func decode(_ index: Int32) -> UnsafeRawBufferPointer? {
    let node = nodes[Int(index)]
    switch node.kind {
    case .text, .number: return node.text
    case .rawText:
      if !node.hasEscapes && !node.hasNonASCII { return node.text }
      return decodeRaw(index)
    // An XML element has a text if a path needs it. A JSON object has none.
    case .object: return node.start == nil ? nil : node.text
    case .truth: return node.text
    case .null, .list: return nil
    }
  }

  private func decodeRaw(_ index: Int32) -> UnsafeRawBufferPointer {
    let node = nodes[Int(index)]
    var isMended = false
    let text = decoder.decode(
      node.text, .init(hasEscapes: node.hasEscapes, hasNonASCII: node.hasNonASCII),
      wasMended: &isMended)
    nodes[Int(index)].kind = .text
    nodes[Int(index)].start = text.baseAddress?.assumingMemoryBound(to: UInt8.self)
    nodes[Int(index)].count = text.count
    nodes[Int(index)].isMended = isMended
    return text
  }
}
