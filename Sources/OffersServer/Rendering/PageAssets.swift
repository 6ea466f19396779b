import EmbeddedPages
import Foundation
import Hummingbird
import OffersCore

/// The style sheets, scripts and icons of the pages, embedded in the program.
struct PageAssets: Sendable {
  struct Asset: Sendable {
    /// The file at a URL with the current version of the assets, whose content never changes.
    let lasting: TaggedContent
    /// The file at a URL without a version.
    let revalidated: TaggedContent

    init(_ contentType: String, _ bytes: [UInt8], fields: HTTPFields = [:]) {
      let body = ByteBuffer(bytes: bytes)
      lasting = TaggedContent(
        contentType, body, cacheControl: "public, max-age=31536000, immutable", fields: fields)
      revalidated = TaggedContent(
        contentType, body, cacheControl: Answer.revalidated, fields: fields)
    }
  }

  let files: [String: Asset]
  /// The start of a hash over all files. It is part of their URLs, so that browsers may cache a URL
  /// forever.
  let version: String

  /// The texts that take the place of marks in the files, besides the version and the names of the files that
  /// the service worker stores.
  private static let texts = [
    ("__LABEL_DAYS__", String(GoodNewsLabels.days)),
    ("__WIDTHS__", ImageCacheLimits.thumbnailWidths.map { String($0) }.joined(separator: ", ")),
    ("__ADDRESS_ATTRIBUTES__", BasePath.attributes), ("__LISTS__", ListQuestions.offline),
  ]

  static let shared = PageAssets()

  private init() {
    var hash = DocumentHash()
    let scripts = ScriptBundle("app.js") { name in
      EmbeddedPageFiles.find(name).map { String(decoding: $0, as: UTF8.self) }
    }.files
    let sources =
      Self.served.map { name, type in
        (name, type, scripts[name].map { Array($0.utf8) } ?? EmbeddedPageFiles.find(name) ?? [])
      }
      + [
        ("styles.css", Self.style, Self.styles),
        ("templates.json", Self.json, PageTemplates.offline),
        ("letters.json", Self.json, LetterTable.json),
      ]
    let all = sources.map { name, type, bytes in
      guard type == Self.style || type == Self.script else { return (name, type, bytes) }
      return (name, type, Array(CompactText.make(String(decoding: bytes, as: UTF8.self)).utf8))
    }
    for (_, _, bytes) in all { bytes.withUnsafeBytes { hash.update($0) } }
    for (_, text) in Self.texts { Array(text.utf8).withUnsafeBytes { hash.update($0) } }
    // The library of maps is part of the version, because its files have it in their URLs, too.
    for bytes in LeafletFiles.installed.contents { bytes.withUnsafeBytes { hash.update($0) } }
    let version = hash.finish().prefix(6).hexadecimal
    self.version = version
    let stored = all.map(\.0).filter { !Self.unstored.contains($0) }.joined(separator: " ")
    let texts = Self.texts + [("__VERSION__", version), ("__FILES__", stored)]
    files = Dictionary(
      all.map { name, type, bytes in
        guard type.hasPrefix("text/") || type.hasPrefix("application/") else {
          return (name, Asset(type, bytes))
        }
        let text = texts.reduce(String(decoding: bytes, as: UTF8.self)) {
          $0.replacing(bytes: $1.0, with: $1.1)
        }
        return (name, Asset(type, Array(text.utf8)))
      }, uniquingKeysWith: { one, _ in one })
  }

  /// The service worker, which knows the server of map tiles and may load from it. Another server makes
  /// another worker, so that browsers replace the one that they have together with its policy.
  func worker(loading tiles: MapTiles?) -> Asset? {
    guard let worker = files["sw.js"] else { return nil }
    var json = JSONWriter()
    if let tiles { tiles.fields.write(to: &json) } else { json.null() }
    let text = String(buffer: worker.lasting.body).replacing(
      bytes: "__TILES__", with: String(decoding: json.bytes, as: UTF8.self))
    return Asset(
      Self.script, Array(text.utf8),
      fields: SecurityHeaders.fields(tiles.map { .requests(to: $0.origin) } ?? .ownContent))
  }

  /// All style sheets in one file, because a browser paints nothing before it has each of them.
  private static var styles: [UInt8] {
    styleNames.flatMap { (EmbeddedPageFiles.find($0) ?? []) + [UInt8(ascii: "\n")] }
  }

  /// The style sheets in their order, in which later ones add to earlier ones.
  private static let styleNames = [
    "tokens.css", "layout.css", "controls.css", "messages.css", "panels.css", "cards.css",
    "lists.css", "changes.css", "search.css", "sheet.css", "offer.css", "place.css", "map.css",
    "settings.css", "login.css", "web.css", "sidebar.css", "columns.css", "motion.css",
  ]

  private static let json = "application/json"
  private static let script = "text/javascript; charset=utf-8"
  private static let style = "text/css; charset=utf-8"

  /// The content types by the endings of names. Style sheets are served as one, and templates as one.
  private static let contentTypes = [
    "js": script, "json": json, "png": "image/png",
    "svg": "image/svg+xml", "webmanifest": "application/manifest+json", "woff2": "font/woff2",
  ]

  /// The files that are served as they are, with their types. The API serves its description.
  private static let served: [(name: String, type: String)] =
    EmbeddedPageFiles.names.filter { $0 != "openapi.json" }.compactMap { name in
      contentTypes[name.split(scalar: ".").last.map(String.init) ?? ""].map { (name, $0) }
    }

  /// The files that the service worker does not store: itself, and the ones that browsers request when
  /// they install the app.
  private static let unstored: Set<String> = [
    "sw.js", "manifest.webmanifest", "icon-512.png", "icon-maskable-512.png",
  ]
}

/// Style sheets and scripts as browsers get them: without the comments and the indentation, which would be a fifth
/// of what a first visit loads.
///
/// The sources are written so that lines can be read by themselves: a comment in a script has lines of its own, one in
/// a style sheet may also end a line, and no text spans lines.
enum CompactText {
  /// The text without comments, empty lines and indentation. Other lines stay apart, as scripts need.
  static func make(_ source: String) -> String {
    var lines: [Substring] = []
    var isComment = false
    for whole in source.split(scalar: "\n") {
      var line = whole.drop { $0 == " " }
      if isComment || line.hasPrefix("/*") {
        isComment = !line.hasSuffix("*/")
        continue
      }
      if line.hasSuffix("*/"), let start = line.firstRange(of: " /* ")?.lowerBound {
        line = line[..<start]
      }
      if !line.isEmpty, !line.hasPrefix("//") { lines.append(line) }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// A file of `Assets`, `Templates`, `Worker` or `API`, embedded in the program.
enum EmbeddedPageFiles {
  static let names: [String] = {
    var names: [String] = []
    while let name = embedded_page_name(UInt(names.count)) { names.append(String(cString: name)) }
    return names
  }()

  /// The bytes of the file with this name, such as `layout.css`; nil when there is none.
  static func find(_ name: String) -> [UInt8]? {
    var count: UInt = 0
    guard let bytes = embedded_page_file(name, &count) else { return nil }
    return Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }
}

/// The files of the map library Leaflet, which Debian's package `libjs-leaflet` installs. They are read once: a process serves the
/// files that it found, also after an update of the packages.
package struct LeafletFiles: Sendable {
  /// The files by path in the folder; empty if one of them is missing.
  private let files: [String: (asset: PageAssets.Asset, bytes: [UInt8])]
  /// Whether all files of Leaflet were found when they were read. If not, the pages
  /// have no maps.
  var areInstalled: Bool { !files.isEmpty }

  static let installed = LeafletFiles()

  package init(folder: String = "/usr/share/javascript/leaflet") {
    var files: [String: (asset: PageAssets.Asset, bytes: [UInt8])] = [:]
    for (path, type) in Self.contentTypes {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(path)") else { continue }
      files[path] = (PageAssets.Asset(type, Array(data)), Array(data))
    }
    self.files = files.count == Self.contentTypes.count ? files : [:]
  }

  /// The media types of the served files, by path in the folder. No other path is read, so that no
  /// path of a request leads out of the folder.
  private static let contentTypes = [
    "leaflet.css": "text/css; charset=utf-8",
    "leaflet.esm.min.js": "text/javascript; charset=utf-8",
  ]

  /// A file of the map library; nil for any other path, or if the library is not installed.
  func find(_ path: String) -> PageAssets.Asset? { files[path]?.asset }

  /// The contents of the files, in the order of their paths.
  var contents: [[UInt8]] { files.sorted { $0.key < $1.key }.map(\.value.bytes) }
}

/// All that `LetterFolding` and `SearchRank` say, for the service worker, so that it finds and sorts stored offers
/// as the server does, whichever version of Unicode the browser has.
struct LetterTable {
  /// The characters that do not stand for themselves, with their folded texts, without the Korean syllables.
  private(set) var folded: [(character: Unicode.Scalar, text: String)] = []
  /// The letters and digits, which words have, by their kind; followers are letters as well.
  private(set) var letters = CharacterClass()
  private(set) var digits = CharacterClass()
  private(set) var singles = CharacterClass()
  private(set) var followers = CharacterClass()
  /// The signs that join words.
  private(set) var joints = CharacterClass()
  /// The accents and the characters that nobody sees, at which a word does not end.
  private(set) var unseen = CharacterClass()
  /// The characters that separate the parts of a search.
  private(set) var spaces = CharacterClass()

  /// The Korean syllables. Each first letter with each vowel and each last letter is one, in this order.
  static let syllables: Range<UInt32> = 0xAC00..<0xD7A4
  /// The first letters, the vowels and the last letters of the syllables; most syllables have a last one.
  static let syllableLetters: [[String]] = [
    texts(of: 0x1100..<0x1113), texts(of: 0x1161..<0x1176), [""] + texts(of: 0x11A8..<0x11C3),
  ]

  /// The planes of Unicode with characters, without U+0000, which no text has. All other characters stand for
  /// themselves and end words.
  private static let planes: [Range<UInt32>] = [1..<0x4_0000, 0xE_0000..<0xF_0000]

  init() {
    for value in Self.planes.joined() {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
      else { continue }
      let meaning = LetterFolding.fold(value)
      if meaning.isLetter {
        switch meaning.kind {
        case .letter: letters.append(scalar)
        case .digit: digits.append(scalar)
        case .single: singles.append(scalar)
        case .follower:
          letters.append(scalar)
          followers.append(scalar)
        }
      }
      if meaning.joinsWords { joints.append(scalar) }
      if meaning.isUnseen { unseen.append(scalar) }
      if SearchWords.isSpace(scalar) { spaces.append(scalar) }
      if Self.syllables.contains(value) { continue }
      let text = meaning.text
      if !text.unicodeScalars.elementsEqual([scalar]) { folded.append((scalar, text)) }
    }
  }

  private static func texts(of values: Range<UInt32>) -> [String] {
    values.compactMap(Unicode.Scalar.init).map { String($0) }
  }

  /// The table as `{"folded": {"Ø": "o", …}, "syllables": {"first": "가", "letters": [["ᄀ", …], …]},
  /// "letters": "A-Z…", "digits": "0-9…", "singles": "ก-…", "followers": "…", "joints": "…", "unseen": "…",
  /// "spaces": "…", "wordBytes": 256, "joinedLimit": 8, "conjunctions": ["and", …], "weights": {"name": 20, …},
  /// "whole": 2}`. The joints are escaped.
  static let json: [UInt8] = {
    let table = LetterTable()
    var json = JSONWriter()
    json.object { json in
      json.member("folded") { json in
        json.object { json in
          for (character, text) in table.folded { json.member(String(character), text) }
        }
      }
      json.member("syllables") { json in
        json.object { json in
          json.member("first", texts(of: syllables).first)
          json.member("letters", each: syllableLetters) { json, letters in
            json.array { json in
              for letter in letters { json.value(letter) }
            }
          }
        }
      }
      json.member("letters", table.letters.text)
      json.member("digits", table.digits.text)
      json.member("singles", table.singles.text)
      json.member("followers", table.followers.text)
      json.member("joints", table.joints.escapedText)
      json.member("unseen", table.unseen.text)
      json.member("spaces", table.spaces.text)
      json.member("wordBytes", LetterTokenizer.wordBytes)
      json.member("joinedLimit", LetterTokenizer.joinedLimit)
      json.member("conjunctions", each: SearchWords.conjunctions) { $0.value($1) }
      json.member("weights") { json in
        json.object { json in
          for field in SearchMatch.Field.allCases {
            json.member(field.rawValue, SearchRank.weight(of: field))
          }
        }
      }
      json.member("whole", SearchRank.wholeFactor)
    }
    return json.bytes
  }()
}

/// Characters as a character class of a regular expression has them, such as `0-9A-Z`.
struct CharacterClass {
  private(set) var ranges: [ClosedRange<Unicode.Scalar>] = []

  /// Adds a character, which extends the last range or begins another.
  ///
  /// - Parameter scalar: a character behind all others.
  mutating func append(_ scalar: Unicode.Scalar) {
    if let last = ranges.last, last.upperBound.value + 1 == scalar.value {
      ranges[ranges.count - 1] = last.lowerBound...scalar
    } else {
      ranges.append(scalar...scalar)
    }
  }

  /// The ranges as they stand between the brackets of a character class. No character is escaped: none of
  /// the letters, digits, accents, invisible characters and white spaces is special there.
  var text: String { ranges.map { "\($0.lowerBound)-\($0.upperBound)" }.joined() }

  /// The ranges with escaped characters, for signs.
  var escapedText: String {
    ranges.map { range in
      [range.lowerBound, range.upperBound].map { "\\u{\(String($0.value, radix: 16))}" }
        .joined(separator: "-")
    }.joined()
  }
}
