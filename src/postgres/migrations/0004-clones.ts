import type { Migration } from './migration.ts'

/** By which name all nodes know the clone of a remote. */
export const CLONES: Migration = {
  name: 'clones',
  sql: `
CREATE TABLE clones (
  key text PRIMARY KEY,
  name text NOT NULL,
  identity text NOT NULL UNIQUE
);
`,
}
