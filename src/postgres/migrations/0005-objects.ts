import type { Migration } from './migration.ts'

/**
 * Objects of `OBJECT_STORE_URL=postgres:`, and what names blobs wherever they are kept. An object's bytes are rows of
 * one upload; which upload is current changes in one statement. `blob_uses` says who needs a blob (`released_at`: or
 * needed it until then), `doomed_blobs` which ones are being deleted.
 */
export const OBJECTS: Migration = {
  name: 'objects, blobs, generations and clones',
  sql: `
    CREATE TABLE objects (
      key text COLLATE "C" PRIMARY KEY,
      upload uuid NOT NULL,
      bytes bigint NOT NULL,
      changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE INDEX objects_upload ON objects (upload);
    CREATE TABLE object_parts (
      upload uuid NOT NULL,
      part int NOT NULL,
      content bytea NOT NULL,
      added_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (upload, part)
    );
    ALTER TABLE object_parts ALTER content SET STORAGE EXTERNAL;
    CREATE INDEX object_parts_added_at ON object_parts (added_at);

    CREATE TABLE blob_uses (
      owner text COLLATE "C" NOT NULL,
      sha256 text COLLATE "C" NOT NULL,
      is_stored boolean NOT NULL DEFAULT false,
      added_at timestamptz NOT NULL,
      released_at timestamptz,
      PRIMARY KEY (owner, sha256)
    );
    CREATE INDEX blob_uses_sha256 ON blob_uses (sha256);
    CREATE INDEX blob_uses_released_at ON blob_uses (released_at) WHERE released_at IS NOT NULL;
    CREATE TABLE doomed_blobs (
      sha256 text COLLATE "C" PRIMARY KEY,
      doomed_at timestamptz NOT NULL
    );

    CREATE TABLE published_generations (
      project text PRIMARY KEY,
      generation bigint NOT NULL,
      description_sha256 text NOT NULL,
      description_bytes bigint NOT NULL,
      summary jsonb NOT NULL,
      node text NOT NULL,
      job_seq bigint NOT NULL,
      attempt int NOT NULL,
      published_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE kept_clones (
      repository text PRIMARY KEY,
      sha256 text NOT NULL,
      bytes bigint NOT NULL,
      node text NOT NULL,
      kept_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    CREATE TABLE kept_branches (
      repository text NOT NULL,
      project text NOT NULL,
      branch text NOT NULL,
      commit_id text NOT NULL,
      bases jsonb NOT NULL,
      sha256 text,
      bytes bigint,
      kept_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (repository, project, branch)
    );
  `,
}
