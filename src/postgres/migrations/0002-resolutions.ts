import type { Migration } from './migration.ts'

/** Answers that are kept, what people thought of them, and what posts of CI's logs came to. */
export const RESOLUTIONS: Migration = {
  name: 'resolutions',
  sql: `
CREATE TABLE resolutions (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id text NOT NULL UNIQUE,
  at timestamptz(3) NOT NULL,
  project_name text NOT NULL,
  commit_id text NOT NULL,
  question text,
  title text NOT NULL,
  answer_status text NOT NULL,
  model text,
  packed bytea NOT NULL,
  trace bytea
);
CREATE INDEX resolutions_by_question ON resolutions (question, seq) WHERE question IS NOT NULL;
CREATE INDEX resolutions_by_project ON resolutions (lower(project_name), seq);
CREATE INDEX resolutions_by_time ON resolutions (at);
CREATE TABLE resolution_fingerprints (
  fingerprint text COLLATE "C" NOT NULL,
  resolution_seq bigint NOT NULL REFERENCES resolutions (seq) ON DELETE CASCADE,
  PRIMARY KEY (fingerprint, resolution_seq)
);
CREATE INDEX resolution_fingerprints_by_resolution ON resolution_fingerprints (resolution_seq);
CREATE TABLE resolution_feedback (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  resolution_seq bigint NOT NULL REFERENCES resolutions (seq) ON DELETE CASCADE,
  at timestamptz(3) NOT NULL,
  key_name text,
  helpful boolean NOT NULL,
  comment text,
  actual_path text
);
CREATE INDEX resolution_feedback_by_resolution ON resolution_feedback (resolution_seq, seq);

CREATE TABLE ci_runs (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id text NOT NULL UNIQUE,
  at timestamptz(3) NOT NULL,
  project_name text NOT NULL,
  commit_id text NOT NULL,
  fingerprints text NOT NULL,
  sketch text NOT NULL
);
CREATE INDEX ci_runs_by_project ON ci_runs (lower(project_name), seq);
CREATE INDEX ci_runs_by_time ON ci_runs (at);
`,
}
