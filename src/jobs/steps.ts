import type { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/job.ts'
import { parse } from './rows.ts'

/** A step with its output, or a question with the reply of a person; `position` counts both, from 1. */
export interface FinishedStep { name: string, position: number, output: Json }

/** The memo of what is not to be repeated. The caller sees to the transaction. */
export function createSteps (db: DatabaseSync) {
  const output = db.prepare('SELECT output FROM job_steps WHERE job_seq = ? AND name = ?')
  const all = db.prepare('SELECT name, position, output FROM job_steps WHERE job_seq = ? ORDER BY position')
  const add = db.prepare('INSERT INTO job_steps (job_seq, name, position, output, finished_at) VALUES (?, ?, ?, ?, ?)')
  const last = db.prepare('SELECT coalesce(max(position), 0) AS position FROM job_steps WHERE job_seq = ?')
  const copy = db.prepare('INSERT INTO job_steps (job_seq, name, position, output, finished_at) SELECT ?, name, position, output, finished_at FROM job_steps WHERE job_seq = ? AND position < ?')

  /** Of the step that is to finish next: what it writes is kept with that number. */
  const next = (seq: number): number => Number(last.get(seq)?.position) + 1

  return {
    next,
    /** The stored output of a finished step, or undefined when it has still to run. */
    output (seq: number, name: string): { output: Json } | undefined {
      const row = output.get(seq, name)
      return row === undefined ? undefined : { output: parse(row.output as string) }
    },
    all: (seq: number): FinishedStep[] => all.all(seq).map(row => ({ name: String(row.name), position: Number(row.position), output: parse(row.output as string) })),
    add (seq: number, name: string, value: Json | undefined, at: string): void {
      add.run(seq, name, next(seq), JSON.stringify(value ?? null), at)
    },
    copy: (from: number, to: number, before: number): void => { copy.run(to, from, before) },
  }
}

/** The steps to keep; the step that failed, which has no output, can be named as well as a finished one or a question. */
export function stepsBefore (name: string, steps: FinishedStep[], failedStep: string | null): FinishedStep[] {
  const at = steps.findIndex(step => step.name === name)
  if (at >= 0) return steps.slice(0, at)
  if (name === failedStep) return steps
  const known = [...steps.map(step => step.name), ...(failedStep === null || steps.some(step => step.name === failedStep) ? [] : [failedStep])]
  throw new FaultlineError('BAD_REQUEST', `The job never got to a step ${JSON.stringify(name)}.`, `Its steps are: ${known.join(', ') || 'none'}.`)
}

export function changedFields (before: JsonObject, after: JsonObject): Set<string> {
  const fields = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  return new Set(fields.filter(field => JSON.stringify(before[field]) !== JSON.stringify(after[field])))
}
