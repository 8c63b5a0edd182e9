/** What tells a secret from code and prose, by its value alone. */

/** Whether a value contains a digit. */
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

/** Whether digits and letters are mixed as by chance; words joined by hyphens or underscores are not. */
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

/**
 * Values that are no passwords: the version of a package that is named after passwords, an option of a program, rules
 * of a validator.
 */
const NO_PASSWORD = /^[~^]?\d+(?:\.\d+){1,3}(?:-[\w.]{1,30})?$|^--|^[a-z_]+(?:\|[a-z_]+(?::\d+)?)+$/

/** Whether a value is a password, between quotes or in a place where only one can stand. */
export function isQuotedPassword(value: string): boolean {
  return (
    !isPlaceholder(value) &&
    !/\s|^\.{0,2}\//.test(value) &&
    !NO_PASSWORD.test(value) &&
    !NO_PASSWORDS.has(value.toLowerCase())
  )
}

/**
 * Whether a value is a password in a URL. Brackets occur in patterns of addresses (`user[:pass]@host`), and are escaped
 * in addresses.
 */
export const isPasswordInUrl = (value: string): boolean => isQuotedPassword(value) && !/[[\]]/.test(value)

const PROPERTY = /^[A-Za-z_$][\w$]*(?:(?:\.|->|::|\?\.)[A-Za-z_$][\w$]*)+$/

/**
 * Whether a value without quotes is a password. A password in a .env file and a variable in code look alike there, so
 * only a value with a digit or a sign that names lack counts.
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

/** Whether a value without quotes is a password in a place where no variable of that name can stand. */
export const isPlainPassword = (value: string): boolean => isPasswordInUrl(value) && !PROPERTY.test(value)

/** Words of labels, hints and messages, which also stand between quotes after `password`. */
const LABEL_WORDS = new Set(
  `are be cannot change changed characters choose confirm confirmation contain contains could current does empty
  enter entered error expired fail failed field forgot forgotten generate hide incorrect invalid is least
  length letters match matches minimum missing mot must new not old only optional passe password passwords
  passphrase please provide provided repeat required reset retype same set should show than the type user
  username valid value was will with wrong you your`.split(/\s+/),
)
const MAX_PASSPHRASE_WORDS = 12

/**
 * Whether a value is a password of several words: it does not read as a label or a message, nor begin like a sentence.
 */
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

/** Whether a quoted value is a password of one or several words. */
export const isPasswordOrPhrase = (value: string): boolean => isQuotedPassword(value) || isPassphrase(value)

/**
 * Whether a value without quotes reads as code: a property, or a name with a word in it or with less than two groups of
 * digits.
 */
export function isExpression(value: string): boolean {
  if (PROPERTY.test(value)) return true
  if (/^[0-9a-f]{20,}$/.test(value)) return false
  return /^[A-Za-z_$][\w$]*$/.test(value) && (/[a-z]{7}/.test(value) || value.split(/\d+/).length < 3)
}

/** Whether a part between signs mixes digits and letters in 8 characters or more: `v1.2.3-beta-release` has none. */
function hasMixedWord(value: string): boolean {
  return value.split(/[^A-Za-z0-9]+/).some(word => word.length >= 8 && /\d/.test(word) && /[A-Za-z]/.test(word))
}

/** Whether a value has 16 characters or more that nobody would choose as a name. */
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

/** Whether a value is `name:password` in base64, as in Basic authorization and the configuration of Docker. */
export function isBasicCredential(value: string): boolean {
  const text = Buffer.from(value.slice(0, 400), 'base64').toString('latin1')
  return value.length % 4 !== 1 && /^[\x20-\x7e]{1,200}$/.test(text) && /^[^:]+:./.test(text)
}

/** Whether a value is the base64 of a PEM block with a private key, as in a kubeconfig. */
export function isEncodedPrivateKey(value: string): boolean {
  return Buffer.from(value.slice(0, 100), 'base64').includes('PRIVATE KEY')
}
