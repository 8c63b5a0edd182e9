/** What a byte of ASCII is to the pattern of o200k_base. */
const SIGN = 0
const UPPER = 1
const LOWER = 2
const DIGIT = 3
const BLANK = 4
const LINE_END = 5

const SPACE = 32
const APOSTROPHE = 39
const SLASH = 47
const LOWER_BIT = 0x20

const KINDS = new Uint8Array(256).map((_, byte) => {
  const char = String.fromCharCode(byte)
  if (/[\r\n]/.test(char)) return LINE_END
  if (/\s/.test(char)) return BLANK
  if (/[A-Z]/.test(char)) return UPPER
  if (/[a-z]/.test(char)) return LOWER
  return /[0-9]/.test(char) ? DIGIT : SIGN
})

function kindAt(bytes: Uint8Array, at: number): number {
  const byte = bytes[at] ?? 0
  return KINDS[byte] ?? SIGN
}

/**
 * Characters of `'s`, `'d`, `'m`, `'t`, `'ll`, `'ve` or `'re`, in small letters or capitals; 0 where none of them
 * stands there.
 */
function contraction(bytes: Uint8Array, from: number, to: number): number {
  if (from >= to) return 0
  const first = (bytes[from] ?? 0) | LOWER_BIT
  if (first === 115 || first === 100 || first === 109 || first === 116) return 2
  if (from + 1 >= to) return 0
  const second = (bytes[from + 1] ?? 0) | LOWER_BIT
  return (first === 108 && second === 108) || ((first === 118 || first === 114) && second === 101) ? 3 : 0
}

/** Capitals, small letters, and the end of `don't` or `we'll`. */
function lettersEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from
  while (end < to && kindAt(bytes, end) === UPPER) end++
  while (end < to && kindAt(bytes, end) === LOWER) end++
  return end < to && bytes[end] === APOSTROPHE ? end + contraction(bytes, end + 1, to) : end
}

function signsEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from
  while (end < to && kindAt(bytes, end) === SIGN) end++
  while (end < to && (kindAt(bytes, end) === LINE_END || bytes[end] === SLASH)) end++
  return end
}

function spaceEnd(bytes: Uint8Array, from: number, to: number): number {
  let end = from
  let lastLineEnd = -1
  for (; end < to; end++) {
    const kind = kindAt(bytes, end)
    if (kind === LINE_END) lastLineEnd = end
    else if (kind !== BLANK) break
  }
  if (lastLineEnd >= 0) return lastLineEnd + 1
  return end < to && end - from > 1 ? end - 1 : end
}

/**
 * Where the word of o200k_base that begins at `from` ends, in ASCII text that ends at `to`: what the library's regular
 * expression finds, which tries in this order letters with one character before them, up to three digits, signs with
 * line ends behind them, and white space, of which the last character is left to the word behind it.
 */
export function wordEnd(bytes: Uint8Array, from: number, to: number): number {
  const kind = kindAt(bytes, from)
  if (kind === UPPER || kind === LOWER) return lettersEnd(bytes, from, to)
  if (kind === DIGIT) {
    let end = from + 1
    while (end < to && end < from + 3 && kindAt(bytes, end) === DIGIT) end++
    return end
  }
  const following = from + 1 < to ? kindAt(bytes, from + 1) : LINE_END
  if (kind !== LINE_END && (following === UPPER || following === LOWER)) return lettersEnd(bytes, from + 1, to)
  if (kind === SIGN) return signsEnd(bytes, from + 1, to)
  if (following === SIGN && bytes[from] === SPACE && from + 1 < to) return signsEnd(bytes, from + 1, to)
  return spaceEnd(bytes, from, to)
}
