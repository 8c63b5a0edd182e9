import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { History } from '../../core/project.ts'
import { recordChanges } from './change-tables.ts'
import {
  historyOf,
  readCloneState,
  withUser,
  writeCloneState,
  type CloneState,
  type CloneUser,
} from '../clone/clone-state.ts'
import { packWhenMany, removeLeftovers } from '../clone/clone-upkeep.ts'
import { requireFreeSpace } from '../clone/disk-space.ts'
import { isShallow } from '../remote/fetch-commit.ts'
import { FETCHED_REFS } from '../remote/fetch-plan.ts'
import { withinLimits } from '../limits.ts'
import { openLocalGit, type LocalGit } from '../clone/local-git.ts'
import type { RemoteRefs } from '../remote/remote-refs.ts'
import type { RemoteSession } from '../remote/remote-session.ts'
import type { UrlPolicy } from '../remote/repository-url.ts'
import { openKnownRemote } from '../uploads/uploaded-remote.ts'
import { noSuchClone, type CloneContext } from '../clone/sync.ts'

const MAX_COMMITS = 5_000
const YEAR_S = 365 * 86_400
const DEPTHS = [50, 250, 1_000, MAX_COMMITS]
const MAX_TAGS = 50_000

/** The clone and the project whose history is fetched. */
export interface HistoryRequest {
  repository: string
  projectName: string
  signal: AbortSignal
}

interface HistoryContext extends CloneContext, UrlPolicy {
  /** Called for a clone whose table of changes was damaged, after it was replaced. */
  onDamagedChanges: (repository: string) => void
}

/** Commits whose parents were not fetched. */
const shallowCommits = async (gitDir: string): Promise<Set<string>> =>
  new Set((await readFile(join(gitDir, 'shallow'), 'utf8').catch(() => '')).split('\n'))

/** The state without commits whose history has come since they were fetched alone. */
async function withoutMended({ cutOff = [], ...state }: CloneState, gitDir: string): Promise<CloneState> {
  const shallow = cutOff.length === 0 ? new Set<string>() : await shallowCommits(gitDir)
  const left = cutOff.filter(commit => shallow.has(commit))
  return left.length === 0 ? state : { ...state, cutOff: left }
}

async function isEnough(git: LocalGit, commit: string): Promise<boolean> {
  if (!(await isShallow(git.gitDir))) return true
  const cutOff = await shallowCommits(git.gitDir)
  const { stdout } = await git.run(['log', '--format=%H %ct', `--max-count=${MAX_COMMITS}`, commit])
  const commits = stdout
    .toString()
    .trim()
    .split('\n')
    .map(line => line.split(' '))
  if (commits.length >= MAX_COMMITS) return true
  const newest = Number(commits[0]?.[1])
  return commits.every(([id = '', date]) => !cutOff.has(id) || Number(date) < newest - YEAR_S)
}

/**
 * Deepens in steps, because only present commits can be counted: a depth of 5,000 in a history full of merges would
 * fetch a multiple of it.
 */
async function deepen(session: RemoteSession, git: LocalGit, user: CloneUser, signal: AbortSignal): Promise<void> {
  const direct = { source: user.commit, target: `${FETCHED_REFS}/${user.commit}` }
  let from = direct
  for (const depth of DEPTHS) {
    if (await isEnough(git, user.commit)) break
    const fetchFrom = async () =>
      await session.fetch({
        gitDir: git.gitDir,
        refspecs: [`+${from.source}:${from.target}`],
        depth,
        isLowPriority: true,
        signal,
      })
    if ((await fetchFrom()) === 'fetched') continue
    if (from !== direct) break // its branch is gone: what is here is all that there will be
    from = user // a server that gives out no commits by their id, or has dropped this one
    if ((await fetchFrom()) !== 'fetched') break
  }
  await git.updateRefs([{ ref: direct.target, commit: null }])
}

/**
 * Whether a tag collides with another as `a/b` does with `a`: no real repository has both, and git would refuse the
 * second.
 */
function hasPrefixIn(name: string, tags: ReadonlyMap<string, string>): boolean {
  return name.split('/').some((_part, index, parts) => index > 0 && tags.has(parts.slice(0, index).join('/')))
}

/** Creates local tags for the remote's tags whose commit is present, so that names resolve without the network. */
async function learnTags(git: LocalGit, { tags }: RemoteRefs): Promise<void> {
  const named = [...tags].slice(0, MAX_TAGS).filter(([name]) => !hasPrefixIn(name, tags))
  const { stdout } = await git.run(
    ['cat-file', '--batch-check=%(objecttype)'],
    named.map(([, commit]) => `${commit}\n`).join(''),
  )
  const types = stdout.toString().split('\n')
  const present = new Map(
    named.filter((_tag, index) => types[index] === 'commit').map(([name, commit]) => [`refs/tags/${name}`, commit]),
  )
  const gone = (await git.refNames('refs/tags')).filter(ref => !present.has(ref))
  await git.updateRefs(gone.map(ref => ({ ref, commit: null })))
  await git.updateRefs([...present].map(([ref, commit]) => ({ ref, commit })))
}

/**
 * Deepens a project's commit by a year or 5,000 commits, whichever comes first, records what they changed, and learns
 * their tags. See `Repos.fetchHistory`.
 */
export async function deepenClone(
  context: HistoryContext,
  { repository, projectName, signal: callers }: HistoryRequest,
): Promise<History | 'interrupted'> {
  const gitDir = join(context.clonedReposDir, repository)
  return await context.mutexes.runUntilNeeded(
    repository.toLowerCase(),
    async outer => {
      const state = await readCloneState(gitDir)
      const user = state?.users.find(({ project }) => project === projectName)
      if (state === null || user === undefined) throw noSuchClone(repository)
      await requireFreeSpace(gitDir, context.limits.minFreeBytes)
      const recordLast = async (signal: AbortSignal) => {
        const { wasDamaged } = await recordChanges(gitDir, {
          commit: user.commit,
          held: new Set(state.users.map(({ commit }) => commit)),
          searchPath: context.searchPath,
          signal,
        })
        if (wasDamaged) context.onDamagedChanges(repository)
      }
      if (user.history === 'full') await recordLast(outer) // also without the network
      const session = await openKnownRemote(state.url, context, outer)
      try {
        return await withinLimits(gitDir, context.limits, outer, async signal => {
          const git = openLocalGit(gitDir, { ...context, signal })
          if (user.history !== 'full') {
            await deepen(session, git, user, signal)
            await recordLast(signal)
          }
          await learnTags(git, await session.listRefs(signal, context.limits.answerMs))
          const next = withUser(await withoutMended(state, gitDir), { ...user, history: 'full' })
          await writeCloneState(gitDir, next)
          await packWhenMany(gitDir, { ...context, signal })
          return historyOf(next)
        })
      } catch (error) {
        await removeLeftovers(gitDir)
        throw error
      }
    },
    callers,
  )
}
