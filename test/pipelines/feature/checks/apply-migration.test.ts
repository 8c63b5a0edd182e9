import { test } from 'tap'
import type { JobContext } from '../../../../src/jobs/job-context.ts'
import { createApplyMigration } from '../../../../src/pipelines/feature/checks/apply-migration.ts'
import { NO_CHANGES, sentFiles } from '../../../../src/pipelines/steps/base/base-files.ts'
import type { Collected, SkippedFile } from '../../../../src/sandbox/workspace/collect.ts'

const BASE = {
  'src/dynamic/index.ts': 'export {}\n',
  'src/auth.ts': 'export const isAdmin = false\n',
  'drizzle/0000_first.sql': 'CREATE TABLE a (id)\n',
  'drizzle/meta/_journal.json': '[]\n',
}

/** What comes of `generate`, which writes these files. */
async function generate(
  writes: Record<string, string>,
  { folder = null, skipped = [] }: { folder?: string | null; skipped?: SkippedFile[] } = {},
) {
  const put: string[] = []
  const ran = { exitCode: 0, stdout: 'ran', stderr: '', timedOut: false, truncatedBytes: 0, durationMs: 1 }
  const signal = new AbortController().signal
  const job = {
    signal,
    step: (_name: string, work: (signal: AbortSignal) => unknown) => work(signal),
    workspace: async () => '/nowhere',
    log() {},
    audit: async () => {},
    record: async () => {},
    files: {
      async put(texts: ReadonlyMap<string, string>) {
        put.push(...texts.keys())
      },
    },
  } as unknown as JobContext
  const files = Object.entries({ ...BASE, ...writes })
  const sandbox = {
    fill: async () => {},
    run: async () => ({ ...ran, signal: null, killedBy: null, ready: false, sandboxed: true }),
    remove: async () => {},
    collect: async (): Promise<Collected> => ({
      files: files.map(([path, text]) => ({ path, content: Buffer.from(text) })),
      skipped,
    }),
  }
  const migrate = createApplyMigration(
    job,
    { sandbox },
    {
      base: sentFiles(new Map(Object.entries(BASE)), sandbox),
      rules: {
        allowedPaths: ['src/dynamic/', 'tests/dynamic/'],
        migrations: { generate: 'generate', apply: null, rollback: null, folder },
      },
      needEnvironment: async () => ({ layer: null, problem: null }) as never,
    },
  )
  return { put, output: await migrate({ action: 'generate' }, { changes: NO_CHANGES, made: [] }) }
}

const NEW = { 'drizzle/0001_next.sql': 'CREATE TABLE b (id)\n', 'drizzle/meta/_journal.json': '[1]\n' }

test('the new files of one folder are a migration, with what it says of itself', async t => {
  for (const folder of [null, 'drizzle']) {
    const { output, put } = await generate(NEW, { folder })
    t.match(output, { success: true, made: ['drizzle/0001_next.sql', 'drizzle/meta/_journal.json'] })
    t.same(put.sort(), output.made)
  }
  const below = await generate({ 'src/db/migrations/0001.sql': 'x', 'src/db/migrations/meta/1.json': '{}' })
  t.match(below.output, { success: true, made: ['src/db/migrations/0001.sql', 'src/db/migrations/meta/1.json'] })
})

test('what the code of the model writes beside a migration is never taken', async t => {
  const written: Array<Record<string, string>> = [
    { 'src/db/migrations/0001.sql': 'x', 'src/evil.ts': 'x' },
    { 'src/evil.ts': 'x' },
    { 'src/evil.ts': 'x', 'src/auth.ts': 'export const isAdmin = true\n' },
    { 'evil.sh': 'x' },
    { ...NEW, '.github/workflows/x.yml': 'on: push' },
  ]
  for (const writes of written) {
    const { output, put } = await generate(writes)
    t.match(output, { success: false, output: /cannot be taken[\s\S]*migrations\.folder/, changes: NO_CHANGES })
    t.same(put, [])
  }
  const beside = await generate({ ...NEW, 'src/auth.ts': 'export const isAdmin = true\n' }, { folder: 'drizzle' })
  t.match(beside.output, { success: true, made: ['drizzle/0001_next.sql', 'drizzle/meta/_journal.json'] })
})

test('an earlier migration stays as it is, and no package file is one', async t => {
  for (const [path, why] of [
    ['drizzle/0000_first.sql', /0000_first\.sql is a migration that was there before/],
    ['drizzle/package.json', /package\.json is protected/],
    ['drizzle/.gitlab-ci.yml', /\.gitlab-ci\.yml is protected/],
  ] as const) {
    const { output, put } = await generate({ ...NEW, [path]: 'DROP TABLE a\n' }, { folder: 'drizzle' })
    t.match(output, { success: false, output: why }, path)
    t.same(put, [])
  }
})

test('a workspace that could not be read whole is no migration without files', async t => {
  const { output } = await generate(NEW, { skipped: [{ path: '', reason: 'too_many' }] })
  t.match(output, { success: false, output: /more files than can be looked at/ })
})
