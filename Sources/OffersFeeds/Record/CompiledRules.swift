import OffersCore

/// The rules of a definition, compiled for evaluation: paths as shapes of the path trees, texts as
/// bytes.
struct CompiledRules {
  /// The source of a value.
  indirect enum Source {
    /// A value that is found by its shape, without a search. The steps are used when several values
    /// of a record have this shape.
    case member(Int32, steps: [PathTree.Step])
    case path([PathTree.Step], isFromDocument: Bool, takesAll: Bool)
    case ownKey(Int)
    case constant([UInt8])
    case template([Source])
  }

  struct Alternative {
    let source: Source
    let reading: Reading
    let join: [UInt8]
    let limitCharacters: Int?
    let currency: Source?
    let minorUnits: MinorUnits?
    let sale: Sale?
  }

  /// Where the dates of a sale come from, outside which a value does not count.
  enum Sale {
    case range(Source)
    case bounds(from: Source?, until: Source?)
  }

  /// Where the number of decimals of an amount in minor units comes from.
  enum MinorUnits {
    case byCurrency
    case source(Source)
  }

  /// The list that the first alternatives of a rule have in common, as `tags.*.name` and `tags.*.title` have
  /// `tags.*`. Of each element the first alternative with a text counts.
  struct List {
    /// The path of the elements.
    let steps: [PathTree.Step]
    /// The path of the text within an element, for each of the rule's first alternatives.
    let places: [[PathTree.Step]]

    /// The list that is common to the first alternatives of a rule: their paths in the record are the
    /// same up to the last `*`. Nil if there are no two such alternatives.
    fileprivate init?(_ sources: [Source]) {
      var common: [PathTree.Step] = []
      var places: [[PathTree.Step]] = []
      for source in sources {
        guard case .path(let steps, isFromDocument: false, takesAll: true) = source,
          let last = steps.lastIndex(where: { if case .all = $0.kind { true } else { false } })
        else { break }
        let list = Array(steps[...last])
        if places.isEmpty { common = list }
        guard common.map(\.shapes) == list.map(\.shapes) else { break }
        places.append(Array(steps[(last + 1)...]))
      }
      guard places.count > 1 else { return nil }
      steps = common
      self.places = places
    }
  }

  struct Rule {
    let alternatives: [Alternative]
    /// The list that the rule's first alternatives have in common, for a field of several values.
    let list: List?

    fileprivate init(alternatives: [Alternative]) {
      self.alternatives = alternatives
      list = List(alternatives.map(\.source))
    }
  }

  enum Identity {
    case value(Rule)
    case madeFrom([Source])
  }

  let id: Identity
  /// The values that the id of a record is made from if it has none at the places of `id`; empty
  /// for a definition without this rule.
  let fallbackIDParts: [Source]
  /// All fields for which the definition has a rule.
  let fields: [(field: OfferField, rule: Rule)]
  /// The attributes. `label` is `name` as a JSON string in UTF-8.
  let attributes: [(label: [UInt8], name: String, rule: Rule)]

  init(_ definition: FeedDefinition, items: PathTree, document: PathTree) {
    let compiler = Compiler(items: items, document: document)
    switch definition.id {
    case .value(let rule), .valueOrMade(let rule, _): id = .value(compiler.rule(rule))
    case .madeFrom(let paths): id = .madeFrom(paths.map(compiler.source))
    }
    if case .valueOrMade(_, let paths) = definition.id {
      fallbackIDParts = paths.map(compiler.source)
    } else {
      fallbackIDParts = []
    }
    fields = OfferField.allCases.compactMap { field in
      definition.fields[field].map { (field: field, rule: compiler.rule($0)) }
    }
    attributes = definition.attributes.map {
      (JSONTextEncoder.text($0.label), $0.label, compiler.rule($0.rule))
    }
  }

  /// Compiles single rules and paths.
  struct Compiler {
    let items: PathTree
    let document: PathTree

    func rule(_ rule: FieldRule) -> Rule {
      Rule(
        alternatives: rule.alternatives.map { alternative in
          let currency: Source? =
            switch alternative.currency {
            case .constant(let code)?: .constant(Array(code.utf8))
            case .path(let path)?: source(path)
            case nil: nil
            }
          let minorUnits: MinorUnits? =
            switch alternative.minorUnits {
            case .currency?: .byCurrency
            case .path(let path)?: .source(source(path))
            case nil: nil
            }
          return Alternative(
            source: source(alternative.value), reading: alternative.reading,
            join: Array(alternative.join.utf8), limitCharacters: alternative.limitCharacters,
            currency: currency, minorUnits: minorUnits,
            sale: alternative.sale.map { sale in
              switch sale {
              case .range(let path): .range(source(path))
              case .bounds(let from, let until):
                .bounds(from: from.map(source), until: until.map(source))
              }
            })
        })
    }

    private func source(_ value: ValueRule) -> Source {
      switch value {
      case .path(let path): source(path)
      case .constant(let text): .constant(Array(text.utf8))
      case .template(let template):
        .template(
          template.parts.map { part in
            switch part {
            case .literal(let text): .constant(Array(text.utf8))
            case .path(let path): source(path)
            case .environment, .page, .query: .constant([])
            }
          })
      }
    }

    func source(_ path: FieldPath) -> Source {
      if case .ownKey(let level)? = path.steps.first { return .ownKey(level) }
      let steps = (path.isFromDocument ? document : items).compile(path.steps)
      let isPlain = path.steps.allSatisfy { if case .key = $0 { true } else { false } }
      let last = steps.last?.shapes ?? [PathTree.root]
      if isPlain, !path.isFromDocument, last.count == 1 { return .member(last[0], steps: steps) }
      return .path(
        steps, isFromDocument: path.isFromDocument, takesAll: path.steps.contains(.all))
    }
  }
}

extension FeedDefinition {
  private var rules: [FieldRule] {
    var rules = OfferField.allCases.compactMap { fields[$0] } + attributes.map(\.rule)
    switch id {
    case .value(let rule), .valueOrMade(let rule, _): rules.append(rule)
    case .madeFrom: break
    }
    return rules
  }

  /// The paths that start at the document's root, or those that start at an item.
  private func paths(fromDocument: Bool) -> [[FieldPath.Step]] {
    var paths = rules.flatMap(\.paths)
    switch id {
    case .madeFrom(let parts), .valueOrMade(_, let parts): paths += parts
    case .value: break
    }
    // A path of the categories may end at a list, without a `*`: the reader must not skip its elements then.
    for path in fields[.categories]?.paths ?? [] {
      paths.append(FieldPath(isFromDocument: path.isFromDocument, path.steps + [.index(0)]))
    }
    if fromDocument {
      paths += title.paths + shared.flatMap(\.rule.paths) + error
      if let total = pages?.total { paths.append(total) }
      if let ttl { paths.append(ttl) }
      if case .path(let next)? = pages?.next { paths.append(next) }
    }
    return paths.filter { $0.isFromDocument == fromDocument }.map(\.steps)
  }

  /// The tree of the paths into an item, which determines the values that are read of it.
  func makeItemPaths() -> PathTree { PathTree(paths(fromDocument: false)) }

  /// The tree of the paths that start at the document's root, and of the paths of the items.
  func makeDocumentPaths() -> PathTree {
    PathTree(paths(fromDocument: true), items: items.map(\.steps))
  }
}

extension FieldRule {
  /// The paths of the rule's values, currencies and numbers of decimals.
  fileprivate var paths: [FieldPath] {
    alternatives.flatMap { alternative -> [FieldPath] in
      var paths: [FieldPath] = []
      switch alternative.value {
      case .path(let path): paths = [path]
      case .template(let template):
        for case .path(let path) in template.parts { paths.append(path) }
      case .constant: break
      }
      if case .path(let path)? = alternative.currency { paths.append(path) }
      if case .path(let path)? = alternative.minorUnits { paths.append(path) }
      return paths + (alternative.sale?.paths ?? [])
    }
  }
}
