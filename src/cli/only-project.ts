import type { Backend } from './backend/backend.ts'
import { usageError } from './cli-error.ts'

const MAX_LISTED = 10

/**
 * The project that is meant when none is named.
 *
 * @throws {CliError} USAGE unless there is exactly one.
 */
export async function onlyProject(backend: Backend): Promise<string> {
  const { data } = await backend.listProjects({ limit: MAX_LISTED })
  const [only] = data
  if (only !== undefined && data.length === 1) return only.project_name
  if (only === undefined) throw usageError('There is no project yet.', '"faultline clone <url>" makes one.')
  const names = data.map(project => project.project_name).join(', ')
  const more = data.length === MAX_LISTED ? ' …' : ''
  throw usageError('There are several projects.', `Name one with --project: ${names}${more}.`)
}
