import { execFileSync } from 'node:child_process'

const git = (folder: string, args: readonly string[]): string =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 })

/** Where the files of an older checkout stand in a newer one of the same repository, as git recognises them. */
export function movesBetween(older: string, newer: string): Map<string, string> {
  const [from, to] = [older, newer].map(folder => git(folder, ['rev-parse', 'HEAD']).trim())
  const log = git(newer, [
    'log',
    '--reverse',
    '--diff-filter=R',
    '-M',
    '-l0',
    '--name-status',
    '--format=',
    `${from}..${to}`,
  ])
  const moves = new Map<string, string>()
  const origins = new Map<string, string>()
  for (const line of log.split('\n').filter(entry => entry.startsWith('R'))) {
    const [, left = '', right = ''] = line.split('\t')
    const origin = origins.get(left) ?? left
    origins.delete(left)
    origins.set(right, origin)
    moves.set(origin, right)
  }
  return moves
}
