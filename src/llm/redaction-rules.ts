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
const SECRET_NAME = '(?:api|access|secret|private|auth|account|signing|encryption|master|subscription)[_-]?key|secret|token|client[_-]?secret|auth|credentials?'

export const RULES: readonly RedactionRule[] = [
  token('aws-key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  token('github-token', '(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})'),
  token('gitlab-token', '(?:glpat|gldt|glrt|glptt|glcbt|glimt|glsoat|glagent|gloas)-[A-Za-z0-9_.-]{20,300}'),
  token('slack-token', String.raw`xox[abeoprs]-[A-Za-z0-9-]{10,255}|xapp-\d-[A-Za-z0-9-]{20,255}`, hasDigit),
  token('slack-webhook', 'https://hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9_/-]{20,200}'),
  token('api-key', 'sk-[A-Za-z0-9_-]{20,300}', looksRandom),
  token('stripe-key', '(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9+/=]{24,255}'),
  token('google-key', 'AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])|ya29\\.[A-Za-z0-9_-]{20,400}'),
  token('npm-token', 'npm_[A-Za-z0-9]{36}(?![A-Za-z0-9])'),
  token('pypi-token', 'pypi-AgE[A-Za-z0-9_-]{50,1000}'),
  token('huggingface-token', 'hf_[A-Za-z0-9]{30,100}', looksRandom),
  token('sendgrid-key', 'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{16,100}'),
  token('digitalocean-token', 'do[opr]_v1_[a-f0-9]{64}'),
  token('telegram-token', '\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])'),
  token('jwt', 'eyJ[A-Za-z0-9_-]{10,8000}\\.eyJ[A-Za-z0-9_-]{10,8000}\\.[A-Za-z0-9_-]{0,2000}'),
  {
    kind: 'aws-secret',
    pattern: new RegExp(`(?<before>aws_?secret_?(?:access_?)?key${GAP}["'\u0060]?)(?<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])`, 'gi')
  },
  {
    kind: 'password',
    pattern: /(?<before>:\/\/[^\s:/@"'`<>]{0,100}:)(?<secret>[^\s/@"'`<>]{1,200})(?<after>@)/g,
    isSecret: isQuotedPassword
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
  return value.length >= 16 && /^[A-Za-z0-9_\-.+/=~:]+$/.test(value) && !isPlaceholder(value) && looksRandom(value) && entropyBits(value) >= 3.2 && hasMixedWord(value)
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
