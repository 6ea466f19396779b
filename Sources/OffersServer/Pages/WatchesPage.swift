import Foundation
import Hummingbird
import OffersCore

/// The page of a user's watches, with the form that adds or changes one.
struct WatchesPage {
  let content: ServerDependencies
  let request: PageRequest

  static let path = "/watches"

  /// The outcomes of forms, by the word for which the address of the page asks.
  private static let outcomes = [
    "added": "The watch is added. What matches now counts as told.",
    "changed": "The watch is changed.", "paused": "The watch is paused.",
    "resumed": "The watch begins anew.",
    "removed": "The watch is removed. What it told stays in your notices.",
  ]

  /// The watches that a user without any can add by a press.
  private static let examples: [(title: String, form: WatchForm)] = [
    (
      "Coffee that pays well",
      WatchForm(selection: "coffee reward:>=2", kind: .match)
    ),
    ("Whatever begins to pay a lot", WatchForm(selection: "reward:>=5", kind: .match)),
    (
      "A favorite is about to end",
      WatchForm(selection: "is:favorite", kind: .ending, time: "6h", isUrgent: true)
    ),
  ]

  func page() async throws -> Page {
    let watches = try await content.store.fetchWatches(content.texts)
    let told = try await content.store.fetchLastTold()
    let sent = WatchForm(request.fields)
    let edited = watches.first { $0.id == sent.id }
    let isAsked = sent.isFilled || edited != nil
    let form = sent.isFilled ? sent : edited.map(WatchForm.init) ?? sent
    let formFields = try await fields(of: form, isAsked: isAsked, isKnown: edited != nil)
    var page = Page("watches", title: "Watches", menuEntry: .notices) { fields in
      fields.set("count", watches.count == 1 ? "1 watch" : "\(Units.count(watches.count)) watches")
      fields.set("done", request.fields["done"].flatMap { Self.outcomes[$0] })
      fields.set("watches", watches.map { row($0, toldAt: told[$0.id]) })
      fields.set("hasWatches", !watches.isEmpty)
      fields.set("form", formFields)
      guard watches.isEmpty, !isAsked else { return }
      fields.set(
        "examples",
        Self.examples.map { title, form in
          var example = form.fields
          example.set("exampleTitle", title)
          example.set("exampleRule", try? form.draft(content.texts).rule.words)
          return example
        })
    }
    page.back = NoticeListPage.path
    page.lifetime = .never
    return page
  }

  private func row(_ watch: Watch, toldAt: Date?) -> PageFields {
    [
      "watchID": String(watch.id), "watchTitle": watch.name ?? watch.selectionText,
      "watchSelection": watch.name == nil ? nil : watch.selectionText,
      "listLink": PageLinks.path(
        OffersPage.path, [("q", watch.selection.isEmpty ? nil : watch.selection)]),
      "editLink": PageLinks.path(Self.path, [("watch", String(watch.id))]) + "#form",
      "ruleWords": watch.rule.words, "repeatWords": watch.repeats.shownWords,
      "isUrgent": watch.isUrgent, "isPaused": watch.pausedAt != nil, "lastTold": toldAt,
    ]
  }

  /// The variables of the form, with a preview of a watch that was asked for, or what is wrong with it.
  ///
  /// - Parameters:
  ///   - isAsked: whether the form has the texts of a watch.
  ///   - isKnown: whether it changes a watch that the user has.
  private func fields(
    of form: WatchForm, isAsked: Bool, isKnown: Bool
  ) async throws -> PageFields {
    var fields = form.fields
    fields.set("isOpen", isAsked)
    fields.set("formTitle", isKnown ? "Change a watch" : "Add a watch")
    if !isKnown { fields.set("editedID", nil as String?) }
    if !isAsked { return fields }
    do {
      let draft = try form.draft(content.texts)
      try draft.checkIsBounded()
      let (content, now) = (content, content.now())
      let found = try await ResponseDeadline.run(within: request.readLimit) {
        try await content.store.previewWatch(draft, now: now, content.texts)
      }
      fields.set(
        "preview",
        [
          "previewRule": draft.rule.words,
          "previewLines": found.preview.lines(
            selecting: found.count, first: found.first.map(\.name)),
        ])
    } catch let error as OffersError where [.invalidRequest, .notFound].contains(error.code) {
      fields.set(
        "problem",
        [
          "problemTitle": ErrorWords.plain(error.message),
          "problemText": error.hint.map { ErrorWords.plain($0.text) } ?? "",
        ])
    }
    return fields
  }
}

/// The targets of the forms of the page of watches. Each redirects to it.
struct WatchForms: Sendable {
  let content: ServerDependencies

  func add(to router: Router<ServedContext>) {
    router.form(RouterPath(WatchesPage.path)) { sent, _, context in
      let content = content.of(context.visitor)
      let form = WatchForm(sent)
      if sent["watch"] != nil, form.id == nil { throw Self.missing }
      // The page shows the form as it was sent, and what is wrong with it.
      let draft: WatchDraft
      do {
        draft = try form.draft(content.texts)
        try draft.checkIsBounded()
      } catch let error as OffersError where error.code == .invalidRequest {
        return .seeOther(form.address)
      }
      do {
        let watch = try await content.store.putWatch(
          draft, id: form.id, now: content.now(), content.texts)
        return Self.redirect(form.id == nil ? "added" : "changed", watch.id)
      } catch let error as OffersError where error.code == .notFound && form.id == nil {
        return .seeOther(form.address)
      }
    }
    router.form("/watches/:id/pause") { sent, _, context in
      let content = content.of(context.visitor)
      let isPaused = sent.isSet("paused")
      let watch = try await content.store.setWatch(
        try Self.id(context), isPaused: isPaused, now: content.now(), content.texts)
      return Self.redirect(isPaused ? "paused" : "resumed", watch.id)
    }
    router.form("/watches/:id/remove") { _, _, context in
      try await content.of(context.visitor).store.removeWatch(try Self.id(context))
      return Self.redirect("removed")
    }
  }

  private static func id(_ context: ServedContext) throws -> Watch.ID {
    guard let id = Watch.ID(try context.segment("id")) else { throw missing }
    return id
  }

  private static var missing: Problem {
    Problem(.notFound, "There is no such watch.", code: .notFound)
  }

  private static func redirect(_ outcome: String, _ id: Watch.ID? = nil) -> Response {
    .seeOther(
      PageLinks.path(WatchesPage.path, [("done", outcome)]) + (id.map { "#watch-\($0)" } ?? ""))
  }
}

/// The texts of a watch in a form: the rule is divided into its kind, an amount or a percentage, and a time.
struct WatchForm {
  /// The watch that is changed; nil for a new one.
  private(set) var id: Watch.ID?
  private var name: String?
  private let selection: String
  private let kind: String?
  private var amount: String?
  private var time: String?
  private var repeats: String?
  private let isUrgent: Bool

  /// The form of an example.
  init(selection: String, kind: WatchRule.Kind, time: String? = nil, isUrgent: Bool = false) {
    (self.selection, self.kind) = (selection, kind.rawValue)
    (self.time, self.isUrgent) = (time, isUrgent)
  }

  /// The form as it was sent, or prefilled by a link.
  init(_ fields: SentFields) {
    id = fields["watch"].flatMap(Watch.ID.init)
    name = fields["name"]
    selection = fields["q"] ?? ""
    kind = fields["kind"]
    (amount, time) = (fields["amount"], fields["time"])
    repeats = fields["repeat"]
    isUrgent = fields.isSet("urgent")
  }

  /// The form that changes a watch.
  init(_ watch: Watch) {
    (id, name, selection) = (watch.id, watch.name, watch.selection)
    (repeats, isUrgent) = (watch.repeats.rawValue, watch.isUrgent)
    let rule = watch.rule
    kind = rule.kind.rawValue
    let words = rule.text.split(scalar: " ").dropFirst().map(String.init)
    switch rule.kind {
    case .best, .ending: time = words.first
    case .nearBest: (amount, time) = (words.first, words.count > 1 ? words.last : nil)
    case .match, .atLeast, .atMost, .up, .down, .back: amount = words.joined(separator: " ")
    }
  }

  /// Whether it has a selection, or the kind of a rule for all offers.
  var isFilled: Bool { !selection.isEmpty || kind != nil }

  /// The watch.
  ///
  /// - Throws: `OffersError` with `invalidRequest` for a text that is none of a watch.
  func draft(_ reader: any FilterTextReader) throws -> WatchDraft {
    // The form sends the fields that the page does not show for this kind, too.
    let known = WatchRule.Kind(rawValue: kind ?? WatchRule.Kind.match.rawValue)
    func check(_ text: String?, _ needsIt: Bool, _ name: String, _ example: String) throws {
      if !needsIt || !(text ?? "").isEmpty { return }
      throw OffersError(
        .invalidRequest, "The field “\(name)” is empty.", hint: "Fill it in, such as \(example).")
    }
    try check(
      amount, [.atLeast, .atMost, .nearBest].contains(known), "Amount or percentage", "$2 or 10%")
    try check(time, known == .ending, "Time", "48h or 3d")
    // The period of a best value is in days, which need no letter.
    let time = time.map { known != .ending && Int($0) != nil ? "\($0)d" : $0 }
    let rule = [
      kind ?? WatchRule.Kind.match.rawValue, known?.hasAmount ?? true ? amount : nil,
      known?.hasTime ?? true ? time : nil,
    ].compactMap(\.self).filter { !$0.isEmpty }
    return try WatchDraft(
      name: name, selection: selection, rule: rule.joined(separator: " "), repeats: repeats,
      isUrgent: isUrgent, reader)
  }

  /// The address of the page with the form as it is.
  var address: String {
    PageLinks.path(
      WatchesPage.path,
      [
        ("watch", id.map { String($0) }), ("name", name), ("q", selection), ("kind", kind),
        ("amount", amount), ("time", time), ("repeat", repeats), ("urgent", isUrgent ? "1" : nil),
      ]) + "#form"
  }

  var fields: PageFields {
    [
      "editedID": id.map { String($0) }, "formName": name ?? "", "formSelection": selection,
      "kind": kind ?? WatchRule.Kind.match.rawValue, "amount": amount ?? "", "time": time ?? "",
      "isUrgent": isUrgent,
      "kinds": WatchRule.Kind.allCases.map {
        PageFields(option: $0.rawValue, $0.label, isChosen: $0.rawValue == kind)
      },
      "repeats": Watch.Repeat.allCases.map {
        PageFields(option: $0.rawValue, $0.label, isChosen: $0.rawValue == repeats)
      },
    ]
  }
}

extension WatchRule.Kind {
  /// Whether a rule of this kind has an amount or a percentage.
  fileprivate var hasAmount: Bool {
    switch self {
    case .atLeast, .atMost, .up, .down, .nearBest: true
    case .match, .best, .ending, .back: false
    }
  }

  /// Whether a rule of this kind has a time.
  fileprivate var hasTime: Bool {
    switch self {
    case .best, .nearBest, .ending: true
    case .match, .atLeast, .atMost, .up, .down, .back: false
    }
  }

  /// The choice of the kind in the form; an amount and a time have fields of their own.
  fileprivate var label: String {
    switch self {
    case .match: "is new, or begins to match"
    case .atLeast: "is at least the amount"
    case .atMost: "is at most the amount"
    case .up: "goes up, by the amount or by anything"
    case .down: "goes down, by the amount or by anything"
    case .best: "is the best, ever or of the days"
    case .nearBest: "is within the percentage of the best"
    case .ending: "ends within the time"
    case .back: "is back in its feed"
    }
  }
}

extension Watch.Repeat {
  fileprivate var label: String {
    switch self {
    case .onEntry: "Again after it was away for a day"
    case .never: "Once"
    case .daily: "Every day while it holds"
    case .each: "Each time"
    }
  }

  /// The repetition in the line of a watch; nil for the usual one.
  fileprivate var shownWords: String? {
    switch self {
    case .onEntry: nil
    case .never: "once per offer"
    case .daily: "again every day"
    case .each: "each time"
    }
  }
}
