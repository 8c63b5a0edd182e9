import { TOKEN_FORMS } from './token-forms.ts'

/**
 * One way in which secrets look. `secret` is what goes; `before` and `after` stay. Every pattern is linear: it starts at a literal or
 * at the border of a run, its parts do not overlap, and its repeats are bounded or end with the run.
 */
interface RedactionRule {
  kind: string
  pattern: RegExp
  isSecret?: (value: string) => boolean
}

const START = '(?<![A-Za-z0-9_+/-])' // not inside a longer word or a base64 run
const token = (kind: string, form: string, isSecret?: (value: string) => boolean): RedactionRule =>
  ({ kind, pattern: new RegExp(`${START}(?<secret>${form})`, 'g'), isSecret })

const GAP = String.raw`["'\u0060]?[ \t]{0,10}(?:=>|:=|==|=|:)[ \t]{0,10}` // between a name and its value
const quoted = (chars: string) => `(?<before>(?:${chars})${GAP}["'\u0060])(?<secret>[^"'\u0060\\r\\n]{4,400})(?<after>["'\u0060])`
const BARE = '[^\\s"\'\u0060,;&(){}\\[\\]<>]'
// A value that goes on, or that is called or indexed, is an expression.
const bare = (chars: string) => `(?<before>(?:${chars})${GAP})(?<secret>${BARE}{6,400})(?!${BARE}|[(\\[])`

const PASSWORD = String.raw`(?:password|passwd|passphrase|pwd)\d{0,2}`
const SECRET_NAME = '(?:api|access|secret|private|auth|account|signing|encryption|master|subscription)[_-]?key(?:[_-]?base)?|secret|token|client[_-]?secret|auth|credentials?|(?:php|j)?session[_-]?(?:id)?|(?:php|j)?sessid|connect\\.sid'

export const RULES: readonly RedactionRule[] = [
  ...TOKEN_FORMS.map(([kind, form, test]) => token(kind, form, test === 'random' ? looksRandom : test === 'digit' ? hasDigit : undefined)),
  {
    kind: 'aws-secret',
    pattern: new RegExp(`(?<before>aws_?secret_?(?:access_?)?key${GAP}["'\u0060]?)(?<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])`, 'gi')
  },
  {
    // What databases and queues are addressed by: here even a slash is more likely the password's than a path's.
    kind: 'password',
    pattern: /(?<before>\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|amqps?|rediss?|mssql|sqlserver|clickhouse|ldaps?|smtps?|ftps?):\/\/[^\s:/@"'`<>]{0,100}:)(?<secret>[^\s"'`<>]{1,200})(?<after>@)/g,
    isSecret: isQuotedPassword
  },
  {
    kind: 'password',
    pattern: /(?<before>:\/\/[^\s:/@"'`<>]{0,100}:)(?<secret>[^\s/"'`<>]{1,200})(?<after>@)/g, // to the last @: some passwords hold one
    isSecret: isQuotedPassword
  },
  { kind: 'password', pattern: /(?<before>jdbc:oracle:(?:thin|oci):[^\s/@"'`]{1,60}\/)(?<secret>[^\s@"'`]{1,100})(?<after>@)/gi, isSecret: isQuotedPassword },
  { kind: 'password', pattern: /(?<before>\b(?:password|pwd)[ \t]?=[ \t]?\{)(?<secret>[^{}\r\n]{3,200})(?<after>\})/gi, isSecret: isBarePassword },
  { kind: 'password', pattern: /(?<before>\blogin[ \t]{1,5}[^\s"'`]{1,100}\s{1,5}password[ \t]{1,5})(?<secret>[^\s"'`]{4,200})/g, isSecret: isBarePassword },
  { kind: 'password', pattern: /(?<before>\s(?:-u|--user)[ =]["'`]?[^\s:"'`]{1,100}:)(?<secret>[^\s"'`]{4,200})/g, isSecret: isBarePassword },
  { kind: 'signature', pattern: /(?<before>[?&](?:sig|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=)(?<secret>[A-Za-z0-9%+/=_-]{20,2000})/g, isSecret: looksRandom },
  { kind: 'private-key', pattern: /(?<before>"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,5}:[ \t]{0,5}")(?<secret>[A-Za-z0-9_-]{40,2000})(?<after>")/g, isSecret: looksRandom },
  {
    kind: 'authorization',
    pattern: /(?<before>\bauthorization["'`]?[ \t]{0,5}[:=][ \t]{0,5}["'`]?[A-Za-z][A-Za-z-]{1,20}[ \t]{1,3})(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    isSecret: looksRandom
  },
  {
    kind: 'authorization',
    pattern: /(?<before>\b(?:bearer|basic)[ \t]{1,3})(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    isSecret: looksRandom
  },
  { kind: 'password', pattern: new RegExp(quoted(PASSWORD), 'gi'), isSecret: isQuotedPassword },
  { kind: 'password', pattern: new RegExp(bare(PASSWORD), 'gi'), isSecret: isBarePassword },
  { kind: 'secret', pattern: new RegExp(quoted(SECRET_NAME), 'gi'), isSecret: isRandomValue },
  { kind: 'secret', pattern: new RegExp(bare(SECRET_NAME), 'gi'), isSecret: value => !isExpression(value) && isRandomValue(value) },
]

function hasDigit (value: string): boolean {
  return /\d/.test(value)
}

/** Digits and letters mixed as chance mixes them; words joined by hyphens or underscores are not. */
function looksRandom (value: string): boolean {
  return hasDigit(value) && /[A-Za-z]/.test(value) && entropyBits(value) >= 3
}

/** Whether a value only stands for a secret: a variable, a template slot, stars, or a replacement of ours. */
function isPlaceholder (value: string): boolean {
  return /^(?:[$%<[{]|\*{2,}|x{3,}$|\.{3})/i.test(value) || value.includes('${') || value.includes('{{')
}

const NO_PASSWORDS = new Set([
  'pass', 'password', 'passwd', 'passphrase', 'string', 'text', 'true', 'false', 'null', 'none', 'undefined', 'required', 'optional', 'hidden', 'input', 'invalid'
])

function isQuotedPassword (value: string): boolean {
  return !isPlaceholder(value) && !/\s|^\.{0,2}\//.test(value) && !NO_PASSWORDS.has(value.toLowerCase())
}

/** Without quotes a password in a .env file and a variable in code look alike: only a value with a digit or a sign that names lack counts. */
function isBarePassword (value: string): boolean {
  return isQuotedPassword(value) && !PROPERTY.test(value) && /[\d!@#%^*~]/.test(value) && /[A-Za-z]/.test(value)
}

const PROPERTY = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/

/** A value without quotes that reads as code: a property, or a name with a word in it or with less than two groups of digits. */
function isExpression (value: string): boolean {
  if (PROPERTY.test(value)) return true
  return /^[A-Za-z_$][\w$]*$/.test(value) && (/[a-z]{7}/.test(value) || value.split(/\d+/).length < 3)
}

/** A value of 16 characters or more that nobody would choose as a name. */
function isRandomValue (value: string): boolean {
  return value.length >= 16 && /^[A-Za-z0-9_\-.+/=~:!@#$%^&*()]+$/.test(value) && !value.includes('://') && !isPlaceholder(value) && looksRandom(value) && entropyBits(value) >= 3.2 && hasMixedWord(value)
}

/** At least one part between signs has both digits and letters and 8 characters or more: `v1.2.3-beta-release` has none. */
function hasMixedWord (value: string): boolean {
  return value.split(/[^A-Za-z0-9]+/).some(word => word.length >= 8 && /\d/.test(word) && /[A-Za-z]/.test(word))
}

/** Shannon entropy per character, in bits. */
function entropyBits (value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= count / value.length * Math.log2(count / value.length)
  return bits
}
