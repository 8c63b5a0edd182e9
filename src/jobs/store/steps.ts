import type { DatabaseSync } from 'node:sqlite'
import type { Json } from '../../core/job.ts'
import { parse } from './rows.ts'
import { BUDGET_STEP } from '../waiting.ts'

/** A step with its output, or a question with the reply of a person; `position` counts both, from 1. */
export interface FinishedStep {
  name: string
  position: number
  output: Json
}

/** The memo of what is not to be repeated. The caller sees to the transaction. */
export function createSteps(db: DatabaseSync) {
  const output = db.prepare('SELECT output FROM job_steps WHERE job_seq = ? AND name = ?')
  const all = db.prepare(
    'SELECT name, position, output FROM job_steps WHERE job_seq = ? AND name <> ? ORDER BY position',
  )
  const add = db.prepare('INSERT INTO job_steps (job_seq, name, position, output, finished_at) VALUES (?, ?, ?, ?, ?)')
  const last = db.prepare('SELECT coalesce(max(position), 0) AS position FROM job_steps WHERE job_seq = ?')
  const copy = db.prepare(
    'INSERT INTO job_steps (job_seq, name, position, output, finished_at) SELECT ?, name, position, output, finished_at FROM job_steps WHERE job_seq = ? AND position < ? AND name <> ?',
  )

  /** Of the step that is to finish next: what it writes is kept with that number. */
  const next = (seq: number): number => Number(last.get(seq)?.position) + 1

  return {
    next,
    /** The stored output of a finished step, or undefined when it has still to run. */
    output(seq: number, name: string): { output: Json } | undefined {
      const row = output.get(seq, name)
      return row === undefined ? undefined : { output: parse(row.output as string) }
    },
    /**
     * But for a wait for a higher budget that nobody answered: it is no step of the pipeline, and a retry has a budget
     * of its own.
     */
    all: (seq: number): FinishedStep[] =>
      all
        .all(seq, BUDGET_STEP)
        .map(row => ({ name: String(row.name), position: Number(row.position), output: parse(row.output as string) })),
    add(seq: number, name: string, value: Json | undefined, at: string): void {
      add.run(seq, name, next(seq), JSON.stringify(value ?? null), at)
    },
    copy: (from: number, to: number, before: number): void => {
      copy.run(to, from, before, BUDGET_STEP)
    },
  }
}
