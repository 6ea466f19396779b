import Foundation
import OffersTestSupport

@testable import OffersSync

/// A simulated, unreliable server of a feed, and a model of a polite client.
struct SimulatedFeed {
  /// The validators that a server sends.
  enum Style: CaseIterable {
    case etag, date, both, none, newEachTime, bogus
  }

  /// The expected state of a client after a successful sync.
  struct Held: Equatable {
    var etag: String?
    var date: String?
    var fullAt: TimeInterval
    /// The address that the validators came from.
    var url = ""
    var isEmpty: Bool { etag == nil && date == nil }
  }

  /// The interval of the job that syncs due feeds.
  static let tickSeconds: TimeInterval = 7200

  let name: String
  let style: Style
  let everySeconds: TimeInterval
  private var random: SeededGenerator
  private(set) var offers: Set<Int>
  private var version = 0
  private var answers = 0
  /// The response to the current request, if the client can use it.
  private var offered: (held: Held, offers: Set<Int>)?
  private var failed = false
  private var failures = 0
  private var waitUntil: TimeInterval = 0
  private var notBefore: TimeInterval = 0
  private var notAfter: TimeInterval = .infinity
  private(set) var held: Held?
  /// The offers that the client holds.
  private(set) var known: Set<Int> = []
  private(set) var requestCount = 0
  private(set) var complaints: [String] = []
  private var isFirst = true

  init(_ number: Int) {
    name = "feed\(number)"
    random = SeededGenerator(number: number * 7919)
    style = Style.allCases[number % Style.allCases.count]
    everySeconds = [7200, 6 * 3600, 86_400][number % 3]
    offers = Set(1...40)
  }

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func complain(_ text: String, _ now: TimeInterval) {
    complaints.append("\(name) after \(Int(now / 3600)) h: \(text)")
  }

  /// Notes the beginning of a sync.
  mutating func begin() {
    isFirst = true
    offered = nil
    failed = false
  }

  mutating func answer(_ request: TransportRequest, at now: TimeInterval) -> SimulatedAnswer? {
    requestCount += 1
    let etag = request.headers.first(name: "if-none-match")
    let date = request.headers.first(name: "if-modified-since")
    if isFirst { checkTime(now) }
    isFirst = false
    check(etag, date, request.url.absoluteString, now)
    return mood(etag, date, request.url.absoluteString, now)
  }

  private mutating func checkTime(_ now: TimeInterval) {
    if now < waitUntil { complain("asked although told to wait", now) }
    if now < notBefore { complain("asked too early", now) }
    if now > notAfter { complain("asked too late", now) }
  }

  /// Compares a request with that of a polite client.
  private mutating func check(
    _ etag: String?, _ date: String?, _ url: String, _ now: TimeInterval
  ) {
    if let held, held.url == url, !held.isEmpty, now - held.fullAt < FetchSchedule.validatorSeconds
    {
      if etag != held.etag || date != held.date {
        complain("asked with \(etag ?? "-") and \(date ?? "-"), not as it should", now)
      }
    } else if etag != nil || date != nil {
      complain("asked with what nobody gave", now)
    }
  }

  private mutating func mood(
    _ etag: String?, _ date: String?, _ url: String, _ now: TimeInterval
  ) -> SimulatedAnswer? {
    // A successful sync subscribes to the feed.
    if held == nil { return document(etag, date, url, now) }
    if !url.hasSuffix("/moved"), chance(6) {
      return SimulatedAnswer(301, [("Location", "/moved")])
    }
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<5: return fail(SimulatedAnswer(500))
    case 5..<8:
      let seconds = Int.random(in: 600...260_000, using: &random)
      waitUntil = now + TimeInterval(seconds)
      return fail(SimulatedAnswer(429, [("Retry-After", "\(seconds)")]))
    case 8..<11:
      let until = now + TimeInterval(Int.random(in: 600...260_000, using: &random))
      waitUntil = until
      let text = Self.httpDate(until)
      return fail(SimulatedAnswer(503, [("Retry-After", text)]))
    case 11..<14: return fail(SimulatedAnswer(200, [("ETag", "\"broken\"")], "[{\"id\":"))
    case 14..<16: return fail(SimulatedAnswer(200, [("ETag", "\"page\"")], "<html>Log in</html>"))
    case 16..<18: return fail(nil)
    default: return document(etag, date, url, now)
    }
  }

  private mutating func fail(_ answer: SimulatedAnswer?) -> SimulatedAnswer? {
    failed = true
    return answer
  }

  private mutating func document(
    _ etag: String?, _ date: String?, _ url: String, _ now: TimeInterval
  ) -> SimulatedAnswer {
    answers += 1
    if chance(30) {
      version += 1
      for _ in 0..<3 {
        let id = Int.random(in: 1...60, using: &random)
        if offers.contains(id) { offers.remove(id) } else { offers.insert(id) }
      }
    }
    var vouched = validators(now)
    vouched.url = url
    let knows =
      (etag != nil && etag == vouched.etag) || (etag == nil && date != nil && date == vouched.date)
    // Some servers keep answering 304 although the document has changed.
    if knows || ((etag ?? date) != nil && chance(3)) {
      offered = held.map { ($0, known) }
      if style == .etag, chance(20) {
        offered?.held.etag = "\"again\(answers)\""
        return SimulatedAnswer(304, [("ETag", "\"again\(answers)\"")])
      }
      return SimulatedAnswer(304)
    }
    offered = (vouched, offers)
    var headers: [(String, String)] = []
    if let etag = vouched.etag { headers.append(("ETag", etag)) }
    if let date = vouched.date { headers.append(("Last-Modified", date)) }
    if style == .bogus { headers = [("ETag", "\"\""), ("Last-Modified", "now")] }
    let records = offers.sorted().map { FeedText.record($0) }
    return SimulatedAnswer(200, headers, FeedText.list(records))
  }

  private static func httpDate(_ seconds: TimeInterval) -> String {
    let formatter = DateFormatter()
    formatter.locale = Locale(identifier: "en_US_POSIX")
    formatter.timeZone = .gmt
    formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return formatter.string(from: Date(timeIntervalSince1970: seconds))
  }

  private func validators(_ now: TimeInterval) -> Held {
    var held = Held(etag: nil, date: nil, fullAt: now)
    let date = Self.httpDate(1_767_225_600 + Double(version))
    switch style {
    case .etag: held.etag = "\"v\(version)\""
    case .date: held.date = date
    case .both: (held.etag, held.date) = ("W/\"v\(version)\"", date)
    case .newEachTime: held.etag = "\"n\(answers)\""
    case .none, .bogus: break
    }
    return held
  }

  /// Notes the end of a sync and its outcome.
  mutating func end(_ worked: Bool, at now: TimeInterval) {
    if worked == failed { complain(worked ? "took a failure for true" : "failed", now) }
    let tick = Self.tickSeconds + 300
    if worked, let offered {
      held = offered.held
      known = offered.offers
      failures = 0
      waitUntil = 0
      notBefore = now + everySeconds * 0.95 - 1
      notAfter = now + everySeconds + tick
    } else {
      failures += 1
      let wait = min(3600 * pow(2, Double(min(failures, 20) - 1)), FetchSchedule.longestWaitSeconds)
      notBefore = now + wait * 0.8 - 300
      notAfter = max(now + wait * 1.2, waitUntil) + tick
    }
  }
}
