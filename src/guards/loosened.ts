/** Matchers by how much they say: one that is replaced by a weaker one of these says less. */
const WEAK =
  /^(?:toBeTruthy|toBeFalsy|toBeDefined|toBeUndefined|toBeNull|assertTrue|assertFalse|assertIsNotNone|assertNotNull|assertNotEmpty|isNotNull|NotNull|True|False|IsNotNull|assert_not_nil|be_truthy|be_falsey|NotEmpty|NotNil|assertIn|toContain|assertContains|ok|truthy|toHaveBeenCalled|assert_truthy|isTruthy|exist|IsTrue|any|assertNotEquals?|anything|toMatch|toMatchObject|assertGreater|assertGreaterEqual|assertIsInstance|isinstance|approx)$/
const STRONG =
  /^(?:toBe|toEqual|toStrictEqual|toThrow|toThrowError|assertEqual|assertEquals|assertSame|assert_eq|Equal|equal|same|strictEqual|deepEqual|strictSame|AreEqual|isEqualTo|assert_equal|eq|eql|toHaveBeenCalledWith|toHaveBeenCalledTimes|assertListEqual|assertDictEqual|assertRaises\w*|raises|assertThrows|DeepEqual|Throws|toMatchSnapshot|assert_called_with|assert_called_once_with|is)$/
const LITERAL = /^(?:-?\d[\w.]*|[rbfu]*["'`][\s\S]*["'`]|true|false|True|False|None|null|nil|undefined)$/
const TOLERANCE =
  /^(?:places|delta|rel|abs|atol|rtol|eps\w*|tolerance|rel_tol|abs_tol|toBeCloseTo|assertInDelta|within|assert_in_delta|be_within|InDelta|assertAlmostEqual)$/
/** They say more the bigger they are: digits that agree. */
const DIGITS = /^(?:places|toBeCloseTo|assertAlmostEqual)$/

const wordsOf = (text: string): string[] => text.split(' ')

/** The last matcher of an assertion that is known to say much or little. */
const matcherOf = (words: readonly string[]): string | undefined =>
  words.findLast(word => STRONG.test(word) || WEAK.test(word))

/** `==` between two sides says all, `in` and truth say less. */
function bareStrength(text: string): 'equal' | 'other' {
  return / (?:==|===) /.test(text) ? 'equal' : 'other'
}

function isWeaker(old: readonly string[], now: readonly string[]): boolean {
  const [before, after] = [matcherOf(old), matcherOf(now)]
  if (before !== undefined && after !== undefined) return STRONG.test(before) && WEAK.test(after)
  const isPlain = old[0] === 'assert' || old[0] === 'if'
  return isPlain && bareStrength(old.join(' ')) === 'equal' && bareStrength(now.join(' ')) === 'other'
}

const numberAt = (words: readonly string[], from: number): number => {
  const number = words.slice(from).findLast(word => /^[\d._]+(?:e-?\d+)?f?$/i.test(word))
  return number === undefined ? NaN : Number.parseFloat(number.replaceAll('_', ''))
}

function isTolerant(old: readonly string[], now: readonly string[]): boolean {
  const at = now.findIndex(word => TOLERANCE.test(word))
  const name = now[at] ?? ''
  const before = old.indexOf(name)
  if (at === -1) return false
  if (before === -1) return old.join(' ').includes('==') // it was exact
  const [then, later] = [numberAt(old, before), numberAt(now, at)]
  return DIGITS.test(name) ? later < then : later > then
}

/** Whether only constants differ between two texts. */
function differsInConstants(old: readonly string[], now: readonly string[]): boolean {
  if (old.length !== now.length) return false
  const different = [...old.keys()].filter(index => old[index] !== now[index])
  const isLiteral = (words: readonly string[], index: number): boolean => LITERAL.test(words[index] ?? '')
  return different.length > 0 && different.every(index => isLiteral(old, index) && isLiteral(now, index))
}

/** What is said of an assertion that is as strict as before, about something else. */
export const OTHER_VALUE = 'expects another value than before'

/** What an assertion gave up when it was changed, as the end of a sentence; null for nothing. */
export function loosened(before: string, after: string): string | null {
  const [old, now] = [wordsOf(before), wordsOf(after)]
  if (isTolerant(old, now)) return 'allows more tolerance'
  if (isWeaker(old, now)) return 'says less than before'
  return differsInConstants(old, now) ? OTHER_VALUE : null
}
