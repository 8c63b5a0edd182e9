import { obstacleOf } from './obstacle.ts'
import type { Queryable } from '../postgres/database.ts'
import type { Direction } from './direction.ts'
import type { FolderMark } from './folder-mark.ts'
import { findMove, requireSettled } from './move-record.ts'
import type { Obstacle } from './part.ts'

/** Where a move stands. */
export type MoveState =
  /** Nothing was written yet; the target has to be empty. `id`: of one whose mark alone was written. */
  | { kind: 'fresh'; id: string | null }
  /** It began, and was cut off. */
  | { kind: 'begun'; id: string }
  /** All is moved and compared; the last mark may be missing. */
  | { kind: 'over'; id: string }
  | { kind: 'refused'; obstacle: Obstacle }

const refused = (message: string, fix: string): MoveState => ({ kind: 'refused', obstacle: { message, fix } })

/** The state of a folder that has no part in a move yet. */
async function unmarked(db: Queryable): Promise<MoveState> {
  try {
    await requireSettled(db)
    return { kind: 'fresh', id: null }
  } catch (error) {
    return { kind: 'refused', obstacle: obstacleOf(error) }
  }
}

function ofOther({ direction, state, database }: FolderMark): MoveState {
  if (direction === 'from_cluster') {
    return refused(
      `The folders are being filled from the cluster on ${database}, and that has not ended.`,
      'Run "faultline move --from-cluster" again, which goes on.',
    )
  }
  const what = state === 'moved' ? 'are an old copy of what was moved' : 'are being moved'
  return refused(
    `The folders ${what} to the cluster on ${database}.`,
    'Name empty ones in DATA_DIR, VECTOR_STORE_DIR and CLONED_REPOS_DIR.',
  )
}

/**
 * Where a move stands, by the mark in the folders and the record in the database: each is written before anything that
 * follows from it.
 */
export async function moveState(
  db: Queryable,
  {
    mark,
    direction,
    cluster,
    objects,
  }: { mark: FolderMark | null; direction: Direction; cluster: string | null; objects: string },
): Promise<MoveState> {
  if (mark === null) return await unmarked(db)
  if (mark.direction !== direction) return ofOther(mark)
  if (mark.cluster !== cluster) {
    return refused(
      `The folders belong to a move to or from another cluster, on ${mark.database}.`,
      `Set DATABASE_URL to that one; "faultline move --${direction.replace('_', '-')} --undo" gives that move up.`,
    )
  }
  if (mark.state === 'moving' && mark.objects !== null && mark.objects !== objects) {
    return refused(
      `The move began with the objects in ${mark.objects}; OBJECT_STORE_URL names ${objects}.`,
      'Set OBJECT_STORE_URL as it was.',
    )
  }
  const record = await findMove(db, mark.id)
  if (record === null) return mark.state === 'moved' ? { kind: 'over', id: mark.id } : { kind: 'fresh', id: mark.id }
  if (record.state === 'moving') return { kind: 'begun', id: mark.id }
  if (record.state === 'done') return { kind: 'over', id: mark.id }
  return refused(
    'This move was given up; the cluster may have gone on since.',
    direction === 'from_cluster'
      ? 'Begin again with empty folders: DATA_DIR, VECTOR_STORE_DIR, CLONED_REPOS_DIR.'
      : 'Run it with --undo, then begin again with another database.',
  )
}
