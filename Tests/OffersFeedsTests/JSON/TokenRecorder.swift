import OffersCore
import OffersFeeds

/// Records the events of an XML document in a short notation, with adjacent texts joined:
/// `<a x=1>text</a>`.
final class TokenRecorder: XMLTokenHandler {
  private(set) var bytes: [UInt8] = []
  private(set) var startCount = 0
  private(set) var textBytes = 0
  /// Throws at the start of the element with this name.
  var stopName: String?
  var isQuiet = false

  struct Stop: Error {}

  var text: String { String(decoding: bytes, as: UTF8.self) }

  func start(_ name: String, _ attributes: [XMLTokenReader.Attribute]) throws {
    startCount += 1
    if let stopName, name == stopName { throw Stop() }
    if isQuiet { return }
    bytes += Array("<\(name)".utf8)
    for (name, value) in attributes { bytes += Array(" \(name)=\(value)".utf8) }
    bytes += Array(">".utf8)
  }

  func text(_ text: UnsafeRawBufferPointer) throws {
    textBytes += text.count
    if !isQuiet { bytes += text }
  }

  func end(_ name: String) throws {
    if !isQuiet { bytes += Array("</\(name)>".utf8) }
  }
}

/// The result of parsing a document.
struct TokenRun: Equatable {
  var text: String
  var error: OffersError?
  var startCount: Int
  var textBytes: Int

  init(_ document: [UInt8], pieceSizes: [Int] = [], isQuiet: Bool = false) {
    let recorder = TokenRecorder()
    recorder.isQuiet = isQuiet
    let reader = XMLTokenReader(handler: recorder)
    do {
      try StageRun.split(document, pieceSizes) { try reader.consume($0) }
      try reader.finish()
    } catch let failure as OffersError {
      error = failure
    } catch {
      self.error = OffersError(.invalidRequest, "not an OffersError: \(error)")
    }
    text = recorder.text
    startCount = recorder.startCount
    textBytes = recorder.textBytes
  }

  init(_ document: String, pieceSizes: [Int] = [], isQuiet: Bool = false) {
    self.init(Array(document.utf8), pieceSizes: pieceSizes, isQuiet: isQuiet)
  }
}
