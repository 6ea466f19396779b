import Testing

@testable import OffersServer

@Suite("QR codes")
struct QRCodeTests {
  private static let url = "http://192.168.178.123:8080/pair?code=K7QM2XPD"

  private static func rows(of code: QRCode) -> [[Bool]] {
    (0..<code.size).map { row in (0..<code.size).map { code.isDark($0, row) } }
  }

  @Test("a code has the three marks of a QR code, and a light margin of four modules")
  func hasMarks() throws {
    let code = try #require(QRCode(Self.url))
    #expect(code.size == 33)
    #expect(code.width == 41)
    let mark = ["#######", "#.....#", "#.###.#", "#.###.#", "#.###.#", "#.....#", "#######"]
    for (left, top) in [(0, 0), (26, 0), (0, 26)] {
      for (y, row) in mark.enumerated() {
        for (x, sign) in row.enumerated() {
          #expect(code.isDark(left + x, top + y) == (sign == "#"))
        }
      }
    }
    #expect(!code.isDark(-1, 0) && !code.isDark(0, -1) && !code.isDark(33, 0))
  }

  @Test("the path of the drawing has exactly the dark modules")
  func drawsPath() throws {
    let code = try #require(QRCode(Self.url))
    var drawn = Array(repeating: Array(repeating: false, count: code.size), count: code.size)
    for part in code.path.split(separator: "M") {
      let numbers = part.split { !$0.isNumber }.compactMap { Int($0) }
      #expect(numbers.count == 5 && numbers[2] == numbers[4] && numbers[3] == 1)
      #expect(part.hasSuffix("z"))
      for x in numbers[0]..<numbers[0] + numbers[2] { drawn[numbers[1] - 4][x - 4] = true }
    }
    #expect(drawn == Self.rows(of: code))
  }

  @Test("the lines for a terminal have exactly the dark modules")
  func drawsLines() throws {
    let code = try #require(QRCode(Self.url))
    var drawn: [[Bool]] = []
    for blocks in code.blockLines {
      #expect(blocks.count == code.width)
      drawn.append(blocks.map { $0 == "█" || $0 == "▀" })
      drawn.append(blocks.map { $0 == "█" || $0 == "▄" })
    }
    let inner = drawn[4..<37].map { Array($0[4..<37]) }
    #expect(inner == Self.rows(of: code))
    #expect(drawn.flatMap(\.self).count { $0 } == inner.flatMap(\.self).count { $0 })
  }

  @Test("a text that gives no readable code has none")
  func refuses() {
    #expect(QRCode("") == nil)
    #expect(QRCode(String(repeating: "a", count: 301)) == nil)
    #expect(QRCode(String(repeating: "a", count: 300)) != nil)
  }
}
