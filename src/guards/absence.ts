/** Errors about a value that is not there, as runtimes say it. */
const ABSENCE =
  /none\s?type|\bnull\b|undefined|\bnil\b|NullPointer|NullReference|not an object|is not a function|on a None|option::unwrap|unwrap\(\)/i

/** Whether an error is about a value that is not there, as runtimes say it. */
export const isAbsenceError = (error: string): boolean => ABSENCE.test(error)

const EXPRESSION = String.raw`[\w$@]+(?: (?:\.|\? \.|->|\? ->|::|& \.) [\w$]+| \[ [^\]]{1,80} \]){0,8}(?: \( \))?`
const NULL = '(?:None|null|NULL|nil|undefined|nullptr)'
const CALL = String.raw`(?: \?)?(?: \( \))?`
const MORE = ' , [^)]{1,60}'

/** One of several forms, each with an expression for `X`. */
const anyOf = (...forms: string[]): RegExp =>
  new RegExp(`^(?:${forms.map(form => form.replace('X', `(${EXPRESSION})`)).join('|')})$`)

const ABSENT = anyOf(
  `X (?:is|==|===) ${NULL}`,
  `${NULL} (?:==|===) X`,
  `X \\. (?:nil|blank|empty|isNull|is_none|isPresent)${CALL}`,
  '(?:is_null|isNil|isNull|empty|Objects \\. isNull) \\( X \\)',
  '! isset \\( X \\)',
  `typeof X (?:==|===) ['"]undefined['"]`,
  `not hasattr \\( X${MORE}\\)`,
)
const FALSY = anyOf('(?:!|not) X')
const PRESENT = anyOf(
  `X (?:is not|!=|!==) ${NULL}`,
  `(?:isset|hasattr) \\( X(?:${MORE})? \\)`,
  `X \\. (?:present|isPresent|is_some)${CALL}`,
  '! X \\. nil \\?',
)
const TRUTHY = anyOf('X')
const MAX_CHARS = 400

const nameIn = (match: RegExpExecArray | null): string | null =>
  match?.slice(1).find(group => group !== undefined) ?? null

/** The names that a condition tests, where each of its parts has one of some forms; null for any other condition. */
function testedIn(condition: string, forms: readonly RegExp[]): string[] | null {
  if (condition.length > MAX_CHARS) return null
  const names: string[] = []
  for (const part of condition.replace(/^\( (.*) \)$/, '$1').split(/ (?:or|\| \||and|& &) /)) {
    const name = forms.map(form => nameIn(form.exec(part))).find(one => one !== null) ?? null
    if (name === null) return null
    names.push(name)
  }
  return names
}

/**
 * What a condition tests for being missing, where it tests nothing else; null for any other condition.
 *
 * @param isAbsence - Whether the error is about a missing value: only then may a test for truth be one for that.
 */
export const absentNames = (condition: string, isAbsence: boolean): string[] | null =>
  testedIn(condition, isAbsence ? [ABSENT, FALSY] : [ABSENT])

/** What a condition tests for being there; as `absentNames`. */
export const presentNames = (condition: string, isAbsence: boolean): string[] | null =>
  testedIn(condition, isAbsence ? [PRESENT, TRUTHY] : [PRESENT])
