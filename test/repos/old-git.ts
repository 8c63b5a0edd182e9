import { mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** A git that does not know how to merge without a work tree, as before 2.38; where it is looked for. */
export function oldGit(root: string): string {
  const bin = join(root, 'old-bin')
  mkdirSync(bin)
  const script = [
    '#!/bin/sh',
    'for word; do',
    '  if [ "$word" = merge-tree ]; then echo "usage: git merge-tree <base> <one> <other>" >&2; exit 129; fi',
    'done',
    'exec /usr/bin/git "$@"',
  ]
  writeFileSync(join(bin, 'git'), `${script.join('\n')}\n`, { mode: 0o755 })
  return [bin, '/usr/bin', '/bin'].join(delimiter)
}
