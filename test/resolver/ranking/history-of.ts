import type { ChangeHistory } from '../../../src/repos/history/changes.ts'

/** The files of a project; what they hold does not matter. */
export const FILES = Object.fromEntries(
  ['app/cart.py', 'app/money.py', 'app/gift.py', 'app/hub.py', 'web/page.py'].map(path => [
    path,
    'def total():\n    return 1\n',
  ]),
)

export const DAY_S = 86_400

/** The date of the newest commit, in seconds. */
export const NOW = 1_700_000_000

/** One commit a day, the newest first, by the files that it changed; and before them the one that wrote all. */
export function historyOf(...changed: string[][]): ChangeHistory {
  const paths = [...new Set(changed.flat())]
  return {
    paths,
    commits: [...changed, paths].map((files, i) => ({
      id: String(i).padStart(40, '0'),
      date: NOW - i * DAY_S,
      files: files.map(path => paths.indexOf(path)),
    })),
  }
}
