import { join } from 'node:path'
import type { Variables } from '../src/config.ts'

/** Settings of a server that keeps all it has in a folder of its own, and clones from `repos` in it. */
export function settingsIn(folder: string): Variables {
  const data = join(folder, 'data')
  return {
    HOST: '127.0.0.1',
    PORT: '0',
    DATA_DIR: data,
    VECTOR_STORE_DIR: join(data, 'vector_store'),
    CLONED_REPOS_DIR: join(data, 'cloned_repos'),
    AI_PIPELINE_DB_PATH: join(data, 'jobs.sqlite'),
    ALLOW_LOCAL_REPOS: join(folder, 'repos'),
    LOG_LEVEL: 'error',
  }
}
