import { createHash } from 'node:crypto'
import { intervalMs } from '../core/interval.ts'
import type { PushPayload } from '../core/push-payload.ts'
import type { PushProvider } from '../core/push-signature.ts'
import type { JsonObject } from '../core/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { createFollower, type Follower, type FollowedRepository } from '../pipelines/clone/follow.ts'
import type { PreparedRequests } from '../pipelines/registry.ts'
import { remoteIdentity } from '../repos/remote/remote-identity.ts'
import { isUploaded } from '../repos/uploads/uploaded-remote.ts'
import type { Projects } from '../indexer/projects.ts'
import type { Store } from '../vecstore/store.ts'
import type { Git } from './git.ts'
import type { Log } from './log.ts'

/** A job of this length is not waited for: the next project is looked at meanwhile. */
const JOB_WAIT_MS = 600_000

/** What keeps projects up to date. */
export interface Following {
  follower: Follower
  /** Looks whether a project has anything new, and resolves when that is indexed. */
  look(projectName: string, signal?: AbortSignal): Promise<void>
  /**
   * Makes the clone jobs that a push asks for: one for each repository of a project that follows the branch.
   *
   * @returns The first of them, and whether an earlier delivery made it; null where nothing follows the branch.
   */
  pushed(
    push: Extract<PushPayload, { kind: 'push' }>,
    from: { provider: PushProvider; delivery: string },
  ): Promise<Awaited<ReturnType<Jobs['create']>> | null>
}

interface FollowingDeps {
  store: Pick<Store, 'listProjects' | 'readManifest' | 'readSettings'>
  projects: Pick<Projects, 'isCloning'>
  git: Pick<Git, 'tipOf'>
  jobs: Pick<Jobs, 'create' | 'settled'>
  requests: Pick<PreparedRequests, 'clone'>
  /** Whether this process looks for new commits, of several. */
  leads: () => boolean
  log: Log
}

/** Connects schedules and webhooks with clone jobs. */
export function createFollowing({ store, projects, git, jobs, requests, leads, log }: FollowingDeps): Following {
  /** Repositories of a project that follow a branch of a remote; none of a project that cannot be read. */
  async function followedBy(projectName: string): Promise<FollowedRepository[]> {
    const manifest = await store.readManifest(projectName).catch(() => null)
    return (manifest?.repositories ?? [])
      .filter(({ url, branch }) => branch !== null && !isUploaded(url))
      .map(repository => ({ ...repository, projectName }))
  }

  const inputOf = ({ url, branch, include, exclude, projectName }: FollowedRepository): Promise<JsonObject> =>
    requests.clone.complete({ url, branch: branch ?? undefined, include, exclude, project_name: projectName })

  async function isBehind({ url, branch, commit }: FollowedRepository, signal: AbortSignal): Promise<boolean> {
    const tip = await git.tipOf({ url, branch: branch ?? '' }, signal)
    return tip !== null && tip !== commit
  }

  async function look(projectName: string, signal: AbortSignal): Promise<void> {
    for (const repository of await followedBy(projectName)) {
      if (await projects.isCloning(projectName)) return // what is new comes with that
      if (!(await isBehind(repository, signal))) continue
      const { job } = await jobs.create('clone', await inputOf(repository))
      await jobs.settled(job.id, JOB_WAIT_MS, signal)
    }
  }

  const follower = createFollower({
    async list() {
      if (!leads()) return []
      const listed = await Promise.all(
        (await store.listProjects()).map(async projectName => {
          const settings = await store.readSettings(projectName).catch(() => null)
          const everyMs = intervalMs(settings?.sync?.every ?? '')
          if (everyMs === null) return []
          const times = (await followedBy(projectName)).map(({ indexedAt }) => Date.parse(indexedAt))
          return times.length === 0 ? [] : [{ projectName, everyMs, lastAt: Math.min(...times) }]
        }),
      )
      return listed.flat()
    },
    update: look,
    onError: (error, project) => log.warn({ err: error, project }, 'a project could not be looked at for new commits'),
  })

  return {
    follower,
    look: (projectName, signal = new AbortController().signal) => look(projectName, signal),
    async pushed({ branch, urls }, { provider, delivery }) {
      const named = new Set((await Promise.all(urls.map(remoteIdentity))).filter(identity => identity !== null))
      let first: Awaited<ReturnType<Jobs['create']>> | null = null
      for (const projectName of await store.listProjects()) {
        for (const repository of await followedBy(projectName)) {
          const identity = repository.branch === branch ? await remoteIdentity(repository.url) : null
          if (identity === null || !named.has(identity)) continue
          const key = JSON.stringify([delivery, projectName, repository.repository])
          const made = await jobs.create('clone', await inputOf(repository), {
            trust: 'untrusted',
            idempotency: {
              scope: `webhook push ${provider}`,
              key: createHash('sha256').update(key).digest('hex'),
              bodySha256: '', // the id alone tells what was delivered already
            },
          })
          first ??= made
        }
      }
      return first
    },
  }
}
