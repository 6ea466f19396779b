import Foundation
import OffersCore
import OffersFeeds

/// A simple reference implementation of a definition's paths for small JSON documents.
struct JSONEvaluation {
  let definition: FeedDefinition
  let root: Any

  init(_ definition: FeedDefinition, of document: Data) throws {
    self.definition = definition
    root = try JSONSerialization.jsonObject(with: document)
  }

  var items: [Any] {
    for path in definition.items {
      let found = values(at: path, of: root)
      if let list = found.first as? [Any] { return list }
      if !found.isEmpty { return found }
    }
    return []
  }

  var title: String? { text(definition.title, of: root) }

  /// The offer's id, or the texts that it is made from.
  func id(of item: Any) -> [String] {
    switch definition.id {
    case .value(let rule), .valueOrMade(let rule, _): text(rule, of: item).map { [$0] } ?? []
    case .madeFrom(let paths): paths.compactMap { Self.text(values(at: $0, of: item)) }
    }
  }

  func field(_ field: OfferField, of item: Any) -> String? {
    definition.fields[field].flatMap { text($0, of: item) }
  }

  func attribute(_ label: String, of item: Any) -> String? {
    definition.attributes.first { $0.label == label }.flatMap { text($0.rule, of: item) }
  }

  func shared(_ label: String) -> String? {
    definition.shared.first { $0.label == label }.flatMap { text($0.rule, of: root) }
  }

  private func text(_ rule: FieldRule, of item: Any) -> String? {
    rule.alternatives.lazy.compactMap { text($0, of: item) }.first
  }

  private func text(_ alternative: FieldRule.Alternative, of item: Any) -> String? {
    switch alternative.value {
    case .constant(let text): return text
    case .path(let path):
      return Self.text(values(at: path, of: item), join: alternative.join)
    case .template(let template):
      var result = ""
      for part in template.parts {
        switch part {
        case .literal(let text): result += text
        case .path(let path):
          guard let text = Self.text(values(at: path, of: item)) else { return nil }
          result += text
        case .environment, .page, .query: return nil
        }
      }
      return result
    }
  }

  private static func text(_ values: [Any], join: String = ", ") -> String? {
    let texts = values.compactMap { value -> String? in
      switch value {
      case let text as String: text.isEmpty ? nil : text
      case let number as NSNumber: number.stringValue
      case let element as [String: Any]: element["#text"] as? String
      case let list as [Any]: text(Array(list.prefix(1)))
      default: nil
      }
    }
    return texts.isEmpty ? nil : texts.joined(separator: join)
  }

  private func values(at path: FieldPath, of item: Any) -> [Any] {
    var values = [path.isFromDocument ? root : item]
    for step in path.steps {
      values = values.flatMap { Self.take(step, of: $0) }
    }
    return values.filter { !($0 is NSNull) }
  }

  private static func take(_ step: FieldPath.Step, of value: Any) -> [Any] {
    let list = value as? [Any] ?? [value]
    switch step {
    case .key(let key):
      let object = (value as? [Any])?.first ?? value
      return (object as? [String: Any])?[key].map { [$0] } ?? []
    case .index(let index):
      let place = index < 0 ? list.count + index : index
      return list.indices.contains(place) ? [list[place]] : []
    case .all:
      if let object = value as? [String: Any], object["#text"] == nil { return [object] }
      return value is [Any] ? list : []
    case .matching(let keys, let expected):
      let path = FieldPath(keys: keys)
      return list.first { element in
        text(path.steps.reduce([element]) { found, step in found.flatMap { take(step, of: $0) } })
          == expected
      }.map { [$0] } ?? []
    case .kind, .ownKey:
      return []
    }
  }
}
