import type { Replacement } from './seen-text.ts'
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

type Groups = Partial<Record<'before' | 'double' | 'single' | 'secret', string>>

/** The passwords that one pattern finds among arguments. */
function passwordsIn(args: string, pattern: RegExp, start: number): Replacement[] {
  const found: Replacement[] = []
  for (const { index, groups = {} } of args.matchAll(pattern)) {
    const { before = '', double, single, secret }: Groups = groups
    const isQuoted = double !== undefined || single !== undefined
    const value = double ?? single ?? secret ?? ''
    if (!isPasswordOrPhrase(value) || PORTS.test(value)) continue
    const from = start + index + before.length + Number(isQuoted)
    found.push({ from, to: from + value.length, by: '[redacted:password]' })
  }
  return found
}

/**
 * Passwords among the arguments of programs that are known to take them, as in scripts, READMEs and logs, in order.
 * Reads each line once.
 */
export function findCommandPasswords(text: string): Replacement[] {
  const found: Replacement[] = []
  NAMES.lastIndex = 0
  for (let name = NAMES.exec(text); name !== null; name = NAMES.exec(text)) {
    const start = name.index + name[0].length
    ARGUMENTS.lastIndex = start
    const args = ARGUMENTS.exec(text)?.[0] ?? ''
    const [, ...patterns] = PROGRAMS[name.slice(1).findIndex(group => group !== undefined)] ?? ['']
    const passwords = patterns.flatMap(pattern => passwordsIn(args, pattern, start))
    let end = start
    for (const password of passwords.toSorted((a, b) => a.from - b.from || b.to - a.to)) {
      if (password.from < end) continue // the same one, by another pattern
      found.push(password)
      end = password.to
    }
    NAMES.lastIndex = start + args.length
  }
  return found
}
