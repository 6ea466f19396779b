import OffersCore

/// The filters and the orders for which the form of a list asks, on the server and offline.
enum ListQuestions {
  static let filters = OfferFilter.allCases.compactMap { filter in
    filter.question.map { (filter: filter, question: $0) }
  }

  /// An order with its label, and that of the reversed order.
  struct Order {
    let sort: OfferQuery.Sort
    let label: String
    let reversed: String
    /// The order is not offered where no shown offer has this.
    var needs: OfferFilter.Question.Trait?
  }

  static let orders = [
    Order(sort: .feed, label: "Feed order", reversed: "Reversed"),
    Order(sort: .reward, label: "Highest reward", reversed: "Lowest reward", needs: .reward),
    Order(sort: .price, label: "Lowest price", reversed: "Highest price", needs: .price),
    Order(sort: .name, label: "Name", reversed: "Name, reversed"),
    Order(sort: .newest, label: "Newest", reversed: "Oldest"),
    Order(sort: .expiry, label: "Expiring soonest", reversed: "Expiring last", needs: .end),
  ]

  /// The filters and the orders, for the lists that the service worker makes (offline-lists.js).
  static let offline: String = {
    var json = JSONWriter()
    json.object { json in
      json.member("filters", objects: filters) { json, each in
        let (filter, question) = each
        json.member("field", question.field)
        json.member("kind", filter.kind)
        json.member("input", question.isField ? "field" : question.isBox ? "box" : "feeds")
        json.member("chip", question.chip)
        json.member("needs", question.needs?.rawValue)
        json.member("isTimed", filter.isTimed)
        json.member("isOfFavorites", question.isOfFavorites)
        json.member("form") { question.form.write(to: &$0) }
        json.member("term", filter.words.term)
        json.member("value", question.isBox ? question.boxValue : nil)
      }
      json.member("terms", objects: OfferFilter.allCases) { json, filter in
        json.member("term", filter.words.term)
        json.member("kind", filter.kind)
        json.member("test", filter.test?.kind.rawValue)
        json.member("member", filter.test?.member)
        json.member("isExcluded", filter.test?.isExcluded ?? false)
      }
      json.member("orders", objects: orders) { json, order in
        json.member("value", order.sort.rawValue)
        json.member("label", order.label)
        json.member("reversed", order.reversed)
        json.member("needs", order.needs?.rawValue)
      }
    }
    return json.text
  }()
}

extension OfferFilter {
  /// How the service worker reads the value of a filter.
  fileprivate var kind: String {
    switch value {
    case .flag: "flag"
    case .since: "since"
    case .within: "within"
    case .text: "text"
    case .label: "label"
    case .bound(_, let role, _): role.rawValue
    case .circle: "circle"
    }
  }
}

extension OfferFilter.Question {
  var isField: Bool { if case .field = input { true } else { false } }
  var isBox: Bool { if case .box = input { true } else { false } }

  /// The text that a set check box stands for; nil for another input.
  var boxValue: String? { if case .box(let text) = input { text } else { nil } }

  /// The variables of the input that do not depend on the list.
  var form: PageFields {
    PageFields { fields in
      fields.set("name", field)
      fields.set("label", label)
      guard case .field(let placeholder, let pattern, let hint) = input else { return }
      fields.set("placeholder", placeholder)
      fields.set("pattern", pattern)
      fields.set("hint", hint)
      if needs == .categories || needs == .retailers { fields.set("proposalList", needs?.rawValue) }
    }
  }
}
