/// A page of the settings.
enum SettingsSection: String, Sendable, CaseIterable {
  case feeds, people, devices, browser, about

  /// The path of the page that lists the sections.
  static let root = "/settings"

  var path: String { "\(Self.root)/\(rawValue)" }

  var title: String {
    switch self {
    case .feeds: "Feeds"
    case .people: "People"
    case .devices: "Devices"
    case .browser: "This browser"
    case .about: "About"
    }
  }

  /// The name of a symbol in icons.mustache, without its prefix `i-`.
  var icon: String {
    switch self {
    case .feeds: "tag"
    case .people: "household"
    case .devices: "phone"
    case .browser: "web"
    case .about: "info"
    }
  }
}
