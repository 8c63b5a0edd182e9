import type { Config } from '../config.ts'
import { Projects } from '../indexer/projects.ts'
import type { JobStore } from '../jobs/store/job-store.ts'
import { projectKey } from '../pipelines/clone/run.ts'
import type { Store } from '../vecstore/store.ts'
import { embeddingOf } from './embedding.ts'
import type { Git } from './git.ts'

/** Projects over their indexes and clones; which of them are busy is for the jobs to say. */
export const createProjects = (
  config: Config,
  { store, git, jobStore }: { store: Store; git: Git; jobStore: Pick<JobStore, 'isProjectBusy' | 'isActive'> },
): Projects =>
  new Projects({
    store,
    historyOf: git.history,
    releaseClones: git.release,
    isBusy: projectName => jobStore.isProjectBusy(projectName),
    isCloning: projectName => jobStore.isActive(projectKey(projectName)),
    embedding: embeddingOf(config),
  })
