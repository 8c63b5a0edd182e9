import type { Migration } from './migration.ts'

/**
 * Jobs and all that hangs on them. JSON is `text`: `jsonb` refuses U+0000 and orders keys anew. Counters of events,
 * steps and entries stand in the row of their job, so that whoever holds its lock gives the next number. Columns that
 * change with each event are in no index: such updates stay within their page.
 */
export const JOBS: Migration = {
  name: 'jobs',
  sql: `
CREATE TABLE jobs (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  type text NOT NULL,
  status text NOT NULL,
  project_name text,
  exclusive_key text,
  key_name text,
  request_id text,
  trust text NOT NULL,
  retry_of text,
  input text NOT NULL,
  progress text,
  request text,
  asked text,
  waiting_since timestamptz(3),
  result text,
  error text,
  failure text,
  usage text NOT NULL,
  redactions int NOT NULL DEFAULT 0,
  budget text,
  notify text[] NOT NULL,
  active_ms bigint NOT NULL DEFAULT 0,
  last_step text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  ended_at timestamptz(3),
  attempt int NOT NULL DEFAULT 0,
  claim_id text,
  node text,
  last_write bigint NOT NULL DEFAULT 0,
  last_event int NOT NULL DEFAULT 0,
  last_entry int NOT NULL DEFAULT 0,
  last_position int NOT NULL DEFAULT 0,
  stored_bytes bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 70);
COMMENT ON COLUMN jobs.attempt IS 'rises with each claim; what a run of an earlier attempt writes is refused';
COMMENT ON COLUMN jobs.claim_id IS 'names the call that claimed the job, so that the call can be repeated';
COMMENT ON COLUMN jobs.last_write IS 'number of the latest write of the present run: a repeated one changes nothing';
CREATE INDEX jobs_by_status ON jobs (status, seq);
CREATE INDEX jobs_by_type ON jobs (type, seq);
CREATE INDEX jobs_by_project ON jobs (lower(project_name), seq);
CREATE INDEX jobs_of_keys ON jobs (key_name, seq) WHERE project_name IS NULL;
CREATE INDEX jobs_active_keys ON jobs (exclusive_key)
  WHERE exclusive_key IS NOT NULL AND status IN ('queued', 'running', 'waiting');
CREATE INDEX jobs_active_projects ON jobs (lower(project_name))
  WHERE project_name IS NOT NULL AND status IN ('queued', 'running', 'waiting');
CREATE INDEX jobs_ended ON jobs (ended_at, seq) WHERE ended_at IS NOT NULL;

CREATE TABLE job_inputs (
  job_seq bigint PRIMARY KEY REFERENCES jobs (seq) ON DELETE CASCADE,
  packed bytea NOT NULL
);
CREATE TABLE job_events (
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  id int NOT NULL,
  at timestamptz(3) NOT NULL,
  event text NOT NULL,
  data text NOT NULL,
  PRIMARY KEY (job_seq, id)
);
CREATE TABLE job_steps (
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  name text NOT NULL,
  position int NOT NULL,
  output text NOT NULL,
  finished_at timestamptz(3) NOT NULL,
  PRIMARY KEY (job_seq, name)
);
CREATE TABLE job_files (
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  path text COLLATE "C" NOT NULL,
  position int NOT NULL,
  bytes bigint,
  sha256 text,
  PRIMARY KEY (job_seq, path, position)
);
CREATE TABLE job_texts (
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  kind text NOT NULL,
  position int NOT NULL,
  text text NOT NULL,
  PRIMARY KEY (job_seq, kind, position)
);
CREATE TABLE job_transcript (
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  id int NOT NULL,
  at timestamptz(3) NOT NULL,
  step text,
  kind text NOT NULL,
  entry text,
  packed bytea,
  PRIMARY KEY (job_seq, id)
);
CREATE TABLE idempotency_keys (
  scope text NOT NULL,
  key text NOT NULL,
  body_sha256 text NOT NULL,
  job_id text NOT NULL,
  created_at timestamptz(3) NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_by_time ON idempotency_keys (created_at);
CREATE INDEX idempotency_keys_by_job ON idempotency_keys (job_id);

CREATE TABLE audit (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at timestamptz(3) NOT NULL,
  key_name text,
  action text NOT NULL,
  project_name text,
  target text,
  outcome text NOT NULL,
  request_id text
);
CREATE INDEX audit_by_time ON audit (at);
CREATE INDEX audit_by_project ON audit (lower(project_name), seq);
CREATE INDEX audit_by_key ON audit (key_name, seq);
CREATE INDEX audit_of_keys ON audit (key_name, seq) WHERE project_name IS NULL;

CREATE TABLE counters (
  name text PRIMARY KEY,
  value bigint NOT NULL
);
COMMENT ON TABLE counters IS 'numbers that people see: unlike those of a sequence they have no gaps';
INSERT INTO counters (name, value) VALUES ('tasks', 0);
CREATE TABLE tasks (
  id bigint PRIMARY KEY,
  job_seq bigint NOT NULL UNIQUE,
  job_id text NOT NULL UNIQUE,
  title text NOT NULL,
  description text NOT NULL,
  status text NOT NULL,
  project_name text NOT NULL,
  repository text,
  repo_path text,
  branch_name text,
  attempt int NOT NULL,
  max_attempts int NOT NULL,
  reviewer_feedback text,
  error_message text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL
);
CREATE INDEX tasks_by_status ON tasks (status, id);
CREATE INDEX tasks_by_project ON tasks (lower(project_name), id);
CREATE TABLE task_logs (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  task_id bigint NOT NULL REFERENCES tasks (id) ON DELETE CASCADE,
  name text NOT NULL,
  agent text NOT NULL,
  action text NOT NULL,
  input_summary text,
  output_summary text,
  tokens_used bigint,
  duration_ms bigint,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (task_id, name)
);
CREATE INDEX task_logs_by_task ON task_logs (task_id, id);

CREATE TABLE features (
  job_seq bigint PRIMARY KEY,
  job_id text NOT NULL UNIQUE,
  project_name text NOT NULL,
  repository text NOT NULL,
  branch text NOT NULL,
  base_branch text NOT NULL,
  base_commit text,
  commit_id text,
  is_pushed boolean NOT NULL,
  pushed_commit text,
  request_number bigint,
  state text NOT NULL
);
CREATE UNIQUE INDEX features_open ON features (lower(repository), branch) WHERE state = 'open';
CREATE INDEX features_open_jobs ON features (job_seq) WHERE state = 'open';
CREATE INDEX features_by_project ON features (lower(project_name));

CREATE TABLE notifications (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_seq bigint NOT NULL REFERENCES jobs (seq) ON DELETE CASCADE,
  event text NOT NULL,
  channel text NOT NULL,
  asked text,
  at timestamptz(3) NOT NULL,
  is_pending boolean NOT NULL,
  message_id bigint
);
CREATE INDEX notifications_by_job ON notifications (job_seq, id);
CREATE INDEX notifications_pending ON notifications (channel, id) WHERE is_pending;
CREATE INDEX notifications_with_buttons ON notifications (id) WHERE message_id IS NOT NULL;
`,
}
