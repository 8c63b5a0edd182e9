import type { UploadInput } from '../../contract/upload.ts'
import { FaultlineError } from '../../core/errors.ts'
import { isProjectName } from '../../core/project.ts'
import type { Preparation } from '../pipeline.ts'
import type { ClonePreparationDeps } from './prepare.ts'

/** Checks what was said of an uploaded file; the repository in it is named as the project unless it says otherwise. */
export function prepareUpload({
  callback,
  projects,
  checkRef,
  globTest,
}: Omit<ClonePreparationDeps, 'checkUrl'>): Preparation<UploadInput, UploadInput & { repository: string }> {
  return {
    async complete(body) {
      callback.check(body.callback_url)
      if (body.branch !== undefined) checkRef('branch', body.branch)
      if (body.ref !== undefined) checkRef('ref', body.ref)
      globTest([...(body.include ?? []), ...(body.exclude ?? [])]) // throws for a glob that cannot be used
      const wrong = [body.project_name, body.repository ?? body.project_name].find(name => !isProjectName(name))
      if (wrong !== undefined) {
        throw new FaultlineError(
          'VALIDATION_FAILED',
          `${JSON.stringify(wrong)} cannot be the name of a project or of its repository.`,
          'Use letters, digits, ".", "_" and "-", no reserved name.',
        )
      }
      const projectName = await projects.canonicalName(body.project_name)
      const input = { ...body, project_name: projectName, repository: body.repository ?? projectName }
      return { ...input, ...(await callback.of(input)) }
    },
  }
}
