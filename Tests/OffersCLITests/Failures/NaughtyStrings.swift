/// At least 500 distinct texts that often break programs: syntax of shells, queries, formats,
/// terminals, paths and numbers, and unusual Unicode.
enum NaughtyStrings {
  static let all: [String] = {
    var seen: Set<[UInt8]> = []
    return (alone + wrapped).filter { seen.insert(Array($0.utf8)).inserted }
  }()

  /// Texts that are used as they are.
  private static let alone: [String] =
    words + (0..<0x20).map { "a\(Character(Unicode.Scalar(UInt8($0))))b" }
    + [
      0x7F, 0x80, 0x85, 0x9B, 0x9F, 0xA0, 0xAD, 0x34F, 0x61C, 0x115F, 0x180E, 0x200B, 0x200D,
      0x200E,
      0x200F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2060, 0x2066, 0x2069, 0x3000, 0xFEFF, 0xFFF9,
      0xFFFD,
      0xFFFF, 0x1D173, 0x1F1E9, 0x1F3FB, 0xE0001, 0xE0041, 0xF0000, 0x10FFFF,
    ].compactMap { Unicode.Scalar(UInt32($0)).map { "a\(Character($0))b" } }
    + [
      String(repeating: "x", count: 10_000), String(repeating: "x ", count: 500),
      String(repeating: "\u{301}", count: 300), "e" + String(repeating: "\u{302}", count: 200),
      String(repeating: "(", count: 500), String(repeating: "\"", count: 501),
      String(repeating: "🙂", count: 300), "👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪🇫", "Ｆｕｌｌ ｗｉｄｔｈ", "ﷺ", "ǆ ǅ Ǆ", "ẞß ſs", "İi̇ıI",
      "שלום \u{202E}עולם", "مرحبا ١٢٣", "ภาษาไทย", "日本語テキスト", "한국어", "हिन्दी", "Ελληνικά ς σ",
      "ЁёЙй", "cafe\u{301} café", "N\u{303}andu Ñandú", "Å\u{212B}A\u{30A}", "ﬁ ﬂ ﬃ", "½ ⅓ ²",
      "™®©℠",
    ]

  private static let words = [
    "'", "\"", "''", "\"\"", "'\"'", "`", "``", "\\", "\\\\", "\\'", "\\\"", "\\n", "\\u0000", "%",
    "%%",
    "%s", "%n%n%n", "%00", "%2e%2e%2f", "_", "*", "**", "?", ".", "..", "...", "../../etc/passwd",
    "/",
    "//", "/dev/null", "C:\\x", "~", "~root", "$", "$HOME", "${HOME}", "$(id)", "`id`", "&", "&&",
    "|",
    "||", ";", "; ls", "> x", "< x", "!", "!!", "!1", "1!", "99!", "#", "# x", "@", "^", "+", "++",
    "C++",
    "C#", "-", "--", "---", "-1", "-x", "--help", "--version", "--json", "--limit", "-h", "=", "==",
    "=1+1", "=cmd|' /C calc'!A0", "+1", "@SUM(1)", "(", ")", "()", "[", "]", "[]", "{", "}", "{}",
    "<", ">",
    "<>", "<b>", "</b>", "<script>alert(1)</script>", "<!--", "-->", "]]>", "<![CDATA[", "&amp;",
    "&#0;",
    "&lt;", "{{7*7}}", "${7*7}", "#{7*7}", "<%= 7 %>", "null", "NULL", "nil", "undefined", "true",
    "false",
    "NaN", "nan", "Infinity", "-Infinity", "0", "-0", "00", "0x10", "1e309", "1E-400", "1_000",
    "1,000",
    "1.0", "1.", ".1", "1/0", "9223372036854775807", "9223372036854775808", "-9223372036854775809",
    "99999999999999999999999999", "0.1e", "1 2", "AND", "OR", "NOT", "NEAR", "NEAR(a b)", "a AND",
    "OR b",
    "a NOT b", "a*", "*a", "\"a", "a\"", "a:b", "name:a", "name : a", "^a", "a^", "a - b",
    "{a b}:c", "- a",
    "a+b", "a OR b AND", "NEAR/2", "'; DROP TABLE offer;--", "1' OR '1'='1", "\" OR \"\"=\"",
    "x'00'",
    "?1", ":a", "@a", "$a", "a;b", "a,b", "a|b", "a\u{2013}b", "a\u{2019}b", "it's",
    "rock 'n' roll",
    "O’Brien", "12 oz.", "5%", "$1.50", "€1,50", "1–2", "a/b", "a\\b", "a\tb", "a  b", " a", "a ",
    " ",
    "  ", "a\u{A0}b", "aux", "con", "nul", "feed:1", "ibotta:", ":1", "ibotta::1", "http://x",
    "javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "a@b.c", "\u{1B}[31m",
    "\u{1B}]0;x\u{7}",
    "\u{9B}31m", "\u{1B}c", "\u{1B}[2J", "\u{1B}P", "\r", "\n", "\r\n", "a\rb", "a\nb", "\u{8}",
    "\u{7F}",
    "\u{0}", "a\u{0}b", "\u{FEFF}", "☕", "🙂", "🇩🇪", "1️⃣", "❤️", "❤", "e\u{301}", "\u{301}", "ﾀﾃ", "Ω",
    "µ", "μ",
  ]

  private static let wrapped: [String] = {
    let inner = [
      "", "a", "tea jam", "é", "🙂", "\u{1B}[1m", "\u{202E}x", "%s", "1.5", "ß", "\u{301}",
    ]
    let around = [
      ("'", "'"), ("\"", "\""), ("(", ")"), ("[", "]"), ("{", "}"), ("<", ">"), ("*", "*"),
      ("-", "-"),
      ("--", ""), ("$(", ")"), ("`", "`"), ("\\", "\\"), ("/", "/"), ("#", "#"), ("%", "%"),
      ("&", ";"),
      ("\u{2068}", "\u{2069}"), ("“", "”"), ("«", "»"), ("\t", "\t"), ("\n", "\n"), ("^", "$"),
    ]
    return around.flatMap { before, after in inner.map { before + $0 + after } }
  }()
}
