import type { Migration } from './migration.ts'

/**
 * What was taken over from the folders of a single machine, or back: while that goes on, and once the data has left, no
 * node works here. `cluster_identity` has one row, made when it is first asked for: it tells this cluster from others
 * whose folders look alike.
 */
export const MOVES: Migration = {
  name: 'moves',
  sql: `
    CREATE TABLE moves (
      id uuid PRIMARY KEY,
      direction text NOT NULL,
      state text NOT NULL,
      place text NOT NULL,
      started_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      ended_at timestamptz
    );
    CREATE UNIQUE INDEX moves_under_way ON moves ((true)) WHERE state = 'moving';
    CREATE TABLE cluster_identity (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      id uuid NOT NULL DEFAULT gen_random_uuid()
    );
  `,
}
