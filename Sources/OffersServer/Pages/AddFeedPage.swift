import Hummingbird
import OffersCore

/// The section of the settings that adds a feed by its address, as a page of its own: the form, or
/// what would be added. Scripts show the same section within the settings.
struct AddFeedPage: Sendable {
  let content: ServerDependencies
  let shell: PageShell

  static let path = "/settings/add-feed"

  func add(to router: Router<ServedContext>) {
    router.get("/settings/add-feed") { _, context in
      try await response(Form(visitor: try context.fetchVisitor()))
    }
    router.form("/settings/add-feed") { form, _, context in
      let visitor = try context.fetchVisitor()
      return try await context.whileConnected {
        try await respond(to: form, visitor, context.record)
      }
    }
  }

  private struct Form {
    let visitor: Visitor
    var source: String?
    /// The proposal for the source; nil before it was looked at.
    var found: FeedProposals.Numbered?
    /// The name and the title that the person typed.
    var name: String?
    var title: String?
    var error: Problem?
    /// Whether the error is about the name or the title.
    var isNameWrong = false
  }

  private func respond(
    to sent: SentFields, _ visitor: Visitor, _ record: RequestRecord
  ) async throws -> Response {
    var form = Form(visitor: visitor, source: sent["source"])
    guard let source = form.source else {
      form.error = Problem(.badRequest, "The address is missing.")
      return try await response(form)
    }
    guard sent.isSet("add") else { return try await propose(source, &form) }
    (form.name, form.title) = (sent["name"], sent["title"])
    do {
      let added = try await content.proposals.add(
        source, name: form.name, title: form.title, by: visitor.user)
      record.did("feed added")
      record.note("feed", added.name)
      return .seeOther(PageLinks.feed(added.name))
    } catch {
      form.error = try Self.problem(error)
    }
    form.isNameWrong = true
    form.found = content.proposals.find(source, by: visitor.user)
    return try await response(form)
  }

  /// The error that the form tells; throws any other, such as that of an access that has ended.
  private static func problem(_ error: any Error) throws -> Problem {
    switch error {
    case let error as Problem: return error
    case let error as OffersError where !error.isOfAccess && error.code != .cancelled:
      return Problem(error)
    default: throw error
    }
  }

  private func propose(_ source: String, _ form: inout Form) async throws -> Response {
    do {
      form.found = try await content.proposals.propose(source, name: nil, by: form.visitor.user)
    } catch {
      form.error = try Self.problem(error)
    }
    return try await response(form)
  }

  private func response(_ form: Form) async throws -> Response {
    let page = Page("adding", title: "Add a feed", menuEntry: .settings) { fields in
      fields.set("isPage", true)
      fields.set("addedSource", form.source)
      if let found = form.found { fields.set("proposal", self.fields(of: found, form)) }
      guard let error = form.error else { return }
      let isName = form.isNameWrong && form.found != nil
      fields.set(
        isName ? "nameError" : "addressError",
        ["errorText": error.detail, "errorHint": error.hint] as PageFields)
    }
    let html = try shell.html(
      page, address: "/settings", for: form.visitor, feeds: try await shell.feeds(beside: page))
    return .page(html, status: form.error?.status ?? .ok, headers: form.error?.headers ?? [:])
  }

  private func fields(of found: FeedProposals.Numbered, _ form: Form) -> PageFields {
    let proposal = found.proposal
    return PageFields { fields in
      fields.set("proposedSource", proposal.source)
      fields.set("proposedName", form.name ?? proposal.name)
      fields.set("proposedTitle", form.title ?? proposal.title)
      fields.set("heading", proposal.title ?? PageLinks.host(proposal.source))
      fields.set("offerCount", Units.count(proposal.offerCount, proposal.presentation.noun))
      if proposal.recordCount > proposal.offerCount {
        let rest = proposal.recordCount - proposal.offerCount
        fields.set("skipped", "\(Units.count(rest, "record")) left out")
      }
      fields.set("format", proposal.format.map { Self.formats[$0] ?? $0 })
      fields.set("notes", proposal.notes)
      fields.set(
        "places",
        proposal.fields.map { field in
          [
            "fieldName": field.name, "from": field.from,
            "share": Self.share(field.offerCount, of: proposal.offerCount),
          ] as PageFields
        })
      fields.set(
        "previews",
        proposal.offers.enumerated().map { index, offer in
          var card = PageFields(
            card: offer, proposal.presentation, at: content.now(), feedTitle: proposal.title)
          card.set("image", String?.none)
          card.set(
            "preview",
            offer.imageURLText == nil
              ? nil : "/api/v1/proposals/\(found.number)/images/\(index)")
          return card
        })
    }
  }

  private static let formats = [
    "json": "JSON", "ndjson": "JSON lines", "xml": "XML", "csv": "Table",
  ]

  private static func share(_ count: Int, of all: Int) -> String {
    count >= all ? "all" : "\(Units.count(count)) of \(Units.count(all))"
  }
}
