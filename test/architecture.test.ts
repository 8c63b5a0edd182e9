import { isBuiltin } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

interface Rule { values: string[], types?: string[] }

const EVERYTHING = ['core', 'schemas', 'repos', 'vecstore', 'llm', 'embedding', 'outbound', 'sandbox', 'jobs', 'edits', 'tokens', 'indexer', 'resolver', 'pipelines', 'thread-pool.ts', 'shared-thread.ts', 'resolve-threads.ts', 'git-thread.ts', 'sandbox-thread.ts', 'readiness.ts', 'metrics.ts', 'job-inputs.ts', 'generation-inputs.ts', 'generation-pipelines.ts', 'compose-resolver.ts', 'folder-files.ts', 'config.ts']

/** Who may import whom: a part is a folder of src/, or a file that stands in it. Every part may import itself. */
const RULES: Record<string, Rule> = {
  core: { values: [] },
  schemas: { values: [] },
  repos: { values: ['core'] },
  vecstore: { values: ['core'] },
  llm: { values: ['core'] },
  embedding: { values: ['core'] },
  sandbox: { values: ['core'] },
  jobs: { values: ['core'] },
  edits: { values: ['core'] },
  tokens: { values: [] },
  outbound: { values: ['core'] },
  indexer: { values: ['core'], types: ['repos', 'vecstore', 'embedding'] },
  resolver: { values: ['core', 'edits'], types: ['repos', 'vecstore', 'embedding', 'llm'] },
  pipelines: { values: ['core', 'edits'], types: ['resolver', 'indexer', 'sandbox', 'repos', 'llm', 'jobs', 'outbound'] },
  plugins: { values: ['core', 'schemas'], types: ['services.ts'] },
  routes: { values: ['core', 'schemas'], types: ['services.ts'] },
  'thread-loading.ts': { values: [] },
  'slots.ts': { values: [] },
  'task-watch.ts': { values: ['core'] },
  'thread-pool.ts': { values: ['core', 'thread-loading.ts', 'task-watch.ts'] },
  'shared-thread.ts': { values: ['core', 'thread-loading.ts', 'task-watch.ts', 'thread-pool.ts', 'slots.ts'] },
  'resolve-threads.ts': { values: ['core'], types: ['thread-pool.ts'] },
  'readiness.ts': { values: ['repos', 'vecstore', 'sandbox', 'config.ts'] },
  'metrics.ts': { values: [] },
  'job-inputs.ts': { values: ['core', 'indexer', 'repos', 'schemas'], types: ['pipelines'] },
  'compose-resolver.ts': { values: ['resolver'], types: ['core', 'git-thread.ts', 'indexer', 'llm', 'pipelines', 'resolve-threads.ts', 'services.ts', 'vecstore'] },
  'generation-pipelines.ts': { values: ['core', 'generation-inputs.ts', 'indexer', 'pipelines'], types: ['jobs', 'outbound', 'sandbox'] },
  'generation-inputs.ts': { values: ['core', 'schemas', 'pipelines'], types: ['job-inputs.ts', 'llm', 'indexer'] },
  'folder-files.ts': { values: ['indexer', 'repos'] },
  'services.ts': { values: EVERYTHING },
  'thread-calls.ts': { values: ['core'] },
  'git-thread.ts': { values: ['thread-calls.ts'], types: ['repos', 'git-worker.ts'] },
  'sandbox-thread.ts': { values: ['core', 'sandbox', 'thread-calls.ts'], types: ['sandbox-worker.ts'] },
  // Entries of threads are composition roots of their own, like services.ts.
  'git-worker.ts': { values: ['core', 'repos', 'thread-calls.ts'] },
  'sandbox-worker.ts': { values: ['sandbox', 'thread-calls.ts'] },
  'index-worker.ts': { values: ['thread-loading.ts', 'core', 'repos', 'vecstore', 'embedding', 'indexer', 'resolver', 'tokens', 'llm'] },
  'resolve-worker.ts': { values: ['thread-loading.ts', 'slots.ts', 'core', 'repos', 'vecstore', 'embedding', 'indexer', 'resolver', 'tokens', 'llm'], types: ['task-watch.ts'] },
  'app.ts': { values: ['plugins', 'routes', 'schemas'], types: ['services.ts'] },
  'config.ts': { values: ['core', 'config'] },
  config: { values: ['core'] },
  'server.ts': { values: ['config.ts', 'services.ts', 'core', 'app.ts'] },
  cli: { values: ['config.ts', 'services.ts', 'core'] },
  'cli.ts': { values: ['config.ts', 'services.ts', 'core', 'cli', 'server.ts'] },
}

/** Each dangerous dependency has one home. */
const HOMES: Record<string, string[]> = {
  'simple-git': ['repos'],
  'isomorphic-git': ['repos'],
  openai: ['llm', 'outbound'],
  undici: ['llm', 'outbound'],
  'hnswlib-node': ['vecstore'],
  'node:sqlite': ['vecstore', 'jobs'],
  'node:child_process': ['repos', 'sandbox', 'indexer'],
  tinypool: ['thread-pool.ts', 'index-worker.ts', 'resolve-worker.ts'],
  fastify: ['app.ts', 'plugins', 'routes'],
  '@fastify/swagger': ['plugins'],
  commander: ['cli.ts', 'cli'],
  'prom-client': ['metrics.ts'],
  'tar-stream': ['jobs'],
}

/** The package behind an import: no sub-path, Node's own with their prefix. */
function packageOf (specifier: string): string {
  const [scope = '', name] = specifier.split('/')
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\s+from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm

interface Import { file: string, from: string, to: string, typeOnly: boolean }

function sources (): string[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => relative(SRC, join(entry.parentPath, entry.name)))
}

const partOf = (path: string): string => path.split('/')[0] ?? path

function importsOf (file: string): Import[] {
  return [...readFileSync(join(SRC, file), 'utf8').matchAll(IMPORT)].map(([, type, from, dynamic]) => {
    const target = from ?? dynamic ?? ''
    const to = target.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file), target)) : target
    return { file, from: partOf(file), to, typeOnly: type !== undefined }
  })
}

const all = sources().flatMap(importsOf)
const isLocal = ({ to }: Import) => to.endsWith('.ts')

test('every part of src/ stands in the import table', async t => {
  for (const part of new Set(sources().map(partOf))) t.ok(part in RULES, part)
})

test('parts import only what the table allows', async t => {
  t.ok(all.filter(isLocal).length > 50, 'the imports were found')
  for (const { file, from, to, typeOnly } of all.filter(isLocal)) {
    const target = partOf(to)
    const rule = RULES[from] ?? { values: [] }
    const allowed = target === from || rule.values.includes(target) || (typeOnly && (rule.types ?? []).includes(target))
    if (!allowed) t.fail(`${file} imports ${to}${typeOnly ? '' : ' as a value'}`)
  }
})

test('each dangerous dependency is imported in its home alone', async t => {
  for (const { file, from, to, typeOnly } of all) {
    const homes = HOMES[packageOf(to)]
    if (homes !== undefined && !typeOnly && !homes.includes(from)) t.fail(`${file} imports ${to}, whose home is ${homes.join(', ')}`)
  }
  for (const name of Object.keys(HOMES)) t.ok(all.some(({ to }) => packageOf(to) === name), `${name} is imported at all`)
})

test('a package is recognised however it is spelled', async t => {
  t.same(['openai/index.mjs', 'child_process', 'node:sqlite', '@fastify/swagger', 'simple-git'].map(packageOf), ['openai', 'node:child_process', 'node:sqlite', '@fastify/swagger', 'simple-git'])
})

test('only config.ts reads the environment', async t => {
  for (const file of sources().filter(name => name !== 'config.ts')) {
    const source = readFileSync(join(SRC, file), 'utf8')
    t.notMatch(source, /process\.env\b(?!: )/, file)
    t.notMatch(source, /from ['"](?:node:)?process['"]/, file)
  }
})
