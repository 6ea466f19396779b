import OffersCore

/// The page with the form for a passphrase: the first page after a login with a code, and the answer to
/// the form of the settings if it has a mistake.
struct PassphrasePage {
  let user: User
  /// Whether the user has a passphrase, which the form then asks for.
  let hasPassphrase: Bool
  /// The page that follows the first one after a login with a code; nil for the form of the settings.
  let next: String?
  /// Whether the passphrase was set by this page just now.
  var isSet = false
  var mistake: Mistake?

  /// A mistake in the form, which is told at its field.
  struct Mistake {
    enum Field: String { case present, new, again }

    let field: Field
    let text: String
    let hint: String?
    var status = 400
    /// The time in seconds after which the form is looked at again; nil for no wait.
    var waitSeconds: Int?
  }

  func page() -> Page {
    let title = next == nil ? "Your passphrase" : "Welcome"
    var page = Page("welcome", title: title, menuEntry: next == nil ? .settings : nil) { fields in
      fields.set("userName", user.name)
      fields.set("hasPassphrase", hasPassphrase)
      fields.set("welcome", next != nil)
      fields.set("next", next)
      fields.set("isSet", isSet)
      fields.set("asks", !hasPassphrase)
      if let mistake {
        fields.set(
          "\(mistake.field.rawValue)Error",
          .error(mistake.text, hint: mistake.hint, id: "passphrase-error"))
      }
    }
    if next == nil { page.back = SettingsSection.people.path }
    page.status = mistake?.status ?? 200
    return page
  }
}

extension PageFields {
  /// The variables of the template `field-error`, which tells of a mistake at a field of a form.
  ///
  /// - Parameter id: the id of the element, by which the field names it.
  static func error(_ text: String, hint: String?, id: String) -> PageFields {
    PageFields { fields in
      fields.set("errorID", id)
      fields.set("errorText", text)
      fields.set("errorHint", hint)
    }
  }
}
