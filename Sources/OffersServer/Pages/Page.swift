/// A page before it is drawn.
struct Page: Sendable {
  /// The entries of the main menu.
  enum Place: String, Sendable, CaseIterable {
    case offers, favorites, changes, web, settings
  }

  /// Which template draws it; it is also the kind that style sheets and scripts tell pages by.
  let template: String
  let title: String
  var fields: PageFields
  /// Which entry of the menu it belongs to.
  var place: Place?
  /// Where its way back leads; nil for a page with the menu.
  var back: String?
  /// What stands in the search box at the top.
  var words: String?
  /// The feed that the search box at the top searches; nil for all.
  var searchedFeed: String?
  /// 200, or what else it says to a program.
  var status = 200
  /// How long it may be given again without being made anew.
  var lifetime = Answer.Lifetime.untilWrite
  /// Whether it shows other sites in a frame.
  var framesSites = false

  init(_ template: String, title: String, place: Place? = nil, fill: (inout PageFields) -> Void) {
    self.template = template
    self.title = title
    self.place = place
    fields = PageFields(fill)
  }
}
