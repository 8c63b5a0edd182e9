import type { DatabaseSync } from 'node:sqlite'

/** `diff`: for people, against what the job was given; `patch`: with its commit message, for git. */
export type TextKind = 'diff' | 'patch'

/** The texts that come of a job beside its files. A later one takes the place of the one before. */
export function createJobTexts(db: DatabaseSync, nextPosition: (seq: number) => number) {
  const latest = db.prepare('SELECT text FROM job_texts WHERE job_seq = ? AND kind = ? ORDER BY position DESC LIMIT 1')
  const set = db.prepare('INSERT OR REPLACE INTO job_texts (job_seq, kind, position, text) VALUES (?, ?, ?, ?)')
  const copy = db.prepare(
    'INSERT INTO job_texts (job_seq, kind, position, text) SELECT ?, kind, position, text FROM job_texts WHERE job_seq = ? AND position < ?',
  )
  return {
    set: (seq: number, kind: TextKind, text: string): void => {
      set.run(seq, kind, nextPosition(seq), text)
    },
    get(seq: number, kind: TextKind): string | null {
      const row = latest.get(seq, kind)
      return row === undefined ? null : String(row.text)
    },
    /** Gives a new job what another one had before its step number `before`. */
    adopt: (from: number, to: number, before: number): void => {
      copy.run(to, from, before)
    },
  }
}
