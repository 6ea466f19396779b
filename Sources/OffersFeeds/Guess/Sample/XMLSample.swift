import OffersCore

/// Reads XML, complete or cut off, into a sample of its elements.
///
/// The result is an object with the root element as its only member, so that paths begin with the
/// root's name, as they do in a definition.
final class XMLSample: XMLTokenHandler {
  private struct Frame {
    let name: String
    var attributes: [(key: String, value: SampleValue)] = []
    var children: [(name: String, list: SampleList)] = []
    /// The indices of the children by name.
    var places: [String: Int] = [:]
    var text: [UInt8] = []
    var textBytes = 0

    var members: [(key: String, value: SampleValue)] {
      attributes
        + children.map { ($0.name, $0.list.count == 1 ? $0.list.elements[0] : .list($0.list)) }
    }
  }

  private var frames: [Frame] = [Frame(name: "")]
  private var valueCount = 0

  private static let valueLimit = 400_000
  private static let memberLimit = 5000

  /// Returns the sample; nil when the document has no element.
  static func read(_ text: [UInt8]) -> SampleValue? {
    let sample = XMLSample()
    let tokens = XMLTokenReader(handler: sample)
    let mender = XMLMender()
    do {
      try text.withUnsafeBytes { try mender.consume($0) { try tokens.consume($0) } }
      try mender.finish { try tokens.consume($0) }
      try tokens.finish()
    } catch {
      // The elements before a cut or a fault are a sufficient sample. The feed reader reports the
      // reason.
      sample.closeAll()
    }
    let members = sample.frames[0].members
    return members.isEmpty ? nil : .object(SampleObject(members: members))
  }

  func start(_ name: UnsafeRawBufferPointer, _ attributes: XMLAttributes) {
    var frame = Frame(name: String(decoding: name, as: UTF8.self))
    for (name, value) in attributes where !name.elementsEqual("xml:lang".utf8) {
      let text = String(decoding: value.prefix(SampleText.limitBytes), as: UTF8.self)
      frame.attributes.append(
        ("@" + String(decoding: name, as: UTF8.self), Self.value(text, value.count)))
    }
    frames.append(frame)
  }

  func text(_ text: UnsafeRawBufferPointer) {
    let last = frames.count - 1
    frames[last].textBytes += text.count
    let room = SampleText.limitBytes - frames[last].text.count
    if room > 0 { frames[last].text.append(contentsOf: text.prefix(room)) }
  }

  func end(_ name: UnsafeRawBufferPointer) {
    if frames.count > 1 { close() }
  }

  /// Closes the open elements with the content read so far. An element that follows a sibling of
  /// the same name is dropped instead, because it is incomplete.
  private func closeAll() {
    while frames.count > 1 {
      let name = frames[frames.count - 1].name
      if frames[frames.count - 2].places[name] != nil {
        frames.removeLast()
      } else {
        close()
      }
    }
  }

  private func close() {
    let frame = frames.removeLast()
    let text = frame.text.withUnsafeBytes { String(decoding: $0.trimmed(), as: UTF8.self) }
    let members = frame.members
    let value: SampleValue
    if members.isEmpty {
      value = Self.value(text, frame.textBytes)
    } else {
      var object = SampleObject(members: members)
      if !text.isEmpty { object.text = SampleText(text, sizeBytes: frame.textBytes) }
      value = .object(object)
    }
    valueCount += 1
    append(value, named: frame.name)
  }

  private static func value(_ text: String, _ sizeBytes: Int) -> SampleValue {
    text.isEmpty ? .null : .text(SampleText(text, sizeBytes: sizeBytes))
  }

  private func append(_ value: SampleValue, named name: String) {
    let last = frames.count - 1
    let isKept = valueCount < Self.valueLimit
    if let place = frames[last].places[name] {
      frames[last].children[place].list.count += 1
      if isKept, frames[last].children[place].list.elements.count < Self.memberLimit {
        frames[last].children[place].list.elements.append(value)
      }
    } else if frames[last].children.count < Self.memberLimit, isKept || frames.count == 1 {
      frames[last].places[name] = frames[last].children.count
      frames[last].children.append((name, SampleList(elements: [value], count: 1)))
    }
  }
}
