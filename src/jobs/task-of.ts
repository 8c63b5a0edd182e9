import type { JobType, JsonObject } from '../core/job.ts'
import type { NewTask } from '../core/task.ts'

/**
 * Which repository of a project is meant, and where it comes from; null where nothing is indexed that fits.
 *
 * @param repository - Its name, where the project holds several.
 */
export type FindSource = (
  projectName: string,
  repository?: string,
) => Promise<{ repository: string; url: string } | null>

/** Attempts of a body that does not say how many; the route writes the setting into it. */
const MAX_ATTEMPTS = 3

/** The row that a new job of type `task` gets; null for any other job. */
export async function taskOf(
  { type, input, projectName }: { type: JobType; input: JsonObject; projectName: string | null },
  findSource: FindSource,
): Promise<NewTask | null> {
  const { description, repository, max_attempts: maxAttempts } = input
  if (type !== 'task' || projectName === null || typeof description !== 'string') return null
  const named = typeof repository === 'string' ? repository : undefined
  const source = await findSource(projectName, named)
  return {
    description,
    projectName,
    repository: source?.repository ?? named ?? null,
    repoPath: source?.url ?? null,
    maxAttempts: typeof maxAttempts === 'number' ? maxAttempts : MAX_ATTEMPTS,
  }
}
