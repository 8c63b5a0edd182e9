import type { Redacted } from './redacted.ts'
import { isPasswordOrPhrase } from './secret-values.ts'

/** The arguments up to the end of the line, including lines joined by a backslash. */
const ARGUMENTS = /(?:[^\\\r\n]|\\(?:\r\n|[^\r]))*/y
const DOUBLE_QUOTED = String.raw`"(?<double>[^"\r\n]{3,200})"`
const SINGLE_QUOTED = String.raw`'(?<single>[^'\r\n]{3,200})'`
const BARE_WORD = String.raw`(?<secret>[^\s"'\u0060|;&<>()$,-][^\s"'\u0060|;&<>(),]{2,200})`
const VALUE = `(?:${DOUBLE_QUOTED}|${SINGLE_QUOTED}|${BARE_WORD})`
const flags = (before: string) => new RegExp(`(?<before>(?<![^\\s"'\u0060])(?:${before}))${VALUE}`, 'g')

/** The options by which programs take a password. */
const ATTACHED = flags('-p')
const SEPARATE = flags('-p[ \\t]{0,5}')
const REDIS = flags('-a[ \\t]{1,5}')
const SQLCMD = flags('-P[ \\t]{0,5}')
const LDAP = flags('-w[ \\t]{1,5}')
const USER = flags(String.raw`(?:-u|-U|--user|--proxy-user)(?:[ \t]{1,5}|=)?["']?[^\s:"'\u0060$]{1,100}:`)
// A user and password between one pair of quotes.
const QUOTED_USER =
  /(?<before>(?:-u|-U|--user|--proxy-user)(?:[ \t]{1,5}|=)?(?<quote>["'])[^\s:"'`]{1,100}:)(?<secret>[^"'\r\n]{3,200})(?=\k<quote>)/g

const PROGRAMS: ReadonlyArray<readonly [names: string, ...flags: RegExp[]]> = [
  ['mysql(?:dump|admin|import|show|check|pump)?|mariadb(?:-dump|-admin|-import)?|mycli', ATTACHED],
  [
    'sshpass|mongo(?:sh|dump|restore|import|export)?|(?:docker|podman|buildah|skopeo|helm registry|oc|az) login',
    SEPARATE,
  ],
  ['redis-cli', REDIS],
  ['sqlcmd|bcp', SQLCMD],
  ['ldap(?:search|modify|add|whoami)', LDAP],
  ['curl|wget|http', QUOTED_USER, USER],
]
const NAMES = new RegExp(`\\b(?:${PROGRAMS.map(([names]) => `(${names})`).join('|')})(?=[ \\t"',])`, 'g')
const PORTS = /^\d+(?:[:.-]\d+)+(?:\/\w+)?$/

function quoteOf({ double, single }: { double?: string | undefined; single?: string | undefined }): string {
  if (double !== undefined) return '"'
  return single === undefined ? '' : "'"
}

/**
 * Hides passwords among the arguments of programs that are known to take them, as in scripts, READMEs and logs. Reads
 * each line once.
 */
export function hideCommandPasswords(text: string): Redacted {
  const parts: string[] = []
  let count = 0
  let copied = 0
  NAMES.lastIndex = 0
  for (let name = NAMES.exec(text); name !== null; name = NAMES.exec(text)) {
    const start = name.index + name[0].length
    ARGUMENTS.lastIndex = start
    const args = ARGUMENTS.exec(text)?.[0] ?? ''
    const [, ...patterns] = PROGRAMS[name.slice(1).findIndex(group => group !== undefined)] ?? ['']
    const hidden = patterns.reduce(
      (shown, pattern) =>
        shown.replace(pattern, (...match) => {
          const {
            before = '',
            double,
            single,
            secret,
          } = match.at(-1) as Partial<Record<'before' | 'double' | 'single' | 'secret', string>>
          const value = double ?? single ?? secret ?? ''
          if (!isPasswordOrPhrase(value) || PORTS.test(value)) return match[0]
          count += 1
          const quote = quoteOf({ double, single })
          return `${before}${quote}[redacted:password]${quote}`
        }),
      args,
    )
    parts.push(text.slice(copied, start), hidden)
    copied = start + args.length
    NAMES.lastIndex = copied
  }
  return { text: parts.join('') + text.slice(copied), count }
}
