import type { QueueHead } from '../store/job-store.ts'

/** A queued or running job, of any type. */
type Waiting = Omit<QueueHead, 'type'>

/** Whose turn it is, by what runs and who had the last turns. */
interface Turns {
  choose(heads: readonly Waiting[], running: Iterable<Waiting>): Waiting | null
  /** The job of this project was started. */
  took(projectName: string | null): void
  /**
   * How many of the queued jobs will start before each of them, by `seq`, when those that run end in the order in which
   * they began.
   *
   * @param queued - The oldest first.
   */
  forecast(queued: readonly Waiting[], running: Iterable<Waiting>, concurrency: number): Map<number, number>
}

/** So many projects are remembered; one that is forgotten counts as one that has waited longest. */
const MAX_PROJECTS = 10_000
/** Comparisons (about 20 ms) after which a forecast takes the rest of a very long queue by age. */
const MAX_COMPARISONS = 4_000_000

const nameOf = (projectName: string | null): string => projectName?.toLowerCase() ?? ''

function createState(lastTurn: ReadonlyMap<string, number>, running: Iterable<Waiting>) {
  const projects = new Map<string, ProjectState>()
  const busyKeys = new Set<string>()

  function projectOf({ projectName }: Waiting): ProjectState {
    const name = nameOf(projectName)
    const known = projects.get(name)
    if (known !== undefined) return known
    const project = { runs: 0, lastTurn: lastTurn.get(name) ?? 0 }
    projects.set(name, project)
    return project
  }

  function began(job: Waiting): void {
    projectOf(job).runs++
    if (job.exclusiveKey !== null) busyKeys.add(job.exclusiveKey)
  }

  for (const job of running) began(job)
  return {
    busyKeys: busyKeys as ReadonlySet<string>,
    projectOf,
    began,
    ended(job: Waiting | undefined): void {
      if (job === undefined) return
      projectOf(job).runs--
      if (job.exclusiveKey !== null) busyKeys.delete(job.exclusiveKey)
    },
  }
}

function linesOf(queued: readonly Waiting[], projectOf: (job: Waiting) => ProjectState): Line[] {
  const lines = new Map<string, Line>()
  for (const job of queued) {
    const key = JSON.stringify([job.projectName, job.exclusiveKey])
    const line = lines.get(key) ?? { project: projectOf(job), jobs: [], at: 0 }
    line.jobs.push(job)
    lines.set(key, line)
  }
  return [...lines.values()]
}

function isBefore(a: ProjectState, seqA: number, b: ProjectState, seqB: number): boolean {
  if (a.runs !== b.runs) return a.runs < b.runs
  if (a.lastTurn !== b.lastTurn) return a.lastTurn < b.lastTurn
  return seqA < seqB
}

function pick(lines: readonly Line[], busyKeys: ReadonlySet<string>): { line: Line; head: Waiting } | null {
  let best: { line: Line; head: Waiting } | null = null
  for (const line of lines) {
    const head = line.jobs[line.at]
    if (head === undefined || (head.exclusiveKey !== null && busyKeys.has(head.exclusiveKey))) continue
    if (best === null || isBefore(line.project, head.seq, best.line.project, best.head.seq)) best = { line, head }
  }
  return best
}

/**
 * Fair turns between projects: a free permit goes to the project that runs the fewest jobs, of these to the one whose
 * last turn is longest ago, and there to the oldest job that no running one excludes. A project with a thousand jobs
 * holds up none with one.
 */
export function createTurns(): Turns {
  const lastTurn = new Map<string, number>()
  let turn = 0

  return {
    choose(heads, running) {
      const active = [...running]
      const state = createState(lastTurn, active)
      // A job may be answered already while its previous run puts its tools down.
      const ending = new Set(active.map(({ seq }) => seq))
      const lines = heads
        .filter(({ seq }) => !ending.has(seq))
        .map(head => ({ project: state.projectOf(head), jobs: [head], at: 0 }))
      return pick(lines, state.busyKeys)?.head ?? null
    },
    took(projectName) {
      const name = nameOf(projectName)
      lastTurn.delete(name) // the map is in the order of turns
      lastTurn.set(name, ++turn)
      const [oldest] = lastTurn.keys()
      if (lastTurn.size > MAX_PROJECTS && oldest !== undefined) lastTurn.delete(oldest)
    },
    forecast(queued, running, concurrency) {
      const active = [...running]
      const state = createState(lastTurn, active)
      const lines = linesOf(queued, state.projectOf)
      const positions = new Map<number, number>()
      for (
        let turns = turn, comparisons = 0;
        positions.size < queued.length && comparisons < MAX_COMPARISONS;
        comparisons += lines.length
      ) {
        if (active.length >= concurrency) state.ended(active.shift())
        const next = pick(lines, state.busyKeys)
        if (next === null && active.length === 0) break
        if (next === null) {
          state.ended(active.shift())
          continue
        }
        next.line.at++
        next.line.project.lastTurn = ++turns
        state.began(next.head)
        active.push(next.head)
        positions.set(next.head.seq, positions.size)
      }
      for (const { seq } of queued) if (!positions.has(seq)) positions.set(seq, positions.size)
      return positions
    },
  }
}

interface ProjectState {
  runs: number
  lastTurn: number
}

/** Jobs of one project with one exclusive key, of which the one at `at` is the next. */
interface Line {
  project: ProjectState
  jobs: Waiting[]
  at: number
}
