import {
  hasDigit,
  isBarePassword,
  isBasicCredential,
  isEncodedPrivateKey,
  isExpression,
  isPasswordInUrl,
  isPasswordOrPhrase,
  isPlainPassword,
  isQuotedPassword,
  isRandomValue,
  looksRandom,
} from './secret-values.ts'
import { TOKEN_FORMS } from './token-forms.ts'

/**
 * One form of secrets. `secret` is replaced; `before` and `after` stay. Every pattern is linear: it starts at a literal
 * or at the border of a run, its parts do not overlap, and its repeats are bounded or end with the run.
 */
export interface RedactionRule {
  kind: string
  pattern: RegExp
  isSecret?: (value: string) => boolean
}

const START = '(?<![A-Za-z0-9_+/-])' // not inside a longer word or a base64 run
const token = (kind: string, form: string, isSecret?: (value: string) => boolean): RedactionRule => ({
  kind,
  pattern: new RegExp(`${START}(?<secret>${form})`, 'g'),
  isSecret,
})

// between a name and its value
const gap = (assigns: string) => String.raw`["'\u0060]?[ \t]{0,10}(?:${assigns})[ \t]{0,10}`
const ASSIGNED = gap('=>|:=|=|:')
const COMPARED = gap('===?|!==?')
const GAP = gap('=>|:=|==|=|:')
const QUOTED_VALUE = '(?<secret>[^"\'\u0060\\r\\n]{4,400})(?<after>["\'\u0060])'
const quoted = (chars: string, between = GAP) => `(?<before>(?:${chars})${between}["'\u0060])${QUOTED_VALUE}`
const BARE = '[^\\s"\'\u0060,;&(){}\\[\\]<>]'
// A value that goes on, or that is called or indexed, is an expression.
const bare = (chars: string) => `(?<before>(?:${chars})${GAP})(?<secret>${BARE}{6,400})(?!${BARE}|[(\\[])`

// What a function does with a password is no name of one.
const NO_PASSWORD_VERB = '(?<!(?:change|check|forgot|hash|reset|set|update|validate|verify|with)[_-]?)'
const PASSWORD = String.raw`${NO_PASSWORD_VERB}(?:password|passwd|passphrase|pwd)\d{0,2}`
const KEY_OF = '(?:api|app|access|secret|private|auth|account|signing|encryption|master|subscription)'
const SECRET_NAME = [
  `${KEY_OF}[_-]?key(?:[_-]?base)?`,
  'secret',
  'token',
  'client[_-]?secret',
  'auth',
  'credentials?',
  '(?:php|j)?session[_-]?(?:id)?',
  '(?:php|j)?sessid',
  'connect\\.sid',
].join('|')
/** A line of a .env file, a shell script, a Dockerfile or a compose file: in capitals, and alone on its line. */
const environment = (names: string, value: string, quote = '') => {
  const start = '^[ \\t]{0,40}(?:(?:export|ENV|ARG|-|-e|set)[ \\t]{1,5})?(?:[A-Z0-9]{1,40}_){0,8}'
  const assigned = '(?:=|:[ \\t]{1,5}|(?<=^ENV[ \\t]{1,5}\\w{1,80})[ \\t]{1,5})'
  const before = `(?<before>${start}(?:${names})${assigned}${quote})`
  return new RegExp(`${before}(?<secret>${value})(?<after>${quote}[ \\t]{0,20}\\r?$)`, 'gm')
}

/**
 * `password=abcd` where no code stands: at the start of a line or a string, in the query of an address, or behind a
 * word and one space, as in logs and commands. An argument of a call is indented, or stands behind a comma or a
 * bracket; a variable stands behind the word that declares it.
 */
const plain = (names: string) => {
  const declared = '(?<!\\b(?:const|def|final|let|local|my|static|String|string|val|var))'
  const start = `(?<=^|[?&;"'\u0060]|[^\\s,(]${declared} )`
  const before = `(?<before>${start}(?:[A-Za-z0-9]{1,40}[_.-]){0,8}(?:${names})=)`
  return new RegExp(`${before}(?<secret>[^\\s"'\u0060,;&(){}\\[\\]<>=]{4,200})(?=[\\s&;"'\u0060]|$)`, 'gim')
}

const TOKEN_TESTS = { random: looksRandom, digit: hasDigit } as const

/** All rules of redaction, applied in this order. */
export const RULES: readonly RedactionRule[] = [
  ...TOKEN_FORMS.map(([kind, form, test]) => token(kind, form, test === undefined ? undefined : TOKEN_TESTS[test])),
  token('private-key', 'LS0tLS1CRUdJTi[A-Za-z0-9+/=]{60,20000}', isEncodedPrivateKey),
  {
    kind: 'aws-secret',
    pattern: new RegExp(
      `(?<before>secret_?(?:access_?)?key(?:["'\u0060][ \\t]{1,5}value)?${GAP}["'\u0060]?)` +
        '(?<secret>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])',
      'gi',
    ),
    isSecret: looksRandom,
  },
  {
    // What databases and queues are addressed by: here even a slash is more likely the password's than a path's.
    kind: 'password',
    pattern:
      /(?<before>\b(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|amqps?|rediss?|mssql|sqlserver|clickhouse|ldaps?|smtps?|ftps?):\/\/[^\s:/@"'`<>]{0,100}:)(?<secret>[^\s"'`<>]{1,200})(?<after>@)/g,
    isSecret: isPasswordInUrl,
  },
  {
    kind: 'password',
    // to the last @: some passwords hold one
    pattern: /(?<before>:\/\/[^\s:/@"'`<>]{0,100}:)(?<secret>[^\s/"'`<>]{1,200})(?<after>@)/g,
    isSecret: isPasswordInUrl,
  },
  { kind: 'token', pattern: /(?<before>:\/\/)(?<secret>[\w-]{20,200})(?<after>@)/g, isSecret: looksRandom },
  {
    kind: 'password',
    pattern: /(?<before>jdbc:oracle:(?:thin|oci):[^\s/@"'`]{1,60}\/)(?<secret>[^\s@"'`]{1,100})(?<after>@)/gi,
    isSecret: isQuotedPassword,
  },
  {
    kind: 'password',
    pattern: /(?<before>\b(?:password|pwd)[ \t]?=[ \t]?\{)(?<secret>[^{}\r\n]{3,200})(?<after>\})/gi,
    isSecret: isBarePassword,
  },
  {
    kind: 'password',
    pattern: /(?<before>\blogin[ \t]{1,5}[^\s"'`]{1,100}\s{1,5}password[ \t]{1,5})(?<secret>[^\s"'`]{4,200})/g,
    isSecret: isBarePassword,
  },
  {
    kind: 'password',
    pattern: /(?<before>\s(?:-u|--user)[ =]["'`]?[^\s:"'`]{1,100}:)(?<secret>[^\s"'`]{4,200})/g,
    isSecret: isBarePassword,
  },
  {
    kind: 'password',
    pattern: /(?<before>--(?:pass(?:word|wd|phrase)?)(?:[ \t]{1,5}|=)["'`]?)(?<secret>[^\s"'`<>-][^\s"'`<>]{3,200})/g,
    isSecret: isBarePassword,
  },
  {
    kind: 'secret',
    pattern: /(?<before>--[a-z-]{0,40}(?:token|secret|key)[ \t]{1,5}["'`]?)(?<secret>[^\s"'`<>-][^\s"'`<>]{15,400})/g,
    isSecret: isRandomValue,
  },
  {
    kind: 'password',
    pattern:
      /(?<before>\b(?:IDENTIFIED[ \t]{1,5}(?:WITH[ \t]{1,5}\w{1,40}[ \t]{1,5})?BY|PASSWORD|(?:with|encrypted)[ \t]{1,5}password)[ \t]{1,5}(?:PASSWORD[ \t]{1,5})?')(?<secret>[^'\r\n]{3,200})(?<after>')/g,
    isSecret: isPasswordOrPhrase,
  },
  {
    kind: 'password',
    pattern:
      /(?<before><(?:password|passwd|passphrase|secretKey|apiKey|clientSecret|accessToken)>)(?<secret>[^<>\r\n]{3,200})(?<after><\/)/gi,
    isSecret: isPasswordOrPhrase,
  },
  {
    kind: 'password',
    pattern:
      /(?<before>\b(?:key|name)=["'][\w.:-]{0,60}(?:password|secretkey|apikey|clientsecret)["'][ \t]{1,5}value=["'])(?<secret>[^"'<>\r\n]{3,200})(?<after>["'])/gi,
    isSecret: isPasswordOrPhrase,
  },
  {
    kind: 'private-key',
    pattern: /(?<before><(?:D|P|Q|DP|DQ|InverseQ)>)(?<secret>[A-Za-z0-9+/=]{40,2000})(?<after><\/)/g,
  },
  {
    kind: 'signature',
    pattern:
      /(?<before>[?&](?:sig|X-Amz-Signature|X-Amz-Security-Token|X-Goog-Signature)=)(?<secret>[A-Za-z0-9%+/=_-]{20,2000})/g,
    isSecret: looksRandom,
  },
  {
    kind: 'private-key',
    pattern: /(?<before>"(?:d|p|q|dp|dq|qi|k)"[ \t]{0,5}:[ \t]{0,5}")(?<secret>[A-Za-z0-9_-]{40,2000})(?<after>")/g,
    isSecret: looksRandom,
  },
  {
    kind: 'authorization',
    pattern:
      /(?<before>\bauthorization["'`]?[ \t]{0,5}[:=][ \t]{0,5}["'`]?[A-Za-z][A-Za-z-]{1,20}[ \t]{1,3})(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    isSecret: looksRandom,
  },
  {
    kind: 'authorization',
    pattern: /(?<before>\b(?:bearer|basic)[ \t]{1,3})(?<secret>[A-Za-z0-9._~+/=-]{16,4000})/gi,
    isSecret: looksRandom,
  },
  {
    kind: 'authorization',
    pattern: /(?<before>\bbasic[ \t]{1,3})(?<secret>[A-Za-z0-9+/]{4,400}={0,2})(?![\w+/=])/gi,
    isSecret: isBasicCredential,
  },
  {
    kind: 'authorization',
    pattern:
      /(?<before>["']?\bauth["']?[ \t]{0,5}[:=][ \t]{0,5}["'])(?<secret>[A-Za-z0-9+/]{4,400}={0,2})(?<after>["'])/g,
    isSecret: isBasicCredential,
  },
  {
    kind: 'npm-token',
    pattern: /(?<before>\/:_(?:authToken|auth|password)[ \t]{0,5}=[ \t]{0,5}["']?)(?<secret>[^\s"'$<>{}]{4,400})/g,
    isSecret: isQuotedPassword,
  },
  {
    kind: 'npm-token',
    pattern:
      /(?<before>^_(?:authToken|auth|password)[ \t]{0,5}=[ \t]{0,5}["']?)(?<secret>[\w+/=.-]{8,400})(?=["']?[ \t]{0,20}\r?$)/gm,
    isSecret: value => hasDigit(value) || value.endsWith('='),
  },
  {
    kind: 'password',
    pattern: environment(
      '[A-Z]{0,40}(?:PASSWORD|PASSWD|PASSPHRASE)|(?<=_)(?:PASS|PWD)',
      '[^\\s"\'\u0060,;&(){}\\[\\]<>]{4,200}',
    ),
    isSecret: isPasswordInUrl,
  },
  {
    kind: 'secret',
    pattern: environment('SECRET(?:_KEY)?', '[^\\s"\'\u0060,;&(){}\\[\\]<>.]{8,200}'),
    isSecret: isPasswordInUrl,
  },
  {
    kind: 'secret',
    pattern: environment('SECRET(?:_KEY)?|(?<=_)(?:PASS|PWD)', '[^"\'\\r\\n]{4,200}', '["\']'),
    isSecret: isPasswordOrPhrase,
  },
  { kind: 'password', pattern: plain('password|passwd|passphrase|pwd'), isSecret: isPlainPassword },
  { kind: 'password', pattern: new RegExp(quoted(PASSWORD, ASSIGNED), 'gi'), isSecret: isPasswordOrPhrase },
  { kind: 'password', pattern: new RegExp(quoted(PASSWORD, COMPARED), 'gi'), isSecret: isBarePassword },
  { kind: 'password', pattern: new RegExp(bare(PASSWORD), 'gi'), isSecret: isBarePassword },
  { kind: 'secret', pattern: new RegExp(quoted(SECRET_NAME), 'gi'), isSecret: isRandomValue },
  {
    kind: 'secret',
    pattern: new RegExp(bare(SECRET_NAME), 'gi'),
    isSecret: value => !isExpression(value) && isRandomValue(value),
  },
]
