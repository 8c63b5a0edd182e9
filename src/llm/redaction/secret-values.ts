/** What tells a secret from code and prose, by its value alone. */

export function hasDigit(value: string): boolean {
  return /\d/.test(value)
}

/** Shannon entropy per character, in bits. */
function entropyBits(value: string): number {
  const counts = new Map<string, number>()
  for (const char of value) counts.set(char, (counts.get(char) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length)
  return bits
}

/** Digits and letters mixed as chance mixes them; words joined by hyphens or underscores are not. */
export function looksRandom(value: string): boolean {
  return hasDigit(value) && /[A-Za-z]/.test(value) && entropyBits(value) >= 3
}

/** Whether a value only stands for a secret: a variable, a template slot, stars, or a replacement of ours. */
function isPlaceholder(value: string): boolean {
  return (
    /^(?:[$%<[{]|\*{2,}|x{3,}$|\.{3})/i.test(value) ||
    value.includes('${') ||
    value.includes('{{') ||
    value.includes('$(')
  )
}

const NO_PASSWORDS = new Set([
  'pass',
  'password',
  'passwd',
  'passphrase',
  'string',
  'text',
  'true',
  'false',
  'null',
  'none',
  'undefined',
  'required',
  'optional',
  'hidden',
  'input',
  'invalid',
  'yourpassword',
  'your_password',
  'your-password',
])

/** A version of a package that is named after passwords, an option of a program, rules of a validator. */
const NO_PASSWORD = /^[~^]?\d+(?:\.\d+){1,3}(?:-[\w.]{1,30})?$|^--|^[a-z_]+(?:\|[a-z_]+(?::\d+)?)+$/

/** A password between quotes or in a place where only one can stand. */
export function isQuotedPassword(value: string): boolean {
  return (
    !isPlaceholder(value) &&
    !/\s|^\.{0,2}\//.test(value) &&
    !NO_PASSWORD.test(value) &&
    !NO_PASSWORDS.has(value.toLowerCase())
  )
}

/** Brackets stand in a pattern of addresses (`user[:pass]@host`), and are escaped in an address. */
export const isPasswordInUrl = (value: string): boolean => isQuotedPassword(value) && !/[[\]]/.test(value)

const PROPERTY = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/

/**
 * Without quotes a password in a .env file and a variable in code look alike: only a value with a digit or a sign that
 * names lack counts.
 */
export function isBarePassword(value: string): boolean {
  return (
    isQuotedPassword(value) &&
    !PROPERTY.test(value) &&
    !/^![a-z]|:$/.test(value) &&
    /[\d!@#%^*~]/.test(value) &&
    /[A-Za-z]/.test(value)
  )
}

/** Words of labels, hints and messages, which stand between quotes after `password`, too. */
const LABEL_WORDS = new Set(
  `are be cannot change changed characters choose confirm confirmation contain contains could current does empty
  enter entered error expired fail failed field forgot forgotten generate hide incorrect invalid is least
  length letters match matches minimum missing mot must new not old only optional passe password passwords
  passphrase please provide provided repeat required reset retype same set should show than the type user
  username valid value was will with wrong you your`.split(/\s+/),
)
const MAX_PASSPHRASE_WORDS = 12

/** A password of several words: not what reads as a label or a message, nor what begins as a sentence does. */
function isPassphrase(value: string): boolean {
  const words = value.trim().split(/\s+/)
  return (
    words.length > 1 &&
    words.length <= MAX_PASSPHRASE_WORDS &&
    /^[!-~]+(?: [!-~]+)+$/.test(value) &&
    !/[{}<>$%]/.test(value) &&
    (/^[a-z]/.test(value) || hasDigit(value)) &&
    !words.some(word => LABEL_WORDS.has(word.toLowerCase().replace(/[^a-z]/g, '')))
  )
}

export const isPasswordOrPhrase = (value: string): boolean => isQuotedPassword(value) || isPassphrase(value)

/**
 * A value without quotes that reads as code: a property, or a name with a word in it or with less than two groups of
 * digits.
 */
export function isExpression(value: string): boolean {
  if (PROPERTY.test(value)) return true
  if (/^[0-9a-f]{20,}$/.test(value)) return false
  return /^[A-Za-z_$][\w$]*$/.test(value) && (/[a-z]{7}/.test(value) || value.split(/\d+/).length < 3)
}

/**
 * At least one part between signs has both digits and letters and 8 characters or more: `v1.2.3-beta-release` has none.
 */
function hasMixedWord(value: string): boolean {
  return value.split(/[^A-Za-z0-9]+/).some(word => word.length >= 8 && /\d/.test(word) && /[A-Za-z]/.test(word))
}

/** A value of 16 characters or more that nobody would choose as a name. */
export function isRandomValue(value: string): boolean {
  return (
    value.length >= 16 &&
    /^[A-Za-z0-9_\-.+/=~:!@#$%^&*()]+$/.test(value) &&
    !value.includes('://') &&
    !isPlaceholder(value) &&
    looksRandom(value) &&
    entropyBits(value) >= 3.2 &&
    hasMixedWord(value)
  )
}

/** `name:password` in base64, as Basic authorization and the configuration of Docker have it. */
export function isBasicCredential(value: string): boolean {
  const text = Buffer.from(value.slice(0, 400), 'base64').toString('latin1')
  return value.length % 4 !== 1 && /^[\x20-\x7e]{1,200}$/.test(text) && /^[^:]+:./.test(text)
}

/** The base64 of a PEM block with a private key, as in a kubeconfig. */
export function isEncodedPrivateKey(value: string): boolean {
  return Buffer.from(value.slice(0, 100), 'base64').includes('PRIVATE KEY')
}
