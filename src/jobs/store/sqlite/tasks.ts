import type { DatabaseSync } from 'node:sqlite'
import {
  taskTitle,
  type NewTask,
  type NewTaskLog,
  type Task,
  type TaskFields,
  type TaskLog,
} from '../../../core/task.ts'
import type { JobKey } from '../job-store.ts'
import type { RunKey } from '../run-key.ts'
import { CHANGING_OF_TASKS, rounded, TASK_COLUMNS, toTask, toTaskLog } from '../task-rows.ts'
import type { TaskFilter, TaskStore } from '../task-store.ts'
import type { Attempts } from './attempts.ts'
import { overwriting } from './database.ts'
import type { Transactions } from './transactions.ts'

/** What tasks take of their store. */
interface TaskParts {
  at: () => string
  attempts: Attempts
  /** Whether the job runs: nothing that a run still does comes after the end of its task. */
  isRunning: (seq: number) => boolean
}

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(
    `INSERT INTO tasks (job_seq, job_id, title, description, status, project_name, repository, repo_path, attempt,
       max_attempts, created_at, updated_at)
     VALUES (?, ?, ?, ?, 'pending', ?, ?, ?, 0, ?, ?, ?)`,
  ),
  find: db.prepare(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = ?`),
  numberOf: db.prepare('SELECT id FROM tasks WHERE job_seq = ?'),
  end: db.prepare('UPDATE tasks SET status = ?, error_message = ?, updated_at = ? WHERE job_seq = ?'),
  log: db.prepare(
    `INSERT INTO task_logs (task_id, name, agent, action, input_summary, output_summary, tokens_used, duration_ms,
       created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (task_id, name) DO UPDATE SET agent = excluded.agent, action = excluded.action,
       input_summary = excluded.input_summary, output_summary = excluded.output_summary,
       tokens_used = excluded.tokens_used, duration_ms = excluded.duration_ms, created_at = excluded.created_at
     WHERE (agent, action, input_summary, output_summary, tokens_used, duration_ms) IS NOT
       (excluded.agent, excluded.action, excluded.input_summary, excluded.output_summary, excluded.tokens_used,
        excluded.duration_ms)`,
  ),
  logs: db.prepare(
    `SELECT id, agent, action, input_summary, output_summary, tokens_used, duration_ms, created_at
     FROM task_logs WHERE task_id = ? ORDER BY id`,
  ),
  removeOfProject: db.prepare('DELETE FROM tasks WHERE lower(project_name) = lower(?)'),
})

/** Holds the conditions that are asked for and no others: `status IS NULL OR …` would read every row. */
function listQuery({ status, projectName, visibleTo = null }: TaskFilter, limit: number, before: number | null) {
  const parts: Array<[condition: string, parameters: Record<string, string | number>]> = [
    ['id < :before', { before: before ?? Number.MAX_SAFE_INTEGER }],
  ]
  if (status !== undefined) parts.push(['status = :status', { status }])
  if (projectName !== undefined) parts.push(['lower(project_name) = lower(:project)', { project: projectName }])
  if (visibleTo !== null) {
    const projects = JSON.stringify(visibleTo.projects)
    parts.push(['lower(project_name) IN (SELECT value FROM json_each(:projects))', { projects }])
  }
  const where = parts.map(([condition]) => condition).join(' AND ')
  const parameters: Record<string, string | number> = { limit }
  for (const [, own] of parts) Object.assign(parameters, own)
  return { sql: `SELECT ${TASK_COLUMNS} FROM tasks WHERE ${where} ORDER BY id DESC LIMIT :limit`, parameters }
}

/** Tasks and their logs, in two tables. */
export class SqliteTasks implements TaskStore {
  readonly #db: DatabaseSync
  readonly #writes: Transactions
  readonly #parts: TaskParts
  readonly #statements: ReturnType<typeof prepare>

  constructor(db: DatabaseSync, writes: Transactions, parts: TaskParts) {
    this.#db = db
    this.#writes = writes
    this.#parts = parts
    this.#statements = prepare(db)
  }

  /** Adds the task of a new job, within a transaction of the caller. */
  addNow({ seq, id }: JobKey, { description, projectName, repository, repoPath, maxAttempts }: NewTask): void {
    const at = this.#parts.at()
    const title = taskTitle(description)
    this.#statements.add.run(seq, id, title, description, projectName, repository, repoPath, maxAttempts, at, at)
  }

  /** Ends the task of a job, if it has one, within a transaction of the caller. */
  endNow(seq: number, { status, message }: { status: 'done' | 'failed'; message: string | null }): void {
    this.#statements.end.run(status, message, this.#parts.at(), seq)
  }

  async find(number: number): Promise<Task | null> {
    const row = this.#statements.find.get(number)
    return row === undefined ? null : toTask(row)
  }

  async list(filter: TaskFilter, limit: number, before: number | null): Promise<Task[]> {
    const { sql, parameters } = listQuery(filter, limit, before)
    return this.#db.prepare(sql).all(parameters).map(toTask)
  }

  async logs(number: number): Promise<TaskLog[]> {
    return this.#statements.logs.all(number).map(toTaskLog)
  }

  async numberOf(seq: number): Promise<number | null> {
    return this.#numberNow(seq)
  }

  async update(run: RunKey, fields: TaskFields): Promise<void> {
    this.#parts.attempts.check(run)
    if (!this.#parts.isRunning(run.seq)) return
    const number = this.#needNumber(run.seq)
    const changed = Object.entries(CHANGING_OF_TASKS).filter(
      ([field]) => fields[field as keyof TaskFields] !== undefined,
    )
    if (changed.length === 0) return
    const set = [...changed.map(([, column]) => column), 'updated_at'].map(column => `${column} = ?`).join(', ')
    const values = changed.map(([field]) => fields[field as keyof TaskFields] ?? null)
    this.#writes.quick(() =>
      this.#db.prepare(`UPDATE tasks SET ${set} WHERE id = ?`).run(...values, this.#parts.at(), number),
    )
  }

  async log(run: RunKey, name: string, entry: NewTaskLog): Promise<boolean> {
    this.#parts.attempts.check(run)
    if (!this.#parts.isRunning(run.seq)) return false
    const number = this.#needNumber(run.seq)
    const { agent, action, inputSummary, outputSummary, tokensUsed, durationMs } = entry
    const spent = [rounded(tokensUsed), rounded(durationMs)]
    const { changes } = this.#writes.quick(() =>
      this.#statements.log.run(number, name, agent, action, inputSummary, outputSummary, ...spent, this.#parts.at()),
    )
    return Number(changes) > 0
  }

  async removeOfProject(projectName: string): Promise<void> {
    overwriting(this.#db, () => this.#writes.vital(() => this.#statements.removeOfProject.run(projectName)))
  }

  #needNumber(seq: number): number {
    const number = this.#numberNow(seq)
    if (number === null) throw new Error('the job works on no task')
    return number
  }

  #numberNow(seq: number): number | null {
    const id = this.#statements.numberOf.get(seq)?.id
    return id === undefined ? null : Number(id)
  }
}
