import OffersCore

/// The lists of an offer: its categories and its attributes.
extension OfferAssembler {
  func readCategories(_ rule: CompiledRules.Rule) -> UnsafeRawBufferPointer? {
    if let list = rule.list, let texts = readElements(of: list, rule) { return texts }
    var problem: StaticString?
    for alternative in rule.alternatives {
      var texts: [UnsafeRawBufferPointer] = []
      var isMended = false
      let wrong = values.forEachText(of: alternative.source) { text, wasMended in
        texts.append(text)
        isMended = isMended || wasMended
      }
      if problem == nil { problem = wrong }
      let categories = texts.compactMap { finish($0, alternative, .categories).flatMap(oneLine) }
      if let texts = write(categories, isMended: isMended) { return texts }
    }
    if let problem { note(.categories, "is \(problem)", isKept: false) }
    return nil
  }

  /// Reads a list in which each element has its text at the first of several places that has one.
  private func readElements(
    of list: CompiledRules.List, _ rule: CompiledRules.Rule
  ) -> UnsafeRawBufferPointer? {
    var categories: [UnsafeRawBufferPointer] = []
    var isMended = false
    for element in values.elements(of: list) {
      for (alternative, steps) in zip(rule.alternatives, list.places) {
        guard let (text, wasMended) = values.text(of: element, at: steps),
          let category = finish(text, alternative, .categories).flatMap(oneLine)
        else { continue }
        categories.append(category)
        isMended = isMended || wasMended
        break
      }
    }
    return write(categories, isMended: isMended)
  }

  /// Writes categories as a JSON array, each once; nil for none.
  private func write(
    _ categories: [UnsafeRawBufferPointer], isMended: Bool
  ) -> UnsafeRawBufferPointer? {
    var bytes: [UInt8] = []
    var written: [UnsafeRawBufferPointer] = []
    var isCut = false
    for category in categories {
      // At most as many as an offer may have are compared with.
      if written.contains(where: { $0.elementsEqual(category) }) { continue }
      if written.count == OfferLimits.categoryCount {
        add("categories are more than \(OfferLimits.categoryCount), the rest left out")
        break
      }
      written.append(category)
      var text = category
      if text.count > OfferLimits.categoryBytes {
        text = cut(text, within: OfferLimits.categoryBytes)
        isCut = true
      }
      bytes.append(bytes.isEmpty ? 0x5B : 0x2C)
      JSONTextEncoder.append(text, to: &bytes)
    }
    if bytes.isEmpty { return nil }
    if isMended { note(.categories, "is not valid Unicode", isKept: true) }
    if isCut {
      add("a category is longer than \(OfferLimits.text(OfferLimits.categoryBytes)), cut")
    }
    bytes.append(0x5D)
    return record.arena.copy(bytes)
  }

  func readAttributes() -> UnsafeRawBufferPointer? {
    var bytes: [UInt8] = []
    var count = 0
    for (label, name, rule) in plan.attributes {
      guard let found = readAttribute(name, rule), let text = fit(found, ofAttribute: name) else {
        continue
      }
      if count == OfferLimits.attributeCount {
        add("attributes are more than \(OfferLimits.attributeCount), the rest left out")
        break
      }
      count += 1
      bytes += bytes.isEmpty ? [0x5B, 0x5B] : [0x2C, 0x5B]
      bytes += label
      bytes.append(0x2C)
      JSONTextEncoder.append(text, to: &bytes)
      bytes.append(0x5D)
    }
    if bytes.isEmpty { return nil }
    bytes.append(0x5D)
    return record.arena.copy(bytes)
  }

  private func readAttribute(_ name: String, _ rule: CompiledRules.Rule) -> UnsafeRawBufferPointer?
  {
    var problem: StaticString?
    for alternative in rule.alternatives {
      switch values.value(alternative.source, join: alternative.join) {
      case .none: continue
      case .wrong(let kind): problem = kind
      case .text(let text, let isMended):
        if text.isBlank { continue }
        if isMended { add("\(name) is not valid Unicode, marked with \u{FFFD}") }
        attributeName = name
        defer { attributeName = nil }
        if let text = finish(text, alternative, .attributes)?.trimmed(), !text.isEmpty {
          return text
        }
      }
    }
    if let problem { add("\(name) is \(problem), left out") }
    return nil
  }
}
