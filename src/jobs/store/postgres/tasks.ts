import {
  taskTitle,
  type NewTask,
  type NewTaskLog,
  type Task,
  type TaskFields,
  type TaskLog,
} from '../../../core/task.ts'
import type { Database } from '../../../postgres/database.ts'
import type { RunKey } from '../run-key.ts'
import { claimedAgain } from '../status-changes.ts'
import { CHANGING_OF_TASKS, rounded, TASK_COLUMNS, toTask, toTaskLog } from '../task-rows.ts'
import type { TaskFilter, TaskStore } from '../task-store.ts'
import type { RunWrites } from './run-writes.ts'
import { Values, type Clock } from './values.ts'
import { listQuery } from './visible-rows.ts'

/** The parts of `WITH` that add the task of the new job of `fence`; no number is left out, also when it is undone. */
export function taskRow(values: Values, clock: Clock, task: NewTask): Record<string, string> {
  const { description, projectName, repository, repoPath, maxAttempts } = task
  const texts = [taskTitle(description), description].map(text => values.add(text, 'text'))
  const places = [projectName, repository, repoPath].map(text => values.add(text, 'text'))
  return {
    number: `UPDATE counters SET value = value + 1 FROM fence WHERE name = 'tasks'
      RETURNING value, fence.seq, fence.id`,
    task: `INSERT INTO tasks (id, job_seq, job_id, title, description, status, project_name, repository, repo_path,
        attempt, max_attempts, created_at, updated_at)
      SELECT value, seq, id, ${texts.join(', ')}, 'pending', ${places.join(', ')}, 0, ${values.add(maxAttempts, 'int')},
        ${clock.now(values)}, ${clock.now(values)} FROM number`,
  }
}

/** Tasks and their logs, in two tables. */
export class PostgresTasks implements TaskStore {
  readonly #db: Database
  readonly #clock: Clock
  readonly #runs: RunWrites

  constructor(db: Database, clock: Clock, runs: RunWrites) {
    this.#db = db
    this.#clock = clock
    this.#runs = runs
  }

  async find(number: number): Promise<Task | null> {
    const { rows } = await this.#db.query(`SELECT ${TASK_COLUMNS} FROM tasks WHERE id = $1`, [number])
    return rows[0] === undefined ? null : toTask(rows[0])
  }

  async list(
    { status, projectName, visibleTo = null }: TaskFilter,
    limit: number,
    before: number | null,
  ): Promise<Task[]> {
    const values = new Values()
    const conditions: string[] = []
    if (before !== null) conditions.push(`id < ${values.add(before)}`)
    if (status !== undefined) conditions.push(`status = ${values.add(status)}`)
    if (projectName !== undefined) conditions.push(`lower(project_name) = lower(${values.add(projectName)})`)
    const query = { table: 'tasks', columns: TASK_COLUMNS, by: 'id', conditions, visibleTo, hasKeys: false, limit }
    const { rows } = await this.#db.reads.query(listQuery(values, query), values.list)
    return rows.map(toTask)
  }

  async logs(number: number): Promise<TaskLog[]> {
    const { rows } = await this.#db.query(
      `SELECT id, agent, action, input_summary, output_summary, tokens_used, duration_ms, created_at
       FROM task_logs WHERE task_id = $1 ORDER BY id`,
      [number],
    )
    return rows.map(toTaskLog)
  }

  async numberOf(seq: number): Promise<number | null> {
    const { rows } = await this.#db.query('SELECT id FROM tasks WHERE job_seq = $1', [seq])
    return rows[0] === undefined ? null : Number(rows[0].id)
  }

  async update(run: RunKey, fields: TaskFields): Promise<void> {
    const changed = Object.entries(CHANGING_OF_TASKS).flatMap(([field, column]) => {
      const value = fields[field as keyof TaskFields]
      return value === undefined ? [] : [{ column, value }]
    })
    await this.#write(run, values => {
      const set = changed.map(({ column, value }) => `${column} = ${values.add(value)}`)
      const nothing: Record<string, string> = {}
      if (set.length === 0) return nothing
      return {
        changed: `UPDATE tasks SET ${set.join(', ')}, updated_at = ${this.#clock.now(values)}
          FROM task WHERE tasks.id = task.id`,
      }
    })
  }

  async log(run: RunKey, name: string, entry: NewTaskLog): Promise<boolean> {
    const { agent, action, inputSummary, outputSummary, tokensUsed, durationMs } = entry
    return this.#write(
      run,
      values => {
        const texts = [name, agent, action, inputSummary, outputSummary].map(text => values.add(text, 'text'))
        const spent = [tokensUsed, durationMs].map(number => values.add(rounded(number), 'bigint'))
        const columns = ['agent', 'action', 'input_summary', 'output_summary', 'tokens_used', 'duration_ms']
        const given = columns.map(column => `excluded.${column}`)
        return {
          said: `INSERT INTO task_logs AS known (task_id, name, ${columns.join(', ')}, created_at)
            SELECT id, ${texts.join(', ')}, ${spent.join(', ')}, ${this.#clock.now(values)} FROM task
            ON CONFLICT (task_id, name) DO UPDATE
              SET (${columns.join(', ')}, created_at) = ROW(${given.join(', ')}, excluded.created_at)
              WHERE (${columns.map(column => `known.${column}`).join(', ')}) IS DISTINCT FROM (${given.join(', ')})
            RETURNING id`,
        }
      },
      'EXISTS (SELECT 1 FROM said) AS is_new',
    )
  }

  async removeOfProject(projectName: string): Promise<void> {
    await this.#db.query('DELETE FROM tasks WHERE lower(project_name) = lower($1)', [projectName])
  }

  /**
   * Writes to the task of a job that runs.
   *
   * @returns What it selects as `is_new`; true for what a try wrote whose answer was lost, false where the job has
   * ended.
   * @throws {Error} The job was claimed again, or works on no task.
   */
  async #write(
    run: RunKey,
    parts: (values: Values) => Record<string, string>,
    select = 'true AS is_new',
  ): Promise<boolean> {
    const written = await this.#runs.write(run, {
      needsRunning: true,
      isQuick: true,
      parts: values => ({
        and: {
          task: 'SELECT tasks.id FROM tasks JOIN fence ON tasks.job_seq = fence.seq',
          ...parts(values),
        },
        select: `id, EXISTS (SELECT 1 FROM task) AS is_there, ${select}`,
      }),
    })
    if (written.state === 'claimed_again') throw claimedAgain()
    if (written.state !== 'written') return written.state === 'repeated'
    if (written.row.is_there !== true) throw new Error('the job works on no task')
    return written.row.is_new === true
  }
}
