/// The words of a command in its plain form: names and whole option words, nothing abbreviated.
///
/// The parser takes longer than a small sync or a look-up does, so the commands that prompts,
/// completions and cron run all the time understand their plain form without it. Whatever else
/// there is to say is left to the parser.
struct PlainWords {
  private(set) var names: [String] = []
  // Lists, because making sets and dictionaries of texts possible takes longer than using them.
  private(set) var flags: [String] = []
  private var optionNames: [String] = []
  private var optionValues: [String] = []

  /// The value of an option; nil when it was not given.
  subscript(option: String) -> String? {
    optionNames.firstIndex(of: option).map { optionValues[$0] }
  }

  /// - Parameter takesHyphens: whether a word may begin with a hyphen, `-h` and what begins with two
  ///   aside; behind a `--` all may.
  /// - Returns: nil when the words are not the command's plain form.
  init?(
    _ words: ArraySlice<String>, command: String, flags known: [String], options valued: [String],
    takesHyphens: Bool = false
  ) {
    var words = words
    guard words.popFirst() == command else { return nil }
    while let word = words.popFirst() {
      if known.contains(word) {
        flags.append(word)
      } else if valued.contains(word) {
        guard self[word] == nil, let value = words.popFirst(),
          value == "-" || !value.hasPrefix("-")
        else { return nil }
        optionNames.append(word)
        optionValues.append(value)
      } else if takesHyphens, word == "--" {
        names += words
        return
      } else if word.hasPrefix("--") || word == "-h" || (word.hasPrefix("-") && !takesHyphens) {
        return nil
      } else {
        names.append(word)
      }
    }
  }
}
