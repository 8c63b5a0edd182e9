/** A path whose content may not be that of the last commit. */
export interface ChangedPath {
  /** One character a byte (`latin1`): names of files need not be UTF-8. */
  path: string
  /** Whether git neither tracks nor ignores it. */
  isUntracked: boolean
}

const SUBMODULE = '160000'
/** Fields before the path, by the kind of the record. */
const FIELDS: Readonly<Record<string, number>> = { 1: 8, u: 10, '?': 1 }

function pathAfter(record: string, fields: number): string {
  let at = 0
  for (let field = 0; field < fields; field++) at = record.indexOf(' ', at) + 1
  return record.slice(at)
}

/**
 * Reads what `git status --porcelain=v2 -z --no-renames` prints. Submodules and repositories within the work tree are
 * left out: their files are others' files.
 */
export function readStatus(output: Buffer): ChangedPath[] {
  return output
    .toString('latin1')
    .split('\0')
    .flatMap(record => {
      const [kind = ''] = record
      const fields = FIELDS[kind]
      if (fields === undefined) return []
      const path = pathAfter(record, fields)
      const isElsewhere = path.endsWith('/') || record.slice(0, record.length - path.length).includes(` ${SUBMODULE} `)
      return isElsewhere ? [] : [{ path, isUntracked: kind === '?' }]
    })
}
