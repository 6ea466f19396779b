extension RecordTree {
  /// The values that a path leads to, in order, in `found`, which is emptied first.
  func find(_ steps: [PathTree.Step], into found: inout [Int32]) {
    found.removeAll(keepingCapacity: true)
    guard count > 0 else { return }
    found.append(0)
    var next: [Int32] = []
    for step in steps {
      next.removeAll(keepingCapacity: true)
      apply(step, to: found, into: &next)
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
    case .all:
      for index in found {
        switch nodes[Int(index)].kind {
        case .object where paths.wantsMembers(nodes[Int(index)].shape):
          forEachChild(of: index) { next.append($0) }
          if nodes[Int(index)].firstChild < 0 { next.append(index) }
        default:
          forEachElement(of: index) { next.append($0) }
        }
      }
    case .index(let position):
      var elements: [Int32] = []
      for index in found { forEachElement(of: index) { elements.append($0) } }
      let place = position < 0 ? elements.count + position : position
      if elements.indices.contains(place) { next.append(elements[place]) }
    case .matching(let steps, let value):
      for index in found {
        forEachElement(of: index) { if matches($0, steps[...], value) { next.append($0) } }
      }
    }
  }

  private func matches(_ index: Int32, _ steps: ArraySlice<PathTree.Step>, _ value: [UInt8])
    -> Bool
  {
    guard let step = steps.first else {
      return decode(index).map { $0.elementsEqual(value) } ?? false
    }
    var isMatch = false
    forEachChild(of: index) { child in
      if step.shapes.contains(nodes[Int(child)].shape) {
        forEachElement(of: child) {
          if !isMatch { isMatch = matches($0, steps.dropFirst(), value) }
        }
      }
    }
    return isMatch
  }

  /// The elements of a list, lists in it taken apart, too; anything else is its own only element.
  private func forEachElement(of index: Int32, _ body: (Int32) -> Void) {
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

  /// The text of a value as it should be kept; nil for what is none. A raw text is decoded once.
  @inline(__always)
  func decode(_ index: Int32) -> UnsafeRawBufferPointer? {
    let node = nodes[Int(index)]
    switch node.kind {
    case .text, .number: return node.text
    case .rawText:
      if !node.hasEscapes && !node.hasNonASCII { return node.text }
      return decodeRaw(index)
    // An element's text; a JSON object has none.
    case .object: return node.start == nil ? nil : node.text
    case .truth: return node.text
    case .null, .list: return nil
    }
  }

  private func decodeRaw(_ index: Int32) -> UnsafeRawBufferPointer {
    let node = nodes[Int(index)]
    let decoder = JSONTextDecoder(arena: arena)
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
