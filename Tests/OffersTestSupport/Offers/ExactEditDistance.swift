/// The edit distance by its definition, without a limit: the number of insertions,
/// deletions, replacements and swaps of neighbors.
package func exactEditDistance(_ left: [Character], _ right: [Character]) -> Int {
  var table = Array(
    repeating: Array(repeating: 0, count: right.count + 1), count: left.count + 1)
  for row in 0...left.count {
    for column in 0...right.count {
      if row == 0 || column == 0 {
        table[row][column] = row + column
        continue
      }
      let same = left[row - 1] == right[column - 1] ? 0 : 1
      table[row][column] = min(
        table[row - 1][column] + 1, table[row][column - 1] + 1,
        table[row - 1][column - 1] + same)
      if row > 1, column > 1, left[row - 1] == right[column - 2],
        left[row - 2] == right[column - 1]
      {
        table[row][column] = min(table[row][column], table[row - 2][column - 2] + 1)
      }
    }
  }
  return table[left.count][right.count]
}
