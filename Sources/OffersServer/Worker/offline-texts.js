// Texts as the server writes, compares and links them.

/** Encodes a text as a path segment or a value of a query, exactly as the server encodes it. */
function encodeRef(text) {
  const name = encodeURIComponent(text).replace(/%3A/g, ":");
  return name.replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** A path with a query; fields that are null are left out. */
function pathWith(path, fields) {
  const query = fields.filter(([, value]) => value != null)
    .map(([name, value]) => `${name}=${encodeRef(value)}`);
  return query.length > 0 ? `${path}?${query.join("&")}` : path;
}

/** A number with separators, such as `12,000`. */
const numberText = (number) => number.toLocaleString("en-US");

/** A number and its noun, given as the noun for one and the noun for several. */
function countText(number, [one, several] = ["offer", "offers"]) {
  return `${numberText(number)} ${number === 1 ? one : several}`;
}

const pairs = {
  "ß": "ss", "æ": "ae", "œ": "oe", "þ": "th", "ø": "o", "đ": "d", "ð": "d", "ħ": "h", "ł": "l",
  "ŧ": "t", "ı": "i", "ς": "σ",
};

/** A text without case, accents and signs such as ®, by which names are compared and searched. */
function fold(text) {
  return text.normalize("NFKD").replace(/[\p{Mn}\p{Me}\p{Cf}\p{Cc}®™©℠℗]/gu, "").toLowerCase()
    .replace(/[ßæœþøđðħłŧıς]/g, (letter) => pairs[letter])
    .replace(/[‘’‚‛′]/g, "'").replace(/[“”„‟″]/g, '"')
    .replace(/\p{Pd}/gu, "-").replace(/\p{Z}/gu, " ");
}

/** Compares folded texts; digits compare by their numeric value. */
function compareFolded(one, other) {
  const [left, right] = [one, other].map((text) => text.match(/\d+|\D/gu) ?? []);
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const [a, b] = [left[index], right[index]];
    if (a === b) continue;
    if (/^\d/.test(a) && /^\d/.test(b)) {
      const [x, y] = [a, b].map((digits) => digits.replace(/^0+(?=.)/, ""));
      if (x === y) continue;
      return x.length - y.length || (x < y ? -1 : 1);
    }
    return a.codePointAt(0) - b.codePointAt(0);
  }
  return left.length - right.length;
}

/** Compares texts by their Unicode scalars, whose order differs from that of UTF-16. */
function compareScalars(one, other) {
  const [left, right] = [[...one], [...other]];
  const index = left.findIndex((letter, place) => letter !== right[place]);
  if (index < 0) return left.length - right.length;
  return index < right.length ? left[index].codePointAt(0) - right[index].codePointAt(0) : 1;
}

/** The words of a text: {word, start, end}, folded. */
function wordsOf(text) {
  return [...text.matchAll(/[\p{L}\p{N}\p{M}\p{Co}]+/gu)].map((match) => ({
    word: fold(match[0]), start: match.index, end: match.index + match[0].length,
  }));
}

/**
 * Splits a text at its matches, ascending {start, end}, so that the template can mark them. An
 * excerpt of a long text begins shortly before the first match.
 */
function markedParts(text, matches, isExcerpt = false) {
  let start = 0;
  let end = text.length;
  if (isExcerpt) {
    const first = matches[0]?.start ?? 0;
    if (first > 90) {
      start = first - 45;
      while (start < first && !/\s/.test(text[start])) start += 1;
    }
    end = Math.min(end, start + 400);
  }
  const parts = [];
  const add = (low, high, isMarked) => {
    if (low < high) parts.push({text: text.slice(low, high), isMarked});
  };
  if (start > 0) parts.push({text: "… "});
  let place = start;
  for (const match of matches) {
    const [low, high] = [Math.max(place, match.start), Math.min(end, match.end)];
    if (low >= high) continue;
    add(place, low, false);
    add(low, high, true);
    place = high;
  }
  add(Math.min(place, end), end, false);
  if (end < text.length) parts.push({text: " …"});
  return parts;
}
