import type { Migration } from './migration.ts'

/**
 * Processes that work on this database. `instance` tells one from an earlier one of the same name; times are those of
 * the database.
 */
export const NODES: Migration = {
  name: 'nodes',
  sql: `
    CREATE TABLE nodes (
      name text PRIMARY KEY,
      instance uuid NOT NULL,
      url text,
      roles text[] NOT NULL,
      version text NOT NULL,
      schema_version int NOT NULL,
      started_at timestamptz NOT NULL DEFAULT now(),
      heartbeat_at timestamptz NOT NULL DEFAULT now(),
      draining boolean NOT NULL DEFAULT false,
      load jsonb NOT NULL
    ) WITH (fillfactor = 50);
  `,
}
