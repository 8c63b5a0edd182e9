import { done, type Actor } from '../core/audit.ts'
import { FaultlineError } from '../core/errors.ts'
import { projectBusy, type Projects } from '../indexer/projects.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { AuditStore } from '../jobs/store/audit-store.ts'
import type { FeatureStore } from '../jobs/store/feature-store.ts'
import type { TaskStore } from '../jobs/store/task-store.ts'

/** What a project is removed from. */
interface RemovalDeps {
  projects: Pick<Projects, 'remove' | 'need'>
  jobs: Pick<Jobs, 'hasAny' | 'purge'>
  audit: AuditStore
  tasks: Pick<TaskStore, 'list' | 'removeOfProject'>
  features: Pick<FeatureStore, 'removeOfProject'>
  /** Aborts what is open of the project's features, as far as the remote lets it. */
  settleFeatures: (projectName: string) => Promise<void>
  /** Whether any job of the project is queued, running or waiting. */
  isBusy: (projectName: string) => Promise<boolean>
  /** What else is kept of a project: each forgets all of it when the project is purged. */
  purges?: ReadonlyArray<(projectName: string) => Promise<void>>
}

/** Deletes a project; with `purge` also what is kept of its past. */
export type RemoveProject = (name: string, options: { purge?: boolean }, by: Actor) => Promise<void>

const PURGE = 'project.purge'

/** Removes projects, and notes who did. */
export function createRemoval({
  projects,
  jobs,
  audit,
  tasks,
  features,
  settleFeatures,
  isBusy,
  purges = [],
}: RemovalDeps): RemoveProject {
  /** Whether something is left of a project that was deleted, or whose purge was cut off. */
  async function hasPast(name: string): Promise<boolean> {
    if (await jobs.hasAny(name)) return true
    if ((await tasks.list({ projectName: name }, 1, null)).length > 0) return true
    return (await audit.list({ projectName: name }, 200, null)).some(({ action }) => action !== PURGE)
  }

  /** The stored name; null of a project that is gone and of which something is left. */
  async function stored(name: string, isPurged: boolean): Promise<string | null> {
    try {
      return await projects.need(name)
    } catch (error) {
      const isUnknown = error instanceof FaultlineError && error.code === 'PROJECT_NOT_FOUND'
      if (!isUnknown || !isPurged || !(await hasPast(name))) throw error
      return null
    }
  }

  return async (name, { purge = false }, by) => {
    const projectName = await stored(name, purge)
    if (await isBusy(projectName ?? name)) throw projectBusy(projectName ?? name)
    await settleFeatures(projectName ?? name) // as long as its clones are there
    if (projectName !== null) await projects.remove(projectName)
    // nothing else would ever forget these
    await tasks.removeOfProject(projectName ?? name)
    await features.removeOfProject(projectName ?? name)
    const about = { projectName: projectName ?? name, target: projectName ?? name }
    if (!purge) {
      await audit.add(done(by, { action: 'project.delete', ...about }))
      return
    }
    await jobs.purge(about.projectName)
    for (const forget of purges) await forget(about.projectName)
    await audit.replace(about.projectName, done(by, { action: PURGE, ...about }))
  }
}
