import { randomUUID } from 'node:crypto'
import { FaultlineError } from '../core/errors.ts'
import type { Database } from '../postgres/database.ts'
import type { Direction } from './direction.ts'
import { readMark, removeMark, writeMark, type FolderMark } from './folder-mark.ts'
import { beginRecord, clusterIdentity, endRecord, forgetRecord, knownIdentity } from './move-record.ts'
import { moveState, type MoveState } from './move-state.ts'
import type { MovePart, Obstacle, PartCheck, PartView } from './part.ts'
import { liveNodes } from './requirements.ts'

/** Both sides of a move. */
export interface MoveSides {
  db: Database
  schema: string
  /** Whether the tables of the cluster are there; before, it is empty. */
  hasTables: boolean
  /** The DATA_DIR of the single machine. */
  dataDir: string
  direction: Direction
  parts: readonly MovePart[]
  /** What lies in the target that no move put there. */
  occupied: () => Promise<Obstacle[]>
  /** The single machine's side, in words for the cluster. */
  place: string
  /** The cluster's side, in words for the single machine. */
  database: string
  /** Where its objects are, in words. */
  objects: string
  /** What is wrong with the object store. `isFresh`: nothing was moved there yet. */
  tryObjects: (isFresh: boolean) => Promise<Obstacle[]>
}

/** What came of it. `differs`: both sides are not the same after all; nothing was switched over. */
export interface MoveReport {
  direction: Direction
  outcome: 'possible' | 'refused' | 'moved' | 'already_moved' | 'differs'
  /** Whether an earlier call had begun. */
  isContinued: boolean
  parts: Array<PartView & { name: string }>
  obstacles: Obstacle[]
  checks: Array<PartCheck & { name: string }>
}

/** Hears how far it is. */
export interface MoveProgress {
  part: string
  /** `look`, `move` or `check`; of the latter two `done` and `total` count what the part has. */
  doing: 'look' | 'move' | 'check'
  done: number
  total: number
}

interface RunOptions {
  onProgress: (progress: MoveProgress) => void
  signal: AbortSignal
}

/** Looks at everything. */
async function lookAt(parts: readonly MovePart[], { onProgress, signal }: RunOptions): Promise<MoveReport['parts']> {
  const views = []
  for (const [done, part] of parts.entries()) {
    onProgress({ part: part.name, doing: 'look', done, total: parts.length })
    views.push({ name: part.name, ...(await part.look(signal)) })
  }
  return views
}

async function stateOf({ db, hasTables, dataDir, direction, objects }: MoveSides): Promise<MoveState> {
  const mark = readMark(dataDir)
  if (!hasTables && mark === null) return { kind: 'fresh', id: null }
  return await moveState(db, { mark, direction, objects, cluster: hasTables ? await knownIdentity(db) : null })
}

/** Where it stands, and what lies in its way. */
async function plan(sides: MoveSides, options: RunOptions): Promise<{ state: MoveState; report: MoveReport }> {
  const { db, schema, hasTables, direction, parts, occupied, tryObjects } = sides
  const state = await stateOf(sides)
  const report: MoveReport = {
    direction,
    outcome: 'already_moved',
    isContinued: state.kind === 'begun' || state.kind === 'over',
    parts: [],
    obstacles: state.kind === 'refused' ? [state.obstacle] : [],
    checks: [],
  }
  if (state.kind === 'over') return { state, report }
  if (hasTables) report.obstacles.push(...(await liveNodes(db, schema)))
  if (state.kind === 'fresh') report.obstacles.push(...(await occupied()))
  if (state.kind !== 'refused') report.obstacles.push(...(await tryObjects(state.kind === 'fresh')))
  report.parts = await lookAt(parts, options)
  report.obstacles.push(...report.parts.flatMap(({ obstacles }) => obstacles))
  report.outcome = report.obstacles.length > 0 ? 'refused' : 'possible'
  return { state, report }
}

/** Looks at everything and changes nothing. */
export async function checkMove(sides: MoveSides, options: RunOptions): Promise<MoveReport> {
  return (await plan(sides, options)).report
}

/** Marks both sides, the folder first; a node that started meanwhile is seen, or sees the record. */
async function begin(sides: MoveSides, known: string | null): Promise<{ id: string; obstacles: Obstacle[] }> {
  const { db, schema, dataDir, direction, place, database, objects } = sides
  const id = known ?? randomUUID()
  const mark: FolderMark = {
    id,
    direction,
    state: 'moving',
    since: new Date().toISOString(),
    database,
    objects,
    cluster: await clusterIdentity(db),
  }
  writeMark(dataDir, mark)
  await beginRecord(db, { id, direction, place })
  const obstacles = await liveNodes(db, schema)
  if (obstacles.length > 0) {
    await forgetRecord(db, id)
    removeMark(dataDir)
  }
  return { id, obstacles }
}

/** The target may be used from now on, and the source says that it is an old copy. */
async function finish({ db, dataDir, direction }: MoveSides, id: string): Promise<void> {
  await endRecord(db, id, 'done')
  const mark = readMark(dataDir)
  if (direction === 'from_cluster') removeMark(dataDir)
  else if (mark !== null) writeMark(dataDir, { ...mark, state: 'moved' })
}

async function moveParts(parts: readonly MovePart[], { onProgress, signal }: RunOptions): Promise<void> {
  for (const { name: part, move } of parts) {
    onProgress({ part, doing: 'move', done: 0, total: 0 })
    await move((done, total) => onProgress({ part, doing: 'move', done, total }), signal)
  }
}

async function checkParts(parts: readonly MovePart[], { onProgress, signal }: RunOptions) {
  const checks = []
  for (const { name: part, check } of parts) {
    onProgress({ part, doing: 'check', done: 0, total: 0 })
    const found = await check((done, total) => onProgress({ part, doing: 'check', done, total }), signal)
    checks.push({ name: part, ...found })
  }
  return checks
}

/** What was cut off goes on: the error of whatever stood in the way says so. */
async function orAgain<T>(direction: Direction, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof FaultlineError)) throw error
    const again = `Then run "faultline move --${direction.replace('_', '-')}" again: it goes on where it was.`
    const fix = error.fix === undefined ? again : `${error.fix} ${again}`
    throw new FaultlineError(error.code, error.message, fix, { cause: error })
  }
}

/** Moves everything, or goes on with what an earlier call began, compares both sides, and switches over. */
export async function runMove(sides: MoveSides, options: RunOptions): Promise<MoveReport> {
  const { state, report } = await plan(sides, options)
  if (state.kind === 'over') {
    await finish(sides, state.id)
    return report
  }
  if (report.obstacles.length > 0 || state.kind === 'refused') return report
  const begun = state.kind === 'begun' ? { id: state.id, obstacles: [] } : await begin(sides, state.id)
  if (begun.obstacles.length > 0) return { ...report, outcome: 'refused', obstacles: begun.obstacles }
  const checks = await orAgain(sides.direction, async () => {
    await moveParts(sides.parts, options)
    return await checkParts(sides.parts, options)
  })
  const isSame = checks.every(({ differences }) => differences.length === 0)
  if (isSame) await finish(sides, begun.id)
  return { ...report, outcome: isSame ? 'moved' : 'differs', checks }
}
