import OffersCore

/// Explains why a path leads to no items in a sample: follows it to the first key that is missing.
struct ItemsPathProblem {
  private let root: SampleValue
  private let isXML: Bool

  init(_ root: SampleValue, isXML: Bool) {
    self.root = root
    self.isXML = isXML
  }

  /// Returns the error for a path without items: it names the missing key, the path that was
  /// probably meant, and the keys that are present.
  func problem(at path: FieldPath, _ candidates: ItemsGuess) -> OffersError {
    if case .list = root, !isXML, case .key? = path.steps.first {
      return OffersError(
        .unexpectedShape,
        "No list of offers was found at \(path.descriptionFromRoot): the document is a list itself.",
        hint: "Write . for it, or leave it out.")
    }
    var value = root
    for (position, step) in path.steps.enumerated() {
      guard case .key(let key) = step else { continue }
      guard let object = value.object else { break }
      if let next = object[key] {
        value = next
        continue
      }
      let before = FieldPath(isFromDocument: true, Array(path.steps.prefix(position)))
      let owner = before.steps.isEmpty ? "the top level" : before.descriptionFromRoot
      let keys = object.members.map(\.key)
      var hint = NearestWord.list(keys, title: "The keys of \(owner)")
      if let near = NearestWord.find(key, among: keys) {
        var meant = path
        meant.steps[position] = .key(near)
        hint = "Did you mean \(meant.descriptionFromRoot)? \(hint)"
      }
      return OffersError(
        .unexpectedShape,
        "No list of offers was found at \(path.descriptionFromRoot): there is no “\(key)” at "
          + "\(owner).",
        hint: hint)
    }
    return candidates.problem(at: path)
  }
}
