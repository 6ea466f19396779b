import OffersFeeds
import Testing

@Suite("HTML as plain text")
struct HTMLTextTests {
  static func text(_ html: String) -> String {
    var html = html
    var out: [UInt8] = []
    html.withUTF8 { HTMLText.append(UnsafeRawBufferPointer($0), to: &out) }
    return String(decoding: out, as: UTF8.self)
  }

  static let lines: [(html: String, text: String)] = [
    ("", ""), ("plain", "plain"), ("  a \t\r\n b  ", "a b"), ("a<br>b", "a\nb"),
    ("a<br/>b<BR />c", "a\nb\nc"), ("a<br><br>b", "a\n\nb"), ("a<br><br><br><br>b", "a\n\nb"),
    ("a <br> b", "a\nb"), ("<p>a</p><p>b</p>", "a\n\nb"), ("a<p>b", "a\n\nb"),
    ("<p>a<br></p>b", "a\n\nb"), ("<div>a</div><div>b</div>", "a\nb"),
    ("a<div>b</div>c", "a\nb\nc"),
    ("<div><div><div>a</div></div></div>b", "a\nb"), ("<h1>T</h1>b", "T\n\nb"),
    ("<h6>T</h6>b", "T\n\nb"), ("<h7>T</h7>b", "Tb"), ("<blockquote>q</blockquote>b", "q\n\nb"),
    ("<section>a</section><article>b</article><header>c</header><footer>d</footer>", "a\nb\nc\nd"),
    ("<dl><dt>a</dt><dd>b</dd></dl>", "a\nb"), ("<pre>a  b</pre>c", "a b\n\nc"),
    ("x<ul><li>a</li><li>b</li></ul>y", "x\n\n• a\n• b\n\ny"),
    ("<ol><li>a<li>b</ol>", "• a\n• b"), ("<ul>\n<li> a </li>\n<li>\nb</li>\n</ul>", "• a\n• b"),
    ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>d", "• a\n• b\n• c\n\nd"),
    ("<ul><li><p>a</p></li></ul>", "• a"), ("<ul><li></li><li>a</li></ul>", "• a"),
    ("<ul><li></ul>a", "a"), ("a<li></li>", "a"), ("</ul></ul><ul><li>a</ul>b", "• a\n\nb"),
    ("<table><tr><th>a</th><td>b</td></tr><tr><td>c<td>d</tr></table>e", "a b\nc d\n\ne"),
    ("a<td></td><td></td>b", "a b"), ("<p></p><p> </p>a<p></p>", "a"),
    ("a<p>&nbsp;</p><p>\u{A0}</p>b", "a\n\nb"), ("&nbsp;a&nbsp; b", "\u{A0}a\u{A0} b"),
    ("<b>a</b><i>b</i> <em>c</em>", "ab c"), ("a <b> b</b>", "a b"),
    ("<a href=\"x\">go</a> now", "go now"), ("a<img src=x alt=\"pic\">b", "ab"),
    ("a<custom-tag x>b</custom-tag>", "ab"), ("a<o:p>b</o:p>", "ab"),
  ]

  @Test("blocks become lines, and whitespace collapses to one space", arguments: lines)
  func laysOut(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  static let dropped: [(html: String, text: String)] = [
    ("a<script>if (x<b) y('</p>')</script>b", "ab"), ("a<SCRIPT type=x>z</Script >b", "ab"),
    ("a<style>p{}</style>b", "ab"), ("a<style>p{}</styles></style>b", "ab"),
    ("<head><title>T &amp; <b></title></head>a", "a"), ("a<script>b", "a"), ("a<style>b", "a"),
    ("a<title>b", "ab"), ("a<script/>b", "ab"), ("a<script src=x/>y</script>b", "ab"),
    ("a</script>b", "ab"), ("a<!-- b -->c", "ac"), ("a<!-- <p> > -- -->c", "ac"),
    ("a<!---->b", "ab"),
    ("a<!-->b", "ab"), ("a<!--->b", "ab"), ("a<!--x--!>b", "ab"), ("a<!--b", "a"),
    ("a<!--b--", "a"),
    ("a<!DOCTYPE html>b", "ab"), ("a<?xml version='1.0'?>b", "ab"), ("a</>b", "ab"),
    ("a</ x>b", "ab"),
    ("a<scripts>b</scripts>", "ab"),
  ]

  @Test("scripts, styles, titles, comments and declarations are not text", arguments: dropped)
  func drops(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  static let broken: [(html: String, text: String)] = [
    ("a < b > c", "a < b > c"), ("5 <6", "5 <6"), ("<", "<"), ("a<", "a<"), ("<3 it", "<3 it"),
    ("<é>", "<é>"), ("a<b", "a<b"), ("a<b href=\"x", "a<b href=\"x"), ("a</b", "a</b"),
    ("a<!b", "a<!b"), ("a<?b", "a<?b"), ("a</", "a</"), ("a<!", "a<!"), ("a<!-", "a<!-"),
    ("a<b title=\"x > y\">c", "ac"), ("a<b title='x > y'>c", "ac"), ("a<b title = '>' >c", "ac"),
    ("a<b title=\"it's\">c", "ac"), ("a<b don't>c", "ac"), ("a<b \">c", "ac"),
    ("a<p title=5\">c", "a\n\nc"),
    ("a<b title=\"x>c", "ac"), ("a<b title=\">c</b> d<i>e</i>", "ac de"), ("<<b>c", "<c"),
    ("a<b<i>c", "ac"), ("a<b\n>c", "ac"), ("a>b", "a>b"), ("a\u{0}b", "a\u{FFFD}b"),
  ]

  @Test("malformed HTML loses none of the text after it", arguments: broken)
  func readsBrokenHTML(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  static let references: [(html: String, text: String)] = [
    ("a &amp; b", "a & b"), ("&lt;p&gt;", "<p>"), ("&quot;a&apos;", "\"a'"),
    ("a&nbsp;b", "a\u{A0}b"),
    ("&eacute;&Eacute;&thetasym;", "éÉϑ"), ("&euro;5 &hellip;", "€5 …"), ("&amp;lt;", "&lt;"),
    ("A&amp B", "A& B"), ("&lt", "<"), ("x&gt.", "x>."), ("&quot-", "\"-"),
    ("a&nbsp b", "a\u{A0} b"),
    ("&copy 1 &reg", "© 1 ®"), ("?a=1&copy=2&region=3&ampx", "?a=1&copy=2&region=3&ampx"),
    ("&eacute x", "&eacute x"), ("&bogus; &; & &", "&bogus; &; & &"), ("AT&T", "AT&T"),
    ("&AMP;", "&"), ("&#65;&#x42;&#X63;", "ABc"), ("&#65 &#x42.", "A B."), ("&#8217;", "’"),
    ("&#128;&#130;&#153;&#159;&#x80;", "€‚™Ÿ€"), ("&#129;", "\u{81}"), ("&#160;x", "\u{A0}x"),
    ("&#0;&#xD800;&#xDFFF;&#x110000;", "\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}"),
    ("&#99999999999999999999999;&#xFFFFFFFFFFFFFFFFF;", "\u{FFFD}\u{FFFD}"),
    ("&#x10FFFF;&#128512;", "\u{10FFFF}😀"), ("&#; &#x; &#xg; &#", "&#; &#x; &#xg; &#"),
    ("a&#32;&#10; &#9;b&#13;", "a b"), ("&#60;b&#62;", "<b>"), ("&#-5;", "&#-5;"),
  ]

  @Test("named and numeric references are decoded as in browsers", arguments: references)
  func readsReferences(html: String, text: String) {
    #expect(Self.text(html) == text)
  }

  @Test("text is appended to the output without a leading gap")
  func appends() {
    var out = Array("x: ".utf8)
    Array("<p>a</p>".utf8).withUnsafeBytes { HTMLText.append($0, to: &out) }
    #expect(String(decoding: out, as: UTF8.self) == "x: a")
  }
}
