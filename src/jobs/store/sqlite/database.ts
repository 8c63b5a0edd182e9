import { chmodSync, existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { FaultlineError } from '../../../core/errors.ts'
import { namingStorageFault } from '../../../core/storage-fault.ts'
import { isFullDisk } from '../../../core/full-disk.ts'

/**
 * What each version of the format adds to the one before, beginning with the first. A database is brought up to date
 * when it is opened; a version that was released is never changed.
 */
const MIGRATIONS = [
  `
CREATE TABLE jobs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL,
  status TEXT NOT NULL,
  project_name TEXT,
  exclusive_key TEXT,
  key_name TEXT,
  trust TEXT NOT NULL,
  retry_of TEXT,
  input TEXT NOT NULL,
  progress TEXT,
  request TEXT,
  result TEXT,
  error TEXT,
  usage TEXT NOT NULL,
  budget TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX jobs_by_status ON jobs (status, seq, project_name, exclusive_key);
CREATE INDEX jobs_by_project ON jobs (lower(project_name), status);
CREATE TABLE job_events (
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  at TEXT NOT NULL,
  event TEXT NOT NULL,
  data TEXT NOT NULL,
  PRIMARY KEY (job_seq, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE job_steps (
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  output TEXT NOT NULL,
  finished_at TEXT NOT NULL,
  PRIMARY KEY (job_seq, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE idempotency_keys (
  scope TEXT NOT NULL,
  key TEXT NOT NULL,
  body_sha256 TEXT NOT NULL,
  job_id TEXT NOT NULL,
  created_at TEXT NOT NULL,
  PRIMARY KEY (scope, key)
) STRICT, WITHOUT ROWID;
`,
  `
CREATE TABLE job_inputs (
  job_seq INTEGER PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  packed BLOB NOT NULL
) STRICT;
`,
  `
ALTER TABLE jobs ADD COLUMN asked TEXT;
ALTER TABLE jobs ADD COLUMN waiting_since TEXT;
ALTER TABLE jobs ADD COLUMN active_ms INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN redactions INTEGER NOT NULL DEFAULT 0;
CREATE TABLE job_files (
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  path TEXT NOT NULL,
  position INTEGER NOT NULL,
  bytes INTEGER,
  sha256 TEXT,
  PRIMARY KEY (job_seq, path, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE job_texts (
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  kind TEXT NOT NULL,
  position INTEGER NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (job_seq, kind, position)
) STRICT;
CREATE TABLE job_transcript (
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  id INTEGER NOT NULL,
  at TEXT NOT NULL,
  step TEXT,
  kind TEXT NOT NULL,
  entry TEXT,
  packed BLOB,
  PRIMARY KEY (job_seq, id)
) STRICT;
`,
  `
ALTER TABLE jobs ADD COLUMN last_step TEXT;
ALTER TABLE jobs ADD COLUMN failure TEXT;
`,
  `
CREATE TABLE resolutions (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  project_name TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  question TEXT,
  title TEXT NOT NULL,
  answer_status TEXT NOT NULL,
  model TEXT,
  packed BLOB NOT NULL
) STRICT;
CREATE INDEX resolutions_by_question ON resolutions (question, seq) WHERE question IS NOT NULL;
CREATE INDEX resolutions_by_project ON resolutions (lower(project_name), seq);
CREATE INDEX resolutions_by_time ON resolutions (at);
CREATE TABLE resolution_fingerprints (
  fingerprint TEXT NOT NULL,
  resolution_seq INTEGER NOT NULL REFERENCES resolutions (seq) ON DELETE CASCADE,
  PRIMARY KEY (fingerprint, resolution_seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX resolution_fingerprints_by_resolution ON resolution_fingerprints (resolution_seq);
CREATE TABLE resolution_feedback (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  resolution_seq INTEGER NOT NULL REFERENCES resolutions (seq) ON DELETE CASCADE,
  at TEXT NOT NULL,
  key_name TEXT,
  helpful INTEGER NOT NULL,
  comment TEXT,
  actual_path TEXT
) STRICT;
CREATE INDEX resolution_feedback_by_resolution ON resolution_feedback (resolution_seq);
`,
  `
ALTER TABLE jobs ADD COLUMN request_id TEXT;
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at TEXT NOT NULL,
  key_name TEXT,
  action TEXT NOT NULL,
  project_name TEXT,
  target TEXT,
  outcome TEXT NOT NULL,
  request_id TEXT
) STRICT;
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_project ON audit (lower(project_name), seq);
`,
  `
ALTER TABLE resolutions ADD COLUMN trace BLOB;
`,
  `
CREATE TABLE ci_runs (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  job_id TEXT NOT NULL UNIQUE,
  at TEXT NOT NULL,
  project_name TEXT NOT NULL,
  commit_id TEXT NOT NULL,
  fingerprints TEXT NOT NULL,
  sketch TEXT NOT NULL
) STRICT;
CREATE INDEX ci_runs_by_project ON ci_runs (lower(project_name), seq);
CREATE INDEX ci_runs_by_time ON ci_runs (at);
`,
  `
CREATE TABLE tasks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_seq INTEGER NOT NULL UNIQUE,
  job_id TEXT NOT NULL UNIQUE,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  project_name TEXT NOT NULL,
  repository TEXT,
  repo_path TEXT,
  branch_name TEXT,
  attempt INTEGER NOT NULL,
  max_attempts INTEGER NOT NULL,
  reviewer_feedback TEXT,
  error_message TEXT,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL
) STRICT;
CREATE INDEX tasks_by_status ON tasks (status, id);
CREATE INDEX tasks_by_project ON tasks (lower(project_name), id);
CREATE TABLE task_logs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id INTEGER NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  name TEXT NOT NULL,
  agent TEXT NOT NULL,
  action TEXT NOT NULL,
  input_summary TEXT,
  output_summary TEXT,
  tokens_used INTEGER,
  duration_ms INTEGER,
  created_at TEXT NOT NULL,
  UNIQUE (task_id, name)
) STRICT;
CREATE INDEX task_logs_by_task ON task_logs (task_id, id);
`,
  `
CREATE TABLE features (
  job_seq INTEGER PRIMARY KEY,
  job_id TEXT NOT NULL UNIQUE,
  project_name TEXT NOT NULL,
  repository TEXT NOT NULL,
  branch TEXT NOT NULL,
  base_branch TEXT NOT NULL,
  commit_id TEXT,
  is_pushed INTEGER NOT NULL,
  request_number INTEGER,
  state TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX features_open ON features (lower(repository), branch) WHERE state = 'open';
CREATE INDEX features_open_jobs ON features (job_seq) WHERE state = 'open';
CREATE INDEX features_by_project ON features (lower(project_name));
`,
  `
ALTER TABLE jobs ADD COLUMN notify TEXT;
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  job_seq INTEGER NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  event TEXT NOT NULL,
  channel TEXT NOT NULL,
  asked TEXT,
  at TEXT NOT NULL,
  is_pending INTEGER NOT NULL,
  message_id INTEGER
) STRICT;
CREATE INDEX notifications_by_job ON notifications (job_seq, id);
CREATE INDEX notifications_pending ON notifications (channel, id) WHERE is_pending = 1;
CREATE INDEX notifications_with_buttons ON notifications (id) WHERE message_id IS NOT NULL;
`,
  `
ALTER TABLE features ADD COLUMN base_commit TEXT;
ALTER TABLE features ADD COLUMN pushed_commit TEXT;
`,
  `
ALTER TABLE jobs ADD COLUMN losses INTEGER NOT NULL DEFAULT 0;
ALTER TABLE jobs ADD COLUMN has_begun INTEGER NOT NULL DEFAULT 0;
`,
  `
CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  key_name TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  created_at TEXT NOT NULL
) STRICT;
`,
]

const BUSY_MS = 5_000
const SETTINGS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = ${BUSY_MS};
  PRAGMA foreign_keys = ON`

/** The error of a write for which there is no room. */
export const databaseFull = (cause?: unknown): FaultlineError =>
  new FaultlineError(
    'DISK_FULL',
    'The disk that holds the job database is full.',
    'Free some space (DELETE /jobs/{id} and DELETE /projects/{name} do); jobs go on by themselves.',
    { cause },
  )

/** Runs `work` in one transaction: all of it is written, or nothing. Not reentrant. */
export function transaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('BEGIN IMMEDIATE')
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw !(error instanceof FaultlineError) && isFullDisk(error) ? databaseFull(error) : error
  }
}

/**
 * Does work after which the database keeps nothing that it deletes or replaces: else that stays in pages without a use,
 * and in the log of writes.
 */
export function overwriting(db: DatabaseSync, work: () => void): void {
  const before = Number(db.prepare('PRAGMA secure_delete').get()?.secure_delete)
  db.exec('PRAGMA secure_delete = ON')
  try {
    work()
  } finally {
    db.exec(`PRAGMA secure_delete = ${before}`)
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  }
}

const versionOf = (db: DatabaseSync): number => Number(db.prepare('PRAGMA user_version').get()?.user_version)

/** @throws {Error} The file was written by a newer version. */
function requireKnown(version: number): void {
  if (version <= MIGRATIONS.length) return
  throw new Error(`The job database has format ${version}, this version reads format ${MIGRATIONS.length}.`)
}

/** Brings a database to the present format. */
function migrate(db: DatabaseSync, version: number): void {
  if (version === MIGRATIONS.length) return
  transaction(db, () => db.exec(`${MIGRATIONS.slice(version).join('')} PRAGMA user_version = ${MIGRATIONS.length}`))
}

/** @throws {Error} As `openJobsDatabase`, in the words of SQLite. */
function open(file: string): DatabaseSync {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(file)
  try {
    // others may pass its folder, on their way to a workspace
    for (const part of ['', '-wal', '-shm']) if (existsSync(file + part)) chmodSync(file + part, 0o600)
    db.exec(SETTINGS)
    const version = versionOf(db)
    requireKnown(version)
    migrate(db, version)
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/**
 * Opens the job database, creating it when it is not there and bringing it to the present format. Commits reach the
 * disk before they return (`synchronous=FULL`): a job whose id a client has survives a power cut.
 *
 * @throws {FaultlineError} DATA_DAMAGED: it is no database, is cut off, or cannot be written to. DISK_FULL.
 * @throws {Error} The file was written by a newer version.
 */
export function openJobsDatabase(file: string): DatabaseSync {
  try {
    return open(file)
  } catch (error) {
    throw namingStorageFault(error)
  }
}

/** @throws {Error} As `readJobsDatabase`, in the words of SQLite. */
function openToRead(file: string): DatabaseSync | null {
  if (!existsSync(file)) {
    const none = new DatabaseSync(':memory:')
    migrate(none, 0)
    return none
  }
  const db = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS })
  try {
    const version = versionOf(db)
    requireKnown(version)
    if (version === MIGRATIONS.length) return db
  } catch (error) {
    db.close()
    throw error
  }
  db.close()
  return null
}

/**
 * Opens the job database only to look, beside the process that writes to it: SQLite itself refuses every write. Where
 * there is none it is as if nothing had happened yet.
 *
 * @returns Null for one that first has to be brought to the present format.
 * @throws As `openJobsDatabase`.
 */
export function readJobsDatabase(file: string): DatabaseSync | null {
  try {
    return openToRead(file)
  } catch (error) {
    throw namingStorageFault(error)
  }
}

/**
 * Like `transaction`, for what may be lost in a power cut (not in a crash of this process): the commit does not wait
 * for the disk, which on a busy machine takes long enough to be felt in every request.
 */
export function quickTransaction<T>(db: DatabaseSync, work: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return transaction(db, work)
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
}
