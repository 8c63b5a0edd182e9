import type { ParsedTrace } from '../core/frame.ts'
import { parseStackTrace } from '../stack-trace/parse.ts'

/** `POST /parse` for a command: in this thread, without any store. */
export const parseOnly = (stackTrace: string): ParsedTrace => parseStackTrace(stackTrace)
