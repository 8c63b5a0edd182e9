import { FaultlineError } from '../../core/errors.ts'
import { runGit } from './git-process.ts'

/** First releases with the fix of CVE-2025-48384, by series; later series have it from the start. */
const FIXED_IN = new Map([
  ['2.43', 7],
  ['2.44', 4],
  ['2.45', 4],
  ['2.46', 4],
  ['2.47', 3],
  ['2.48', 2],
  ['2.49', 1],
  ['2.50', 1],
])

const REMEMBERED_MS = 60_000

/**
 * A warning about a release without all known fixes, else null. Distributions back-port fixes under old numbers, so
 * this is a reason to look, not to refuse.
 */
export function versionWarning(version: string): string | null {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  const fixed = FIXED_IN.get(`${major}.${minor}`)
  const isFixed = major > 2 || (major === 2 && (fixed === undefined ? minor > 50 : patch >= fixed))
  const isOlderThan = (least: number): boolean => major < 2 || (major === 2 && minor < least)
  if (isOlderThan(37)) {
    return [
      `git ${version} is older than 2.37 and cannot be told which address to connect to:`,
      'the address check can be evaded by changing DNS answers. Install git 2.38 or newer.',
    ].join(' ')
  }
  if (isOlderThan(38)) {
    return `git ${version} is older than 2.38 and cannot merge what tasks make. Install a newer git.`
  }
  if (isFixed) return null
  return [
    `git ${version} is older than 2.43.7 and its counterparts;`,
    'make sure that your distribution has back-ported the fix of CVE-2025-48384.',
  ].join(' ')
}

/** The installed git, with a warning when it is old enough to be vulnerable; null when there is none. */
async function findGit(searchPath: string): Promise<{ version: string; warning: string | null } | null> {
  try {
    const { stdout } = await runGit(['version'], { searchPath })
    const version = /(?<!\d)\d+\.\d+(?:\.\d+)*/.exec(stdout.toString())?.[0] ?? 'unknown'
    return { version, warning: versionWarning(version) }
  } catch (error) {
    if (error instanceof FaultlineError && error.code === 'GIT_NOT_FOUND') return null
    throw error
  }
}

/** Remembers the result of `findGit` for a minute, since each call starts a process. */
export function rememberGit(searchPath: string, now: () => number = Date.now): () => ReturnType<typeof findGit> {
  let known: { answer: Awaited<ReturnType<typeof findGit>>; until: number } | null = null
  return async () => {
    if (known === null || now() >= known.until) {
      known = { answer: await findGit(searchPath), until: now() + REMEMBERED_MS }
    }
    return known.answer
  }
}
