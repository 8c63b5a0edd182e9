// Holds a server while a feature makes skeletons, which else takes a moment:
// node --import test/helpers/held-scaffold.ts SERVER. After the first skeleton it makes the file `held` in its working
// folder, and goes on when that is gone, or when the job is cancelled.
import { existsSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { setTimeout as wait } from 'node:timers/promises'
import { createScaffold as createReal } from '../../src/pipelines/feature/scaffold/scaffold-feature.ts'

registerHooks({
  resolve(specifier, context, next) {
    const isAsked =
      specifier.endsWith('/scaffold-feature.ts') && context.parentURL?.endsWith('/feature/run.ts') === true
    return isAsked ? { url: import.meta.url, shortCircuit: true } : next(specifier, context)
  },
})

const HELD = 'held'

/** The real skill, which is held after its first call. */
export const createScaffold: typeof createReal = (job, project) => {
  const scaffold = createReal(job, project)
  let isFirst = true
  return async (...given) => {
    const made = await scaffold(...given)
    if (isFirst) writeFileSync(HELD, '')
    isFirst = false
    while (existsSync(HELD)) await wait(20, undefined, { signal: job.signal })
    return made
  }
}
