import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FaultlineError } from '../core/errors.ts'
import { isObject } from '../core/is-object.ts'
import type { Direction } from './direction.ts'

/** What stands in a DATA_DIR that is a side of a move. */
export interface FolderMark {
  /** The same in the database. */
  id: string
  direction: Direction
  /** `moved`: the cluster has all, and this is an old copy. */
  state: 'moving' | 'moved'
  /** When it began; ISO 8601. */
  since: string
  /** The other side, in words. */
  database: string
  /** Tells its cluster from others. */
  cluster: string
  /** Where its objects are, in words; null in marks of before. */
  objects: string | null
}

const MARK = '.move.json'

const fileOf = (dataDir: string): string => join(dataDir, MARK)

function markIn(value: unknown): FolderMark | null {
  if (!isObject(value)) return null
  const { id, direction, state, since, database, cluster, objects = null } = value
  const isKnown =
    (direction === 'to_cluster' || direction === 'from_cluster') && (state === 'moving' || state === 'moved')
  const texts = [id, since, database, cluster]
  if (!isKnown || !texts.every(text => typeof text === 'string')) return null
  return {
    id: String(id),
    direction,
    state,
    since: String(since),
    database: String(database),
    cluster: String(cluster),
    objects: objects === null ? null : String(objects),
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null // the caller says that it is damaged
  }
}

/** The mark of a folder; null where there is none. @throws {FaultlineError} DATA_DAMAGED */
export function readMark(dataDir: string): FolderMark | null {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const mark = markIn(parsed(text))
  if (mark !== null) return mark
  throw new FaultlineError(
    'DATA_DAMAGED',
    `The file ${MARK} of DATA_DIR=${dataDir}, which says where its data was moved to, is damaged.`,
    `Run "faultline move" again as before, or delete the file to go on with what lies in the folder.`,
  )
}

/** Writes the mark as a whole, or not at all. */
export function writeMark(dataDir: string, mark: FolderMark): void {
  const draft = `${fileOf(dataDir)}.new`
  rmSync(draft, { force: true })
  writeFileSync(draft, JSON.stringify(mark, null, 2), { mode: 0o600, flag: 'wx', flush: true })
  renameSync(draft, fileOf(dataDir))
}

export function removeMark(dataDir: string): void {
  rmSync(fileOf(dataDir), { force: true })
}

const refused = (message: string, fix: string): FaultlineError => new FaultlineError('CONFIG_INVALID', message, fix)

/**
 * Looks that a folder is no side of a move, for whoever is about to work in it.
 *
 * @throws {FaultlineError} CONFIG_INVALID: it is an old copy, or a move that reads or fills it has not ended.
 * DATA_DAMAGED.
 */
export function requireUnmoved(dataDir: string): void {
  const mark = readMark(dataDir)
  if (mark === null) return
  const { direction, state, since, database } = mark
  const day = since.slice(0, 10)
  if (state === 'moved') {
    throw refused(
      `What DATA_DIR=${dataDir} holds was moved to the cluster on ${database} on ${day}; here is an old copy.`,
      'Start nodes with DATABASE_URL and folders of their own. "faultline move --from-cluster" takes everything back ' +
        'into new folders; "faultline move --to-cluster --undo" goes on with the old copy.',
    )
  }
  if (direction === 'to_cluster') {
    throw refused(
      `What DATA_DIR=${dataDir} holds is being moved to the cluster on ${database}, and that has not ended.`,
      'Run "faultline move --to-cluster" again, which goes on; with --undo the move is given up.',
    )
  }
  throw refused(
    `DATA_DIR=${dataDir} is being filled from the cluster on ${database}, and that has not ended.`,
    'Run "faultline move --from-cluster" again, which goes on.',
  )
}
