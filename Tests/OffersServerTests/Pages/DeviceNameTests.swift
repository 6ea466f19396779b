import Testing

@testable import OffersServer

@Suite("Names of browsers and devices")
struct DeviceNameTests {
  private static let webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"

  @Test(
    "a browser is named in plain words",
    arguments: [
      (
        "Mozilla/5.0 (Linux; Android 15) \(webKit) Chrome/131.0 Mobile Safari/537.36",
        "Chrome on Android"
      ),
      (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) \(webKit) Chrome/131.0 Safari/537.36 Edg/131.0",
        "Edge on Windows"
      ),
      (
        "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605 Version/18 Safari/605",
        "Safari on Mac"
      ),
      (
        "Mozilla/5.0 (iPad; CPU OS 18_0 like Mac OS X) AppleWebKit/605 CriOS/131 Safari/604",
        "Chrome on iPad"
      ),
      ("Mozilla/5.0 (Android 14; Mobile; rv:133.0) Gecko/133.0 Firefox/133", "Firefox on Android"),
      ("Mozilla/5.0 (X11; CrOS x86_64) \(webKit) Chrome/131 Safari/537", "Chrome on ChromeOS"),
      ("curl/8.5", "curl"), ("Lynx/2.9.0", "Lynx"), ("", "An unknown browser"),
      ("Mozilla/5.0 (Windows NT 10.0)", "A browser on Windows"), ("/", "An unknown browser"),
    ])
  func names(agent: String, name: String) {
    #expect(DeviceName.text(of: agent) == name)
  }
}
