import type { Migration } from './migration.ts'

/**
 * What each connection committed last. Numbers of transactions cannot say it alone: one that was lost in a crash before
 * anything of it reached the disk, or the standby, is given again.
 */
export const COMMIT_MARKS: Migration = {
  name: 'commit marks',
  sql: `
    CREATE TABLE commit_marks (
      session uuid PRIMARY KEY,
      number bigint NOT NULL,
      at timestamptz NOT NULL DEFAULT now()
    ) WITH (fillfactor = 50);
  `,
}
