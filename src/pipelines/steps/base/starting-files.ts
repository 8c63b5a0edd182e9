import type { JobContext } from '../../../jobs/job-context.ts'
import type { Sandbox } from '../../../sandbox/sandbox.ts'
import { sentFiles, type BaseFiles } from './base-files.ts'
import { filesOf } from './kept-files.ts'
import { projectBase, type ProjectBase, type ProjectBaseDeps } from './project-base.ts'

/** What beginning with any files needs. */
export interface StartingDeps extends ProjectBaseDeps {
  sandbox: Pick<Sandbox, 'fill'>
}

/** Where a body says that the files come from; those of an earlier job were copied into `files`. */
interface FileSource {
  files?: Record<string, string>
  project_name?: string
  repository?: string
  allow_paths?: string[]
}

/** The files that a job begins with: those sent, which it keeps, or a project's. */
export async function startingFiles(
  job: JobContext,
  deps: StartingDeps,
  { files: sent, project_name: projectName, repository, allow_paths: allowPaths }: FileSource,
): Promise<{ base: BaseFiles; project: ProjectBase | null }> {
  if (projectName !== undefined) {
    const project = await projectBase(job, deps, { projectName, repository, allowPaths })
    return { base: project.base, project }
  }
  const files = filesOf(sent)
  await job.step('files', async () => {
    await job.files.put(files)
  })
  return { base: sentFiles(files, deps.sandbox), project: null }
}
