import type { Migration } from './migration.ts'

/** Which projects there are, and their settings: each node mirrors them in its own folder. */
export const PROJECTS: Migration = {
  name: 'projects',
  sql: `
CREATE TABLE projects (
  key text PRIMARY KEY,
  name text NOT NULL,
  created_at timestamptz NOT NULL,
  settings text
);
CREATE INDEX projects_by_time ON projects (created_at DESC, name);
`,
}
