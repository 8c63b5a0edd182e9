import type { FeatureWriter } from '../job-context.ts'
import type { FeatureStore } from '../store/feature-store.ts'
import type { RunKey } from '../store/run-key.ts'

/** What the branch of a feature is written with. */
interface FeatureWriterParts {
  features: FeatureStore
  run: RunKey
  job: { id: string; projectName: string | null }
  /** Writes in the order of the calls; refuses once the run has ended. */
  write: (work: () => Promise<void>) => Promise<void>
}

/** Writes to the branch of the feature of one run of a job. */
export function createFeatureWriter({ features, run, job, write }: FeatureWriterParts): FeatureWriter {
  const { id: jobId, projectName } = job
  return {
    async claim(of) {
      if (projectName === null) throw new Error('a feature without a project')
      let isOurs = false
      await write(async () => {
        isOurs = await features.claim(run, { jobId, projectName, ...of })
      })
      return isOurs
    },
    update: fields => write(() => features.update(run, fields)),
    own: () => features.find(jobId),
    async others() {
      const own = await features.find(jobId)
      if (own === null) return []
      return (await features.open({ repository: own.repository })).filter(other => other.jobId !== jobId)
    },
  }
}
