import OffersCore

/// Names the browser and the device of a `User-Agent` in plain words, such as `Firefox on Android`.
///
/// The field has no syntax that tells browsers apart: each names the ones that it wants to be taken
/// for. The more specific names are tried first.
enum DeviceName {
  static func text(of userAgent: String) -> String {
    let browser = browsers.first { userAgent.contains($0.mark) }?.name
    let system = systems.first { userAgent.contains($0.mark) }?.name
    switch (browser, system) {
    case (let browser?, let system?): return "\(browser) on \(system)"
    case (let name?, nil): return name
    case (nil, let name?): return "A browser on \(name)"
    case (nil, nil): return product(of: userAgent) ?? "An unknown browser"
    }
  }

  private static let browsers: [(mark: String, name: String)] = [
    ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"),
    ("Vivaldi/", "Vivaldi"), ("FxiOS/", "Firefox"), ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"), ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
    ("Chromium/", "Chromium"), ("Safari/", "Safari"), ("curl/", "curl"),
  ]

  private static let systems: [(mark: String, name: String)] = [
    ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("Windows", "Windows"),
    ("CrOS", "ChromeOS"), ("Macintosh", "Mac"), ("Linux", "Linux"), ("FreeBSD", "FreeBSD"),
  ]

  /// The first product of the field, such as `Lynx` of `Lynx/2.9`.
  private static func product(of userAgent: String) -> String? {
    let name = userAgent.unicodeScalars.prefix { $0 != "/" && $0 != " " }
    return name.isEmpty ? nil : String(name.prefix(40))
  }
}
