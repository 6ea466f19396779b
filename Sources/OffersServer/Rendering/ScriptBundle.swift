import OffersCore

/// The scripts that every page imports, in one file, because each request costs a round trip, and each level of
/// imports another.
///
/// Every script becomes a function that runs once, behind those that it imports, and returns what the script exports.
/// Under its own name a script is served that exports the same, for scripts that are loaded later; one that exports
/// nothing is served as it is.
///
/// The scripts are written so that lines can be read by themselves: an import is one line, an export begins one, and
/// none imports itself by way of others.
struct ScriptBundle {
  /// The served texts by the names of the files.
  private(set) var files: [String: String] = [:]

  private let entry: String
  private let find: (String) -> String?
  private var text = ""
  private var read: Set<String> = []
  private var shared: [String] = []

  /// - Parameters:
  ///   - entry: the name of the script that imports the others, such as `app.js`.
  ///   - find: finds the text of a script by its name.
  init(_ entry: String, find: @escaping (String) -> String?) {
    self.entry = entry
    self.find = find
    add(entry)
    files[entry] = text + "export {\(shared.joined(separator: ", "))};\n"
  }

  private mutating func add(_ name: String) {
    guard read.insert(name).inserted, let source = find(name) else { return }
    var body: [String] = []
    var exports: [String] = []
    for line in source.split(scalar: "\n", omittingEmptySubsequences: false).map(String.init) {
      if let imported = Self.imported(line) {
        add(imported)
        if let names = Self.names(line) {
          let pattern = names.replacing(bytes: " as ", with: ": ")
          body.append("const \(pattern) = \(Self.variable(imported));")
        }
      } else if line.hasPrefix("export ") {
        let rest = String(line.dropFirst("export ".count))
        exports += Self.declared(rest)
        body.append(rest)
      } else {
        body.append(line)
      }
    }
    let (variable, names) = (Self.variable(name), exports.joined(separator: ", "))
    let start = exports.isEmpty ? "" : "const \(variable) = "
    text += "\(start)(() => {\n\(body.joined(separator: "\n"))\nreturn {\(names)};\n})();\n"
    if name == entry || exports.isEmpty { return }
    shared.append(variable)
    files[name] = """
      import {\(variable)} from "./\(entry)?v=__VERSION__";
      export const {\(names)} = \(variable);

      """
  }

  /// The name of the script that a line imports; nil for any other line.
  private static func imported(_ line: String) -> String? {
    guard line.hasPrefix("import "), let start = line.firstRange(of: "\"./")?.upperBound,
      let end = line.firstRange(of: "?v=__VERSION__\";")?.lowerBound
    else { return nil }
    return String(line[start..<end])
  }

  /// The names in the braces of a line, with the braces; nil without them.
  private static func names(_ line: String) -> String? {
    guard let start = line.firstIndex(of: "{"), let end = line.firstIndex(of: "}") else {
      return nil
    }
    return String(line[start...end])
  }

  /// The names that a declaration declares, such as `send` of `async function send(…)`, and both of
  /// `const {one, other} = …`.
  private static func declared(_ declaration: String) -> [String] {
    if declaration.hasPrefix("const {"), let names = names(declaration) {
      return names.dropFirst().dropLast().split(scalar: ",").map {
        String($0.drop(while: \.isWhitespace))
      }
    }
    let words = declaration.split(scalar: " ").first {
      !["async", "function", "const", "class"].contains($0)
    }
    return [String((words ?? "").prefix { $0.isLetter || $0.isNumber || $0 == "_" })]
  }

  private static func variable(_ name: String) -> String {
    "$" + String(name.dropLast(".js".count)).replacing(bytes: "-", with: "_")
  }
}
