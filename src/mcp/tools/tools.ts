import type { Tool } from '../tool.ts'
import { explainLineHistory, findDefinition, findReferences, readCode, searchCode } from './code.ts'
import { getResolution, resolveStackTrace } from './resolutions.ts'

/** All tools, in the order that clients list them in. */
export const TOOLS: readonly Tool[] = [
  resolveStackTrace,
  searchCode,
  readCode,
  findDefinition,
  findReferences,
  explainLineHistory,
  getResolution,
]
