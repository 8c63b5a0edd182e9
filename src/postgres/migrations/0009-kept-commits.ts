import type { Migration } from './migration.ts'

/**
 * What may be removed from the disk of a node, since others can have it again: the commits that the tar of a clone
 * holds (`held`, which says of which tar), and each commit that a branch of a job was kept at.
 */
export const KEPT_COMMITS: Migration = {
  name: 'commits that are kept',
  sql: `
    ALTER TABLE kept_clones ADD COLUMN held jsonb;
    CREATE TABLE kept_branch_commits (
      repository text COLLATE "C" NOT NULL,
      project text NOT NULL,
      commit_id text COLLATE "C" NOT NULL,
      kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (repository, project, commit_id)
    );
    INSERT INTO kept_branch_commits (repository, project, commit_id, kept_at)
      SELECT lower(repository), project, commit_id, max(kept_at) FROM kept_branches GROUP BY 1, 2, 3;
  `,
}
