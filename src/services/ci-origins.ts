import { FaultlineError } from '../core/errors.ts'
import { infrastructureFailure } from '../core/infrastructure.ts'
import { sketchOf } from '../core/log-sketch.ts'
import { originOf, type RunEvidence } from '../core/origin.ts'
import type { Resolution } from '../core/resolution.ts'
import type { Projects } from '../indexer/projects.ts'
import type { ResolvedRun, TellOrigins } from '../pipelines/resolve/ci-log.ts'
import type { CiRun, CiRuns } from '../resolutions/ci-runs.ts'
import type { Git } from './git.ts'
import type { Resolutions } from './resolutions.ts'

/** What telling origins needs. */
interface CiOriginDeps {
  git: Pick<Git, 'fetchRef' | 'changedLines' | 'isAncestor'>
  projects: Pick<Projects, 'get'>
  ciRuns: Pick<CiRuns, 'record' | 'list' | 'removeBefore'>
  resolutions: Pick<Resolutions, 'list'> & { keeper: Pick<Resolutions['keeper'], 'addOrigin'> }
  /** Whether a commit that no clone has is fetched into one. */
  fetchesRefs: boolean
  retentionDays: number
  now?: () => Date
}

/** A project's clone, and what of the run is known in it. */
interface RunInClone {
  repository: string
  /** What the branch that the project follows was indexed at. */
  tip: string
  commit: string | null
  base: string | null
}

const FETCH_MS = 20_000
const DAY_MS = 86_400_000
/** Commits whose place in the history is looked for; each asks git once. */
const MAX_COMPARED = 30
/** Kept answers to one fault that are looked at. */
const MAX_KEPT = 20
/** What a commit is called that could not be read. */
const UNREAD = ''

const fingerprintsOf = ({ exceptions }: Resolution): string[] =>
  exceptions.filter(({ relation }) => relation === 'root').flatMap(({ fingerprint }) => fingerprint ?? [])

function faultOf(resolution: Resolution, repository: string) {
  return {
    fingerprints: fingerprintsOf(resolution),
    text: resolution.exceptions.map(({ type, message }) => [type, message].join(': ')).join('\n'),
    frames: resolution.frames
      .filter(({ inProject, repository: from }) => inProject && from === repository)
      .map(({ path, codeLine }) => ({ path: path ?? '', line: codeLine ?? 0 })),
  }
}

/** Tells where the faults of a CI run come from: by the clones, by earlier runs, and by answers that were kept. */
export function createTellOrigins(deps: CiOriginDeps): TellOrigins {
  const { git, projects, ciRuns, resolutions, fetchesRefs, retentionDays, now = () => new Date() } = deps

  async function commitIn(repository: string, ref: string | undefined, signal: AbortSignal): Promise<string | null> {
    if (ref === undefined) return null
    const timeoutMs = fetchesRefs ? FETCH_MS : 0
    return (await git.fetchRef({ repository, ref, timeoutMs }, signal)).commit
  }

  /** The clone that the frames point into, else the first one; null for a project without any. */
  async function cloneOf(run: ResolvedRun, signal: AbortSignal): Promise<RunInClone | null> {
    const { repositories } = await projects.get(run.projectName)
    const named = run.resolutions.flatMap(({ frames }) => frames.flatMap(frame => frame.repository ?? []))
    const clone = repositories.find(({ repository }) => named.includes(repository)) ?? repositories[0]
    if (clone === undefined) return null
    const { repository, commit: tip } = clone
    const commit = await commitIn(repository, run.commit, signal)
    return { repository, tip, commit, base: await commitIn(repository, run.base, signal) }
  }

  /** Which commits come before the base, or before what the project follows where there is none. */
  async function before({ repository, tip, commit, base }: RunInClone, commits: Iterable<string>, signal: AbortSignal) {
    const found = new Set<string>()
    for (const one of [...new Set(commits)].slice(0, MAX_COMPARED)) {
      if (one === UNREAD || one === commit) continue
      const ends = { repository, base: one, commit: base ?? tip }
      if (await git.isAncestor(ends, signal)) found.add(one)
    }
    return found
  }

  /** Answers to these faults that were kept, unless an unread commit of CI may be among what they were asked at. */
  async function keptFor(run: ResolvedRun, fingerprints: readonly string[], earlier: readonly CiRun[]) {
    if (!run.isRead) return []
    const unread = new Set(earlier.filter(({ commit }) => commit === UNREAD).flatMap(one => one.fingerprints))
    const kept: Array<RunEvidence['kept'][number]> = []
    for (const fingerprint of fingerprints.filter(one => !unread.has(one))) {
      const rows = await resolutions.list({ projectNames: [run.projectName], fingerprint }, MAX_KEPT, null)
      kept.push(...rows.map(({ id, at, commit }) => ({ id, at, commit, fingerprint })))
    }
    return kept
  }

  async function evidenceOf(run: ResolvedRun, clone: RunInClone, signal: AbortSignal): Promise<RunEvidence> {
    const { repository, commit, base } = clone
    const earlier = (await ciRuns.list(run.projectName)).filter(({ jobId }) => jobId !== run.jobId)
    const fingerprints = [...new Set(run.resolutions.flatMap(fingerprintsOf))]
    const alike = earlier.filter(one => one.fingerprints.some(fingerprint => fingerprints.includes(fingerprint)))
    const kept = await keptFor(run, fingerprints, earlier)
    const known = await before(
      clone,
      [...alike, ...kept].map(one => one.commit),
      signal,
    )
    const paths = run.resolutions.flatMap(resolution => faultOf(resolution, repository).frames.map(({ path }) => path))
    const isComparable = base !== null && commit !== null && run.isRead
    return {
      failure: infrastructureFailure(run.log),
      commit,
      base,
      sketch: sketchOf(run.log),
      earlier,
      onBase: known,
      kept: kept.filter(one => known.has(one.commit)),
      changed: isComparable
        ? await git.changedLines(
            { repository, base, commit, paths: [...new Set(paths)].filter(path => path !== '') },
            signal,
          )
        : null,
    }
  }

  return async (run, signal) => {
    const clone = await cloneOf(run, signal)
    if (clone === null) throw new FaultlineError('PROJECT_NOT_FOUND', `${run.projectName} has no repository any more.`)
    const evidence = await evidenceOf(run, clone, signal)
    const origins = run.resolutions.map(resolution => originOf(faultOf(resolution, clone.repository), evidence))
    await ciRuns.record(run.projectName, {
      jobId: run.jobId,
      at: now().toISOString(),
      commit: clone.commit ?? UNREAD,
      fingerprints: [...new Set(run.resolutions.flatMap(fingerprintsOf))],
      sketch: run.isWhole ? [...evidence.sketch] : [],
    })
    await ciRuns.removeBefore(new Date(now().getTime() - retentionDays * DAY_MS).toISOString())
    for (const [index, { id }] of run.resolutions.entries()) {
      const { origin, originWhy } = origins[index] ?? {}
      if (origin !== undefined) await resolutions.keeper.addOrigin({ id, origin, origin_why: originWhy })
    }
    return origins
  }
}
