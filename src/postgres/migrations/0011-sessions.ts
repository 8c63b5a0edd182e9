import type { Migration } from './migration.ts'

/** Who is signed in to the pages, on whichever node the next page comes from. */
export const SESSIONS: Migration = {
  name: 'sessions',
  sql: `
    CREATE TABLE sessions (
      id text PRIMARY KEY,
      key_name text NOT NULL,
      key_hash text NOT NULL,
      created_at timestamptz NOT NULL
    );
    CREATE INDEX sessions_by_age ON sessions (created_at);
  `,
}
