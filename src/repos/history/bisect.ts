import { join } from 'node:path'
import { isProjectName } from '../../core/project.ts'
import { isCommitId } from '../clone/refs.ts'
import { noSuchClone } from '../clone/sync.ts'
import { GIT_SEARCH_PATH } from '../git/git-env.ts'
import { runGit } from '../git/git-process.ts'
import { noSuchCommit } from '../objects/commit-reader.ts'
import { dateOf, oneLine } from './commit-words.ts'
import { cutOffCommits } from './cut-off-commits.ts'

/** What is known so far of a range that is searched. */
export interface BisectState {
  repository: string
  bad: string
  good: readonly string[]
  /** Commits of which nothing could be said. */
  skipped: readonly string[]
}

/**
 * What to do next: to test a commit, of which `left` others are candidates then, and some `steps` more tests will be
 * needed; or the end, with the one commit that is left, or with those of which skipped ones kept the answer.
 */
export type BisectNext =
  | { kind: 'test'; commit: string; left: number; steps: number }
  | { kind: 'found'; commit: string }
  | { kind: 'undecided'; candidates: string[] }

/** How two commits are related, as far as the clone knows. */
export interface BisectRange {
  /** The newest commits that both have. */
  bases: string[]
  /** Commits between them, the bad one included. */
  commits: number
  /** Those among them whose parents the clone lacks. */
  cutOff: number
}

/** A commit as a person knows it. */
export interface NamedCommit {
  commit: string
  author: string
  /** When it was committed, RFC 3339 in UTC. */
  date: string
  summary: string
}

/**
 * Searches for a commit as `git bisect` does, by git's own choice of what to test. Keeps nothing: the same state gives
 * the same answer. All of it throws NOT_FOUND for a missing clone or commit.
 */
export interface Bisecting {
  bisectRange(between: { repository: string; good: string; bad: string }, signal?: AbortSignal): Promise<BisectRange>
  nextToBisect(state: BisectState, signal?: AbortSignal): Promise<BisectNext>
  /** In the given order. */
  describeCommits(of: { repository: string; commits: readonly string[] }, signal?: AbortSignal): Promise<NamedCommit[]>
}

const MAX_TIES = 2 ** 15
const TIMEOUT_MS = 120_000

/** The number that `git bisect` draws, the same each time for as many candidates. */
const drawnBy = (count: number): number =>
  Math.floor(((Math.imul(count, 1_103_515_245) + 12_345) >>> 0) / 65_536) % MAX_TIES

/**
 * One of the candidates, as far from the best as `git bisect` goes: near a commit that cannot be tested are others that
 * cannot.
 *
 * @param candidates - Those that can be tested, the best first.
 */
function awayFromSkipped(candidates: readonly string[], bad: string): string | undefined {
  const drawn = drawnBy(candidates.length)
  const share = Math.floor((candidates.length * drawn) / MAX_TIES)
  const index = Math.floor((share * Math.floor(Math.sqrt(drawn))) / Math.floor(Math.sqrt(MAX_TIES)))
  const found = candidates[index]
  return found === bad && index > 0 ? candidates[index - 1] : found
}

/** Which of the candidates to test. `listed` are all of them, the best first; the bad one is the last. */
function choose(listed: readonly string[], { bad, skipped }: BisectState): string | undefined {
  const isSkipped = new Set(skipped)
  const [best] = listed
  if (best !== undefined && !isSkipped.has(best)) return best
  return awayFromSkipped(
    listed.filter(commit => !isSkipped.has(commit)),
    bad,
  )
}

const numberIn = (text: string, name: string): number =>
  Number(new RegExp(`^${name}=(\\d+)$`, 'm').exec(text)?.[1] ?? 0)

/** Bisects in the clones below one folder. */
export function createBisecting({
  clonedReposDir,
  searchPath = GIT_SEARCH_PATH,
}: {
  clonedReposDir: string
  searchPath?: string
}): Bisecting {
  /** What git prints of commits of a clone. */
  async function output(
    { repository, commits, args }: { repository: string; commits: readonly string[]; args: readonly string[] },
    outer: AbortSignal | undefined,
  ): Promise<string> {
    if (!isProjectName(repository)) throw noSuchClone(repository)
    const odd = commits.find(commit => !isCommitId(commit))
    if (odd !== undefined) throw noSuchCommit(repository, odd)
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    const { exitCode, stdout, stderr } = await runGit(['--no-pager', ...args], {
      gitDir: join(clonedReposDir, repository),
      searchPath,
      signal: outer === undefined ? timeout : AbortSignal.any([timeout, outer]),
    })
    if (exitCode > 1) throw noSuchCommit(repository, commits.find(commit => stderr.includes(commit)) ?? '')
    return stdout.toString()
  }

  return {
    async bisectRange({ repository, good, bad }, signal) {
      const commits = [good, bad]
      const bases = await output({ repository, commits, args: ['merge-base', '--all', ...commits] }, signal)
      const between = await output({ repository, commits, args: ['rev-list', bad, `^${good}`] }, signal)
      const cutOff = await cutOffCommits(join(clonedReposDir, repository))
      const ids = between.split('\n').filter(isCommitId)
      return {
        bases: bases.split('\n').filter(isCommitId),
        commits: ids.length,
        cutOff: ids.filter(id => cutOff.has(id)).length,
      }
    },

    async nextToBisect(state, signal) {
      const { repository, bad, good, skipped } = state
      // all of them take git longer, and are needed only where the best may have been skipped
      const which = skipped.length === 0 ? [] : ['--bisect-all']
      const args = ['rev-list', ...which, '--bisect-vars', bad, ...good.map(commit => `^${commit}`)]
      const text = await output({ repository, commits: [bad, ...good], args }, signal)
      const listed = [...text.matchAll(/^([0-9a-f]{40}) /gm)].map(([, commit = '']) => commit)
      const best = /^bisect_rev='([0-9a-f]{40})'$/m.exec(text)?.[1]
      const chosen = skipped.length === 0 ? best : choose(listed, state)
      if (chosen !== undefined && chosen !== bad) {
        return {
          kind: 'test',
          commit: chosen,
          left: numberIn(text, 'bisect_nr'),
          steps: numberIn(text, 'bisect_steps'),
        }
      }
      return listed.length <= 1 ? { kind: 'found', commit: bad } : { kind: 'undecided', candidates: listed }
    },

    async describeCommits({ repository, commits }, signal) {
      if (commits.length === 0) return []
      const format = '--format=%H%x00%an%x00%ct%x00%s'
      const args = ['log', '--no-walk=unsorted', '--no-color', '--no-show-signature', format, ...commits]
      const text = await output({ repository, commits, args }, signal)
      return text.split('\n').flatMap(row => {
        const [commit = '', author = '', seconds = '', summary = ''] = row.split('\0')
        return isCommitId(commit)
          ? [{ commit, author: oneLine(author), date: dateOf(seconds), summary: oneLine(summary) }]
          : []
      })
    },
  }
}
