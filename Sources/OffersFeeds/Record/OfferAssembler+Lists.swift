import OffersCore

/// The lists of an offer: its categories and its attributes.
extension OfferAssembler {
  mutating func readCategories(_ rule: FieldRule) -> String? {
    if let list = categoryList, let texts = readElements(of: list, rule) { return texts }
    var problem: String?
    for alternative in rule.alternatives {
      var texts: [RecordValues.Text] = []
      let wrong = values.forEachText(of: alternative.value) { texts.append($0) }
      if problem == nil { problem = wrong }
      let categories = texts.compactMap {
        finish($0, alternative, .categories).flatMap(Self.oneLine)
      }
      if let texts = write(categories, isMended: texts.contains(where: \.isMended)) { return texts }
    }
    if let problem { note(.categories, "is \(problem)", isKept: false) }
    return nil
  }

  /// Reads a list in which each element has its text at the first of several places that has one.
  private mutating func readElements(of list: CommonList, _ rule: FieldRule) -> String? {
    var categories: [String] = []
    var isMended = false
    for element in values.elements(list.steps, before: list.places.lazy.compactMap(\.first).first) {
      for (alternative, steps) in zip(rule.alternatives, list.places) {
        guard let text = values.text(steps, of: element),
          let category = finish(text, alternative, .categories).flatMap(Self.oneLine)
        else { continue }
        categories.append(category)
        isMended = isMended || text.isMended
        break
      }
    }
    return write(categories, isMended: isMended)
  }

  /// Writes categories as a JSON array, each once; nil for none.
  private mutating func write(_ categories: [String], isMended: Bool) -> String? {
    var written: [String] = []
    var seen: Set<[UInt8]> = []
    var isCut = false
    for category in categories where seen.insert(Array(category.utf8)).inserted {
      if written.count == OfferLimits.categoryCount {
        add("categories are more than \(OfferLimits.categoryCount), the rest left out")
        break
      }
      let cut = OfferLimits.fit(category, within: OfferLimits.categoryBytes)
      isCut = isCut || cut != nil
      written.append(cut ?? category)
    }
    if written.isEmpty { return nil }
    if isMended { note(.categories, "is not valid Unicode", isKept: true) }
    if isCut {
      add("a category is longer than \(OfferLimits.text(OfferLimits.categoryBytes)), cut")
    }
    return JSONTextEncoder.list(written.map(JSONTextEncoder.text))
  }

  mutating func readAttributes() -> String? {
    var pairs: [String] = []
    for attribute in definition.attributes {
      let name = attribute.label
      guard let found = readAttribute(name, attribute.rule),
        let text = fit(found, ofAttribute: name)
      else { continue }
      if pairs.count == OfferLimits.attributeCount {
        add("attributes are more than \(OfferLimits.attributeCount), the rest left out")
        break
      }
      pairs.append(JSONTextEncoder.list([name, text].map(JSONTextEncoder.text)))
    }
    return pairs.isEmpty ? nil : JSONTextEncoder.list(pairs)
  }

  private mutating func readAttribute(_ name: String, _ rule: FieldRule) -> String? {
    var problem: String?
    for alternative in rule.alternatives {
      switch values.value(alternative.value, join: alternative.join) {
      case .none: continue
      case .wrong(let kind): problem = kind
      case .text(let text):
        if text.string.isBlank { continue }
        if text.isMended { add("\(name) is not valid Unicode, marked with \u{FFFD}") }
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

/// The list that the first alternatives of a rule have in common, as `tags.*.name` and `tags.*.title`
/// have `tags.*`. Of each element the first alternative with a text counts.
struct CommonList {
  /// The path of the elements.
  let steps: [FieldPath.Step]
  /// The path of the text within an element, for each of the rule's first alternatives.
  let places: [[FieldPath.Step]]

  /// The list that is common to the first alternatives of a rule: their paths in the record are the
  /// same up to the last `*`. Nil if there are no two such alternatives.
  init?(_ rule: FieldRule) {
    var common: [FieldPath.Step] = []
    var places: [[FieldPath.Step]] = []
    for alternative in rule.alternatives {
      guard case .path(let path) = alternative.value, !path.isFromDocument,
        let last = path.steps.lastIndex(of: .all)
      else { break }
      let list = Array(path.steps[...last])
      if places.isEmpty { common = list }
      guard common == list else { break }
      places.append(Array(path.steps[(last + 1)...]))
    }
    guard places.count > 1 else { return nil }
    steps = common
    self.places = places
  }
}
