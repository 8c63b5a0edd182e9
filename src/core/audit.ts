import type { JobReply, JobType } from './job.ts'

/** Who does something: the name of a key, and the request with which. Null where there is none. */
export interface Actor {
  keyName: string | null
  requestId: string | null
}

/** Who is meant where nobody is named. */
export const NOBODY: Actor = { keyName: null, requestId: null }

/** What somebody did, or was refused; never a secret, nor what a body says. */
export interface NewAuditEntry {
  key: string | null
  /** `run.` with the type of a job; `job.`, `reply.`, `project.` and `session.` with a verb; or `refused`. */
  action: string
  projectName: string | null
  /** What it was done to: the id of a job, the names of settings, a route. */
  target: string | null
  /** `done`, or the code of the error. */
  outcome: string
  requestId: string | null
}

/** The entry of something that was done. */
export const done = (
  { keyName, requestId }: Actor,
  entry: Pick<NewAuditEntry, 'action' | 'projectName' | 'target'>,
): NewAuditEntry => ({ key: keyName, ...entry, outcome: 'done', requestId })

/** The action of starting a job. */
export const runOf = (type: JobType): string => `run.${type}`

/** The action of a reply. */
export function replyOf(reply: JobReply): string {
  if ('decision' in reply) return `reply.${reply.decision}`
  if ('skip' in reply) return 'reply.skip'
  return 'budget' in reply ? 'reply.budget' : 'reply.answer'
}
