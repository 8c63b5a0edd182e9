import type { Tool } from '../tool.ts'
import { explainLineHistory, findDefinition, findReferences, readCode, searchCode } from './code.ts'
import { cancelJob, getJob, replyToJob, STARTING_TOOLS } from './jobs.ts'
import { listProjects } from './projects.ts'
import { getResolution, resolveStackTrace } from './resolutions.ts'

/** All tools, in the order that clients list them in. */
export const TOOLS: readonly Tool[] = [
  listProjects,
  resolveStackTrace,
  getResolution,
  searchCode,
  readCode,
  findDefinition,
  findReferences,
  explainLineHistory,
  ...STARTING_TOOLS,
  getJob,
  replyToJob,
  cancelJob,
]
