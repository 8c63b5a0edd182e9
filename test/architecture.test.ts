import { isBuiltin } from 'node:module'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { importCycles, importGraph } from '../scripts/figures/modules.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

interface Rule {
  values: string[]
  types?: string[]
}

const ADAPTERS = [
  'stack-trace',
  'outline',
  'tokens',
  'repos',
  'vecstore',
  'llm',
  'embedding',
  'sandbox',
  'jobs',
  'object-store',
  'edits',
  'outbound',
  'forges',
  'resolutions',
  'test-runners',
]
/** What other adapters are built on. */
const BELOW_ADAPTERS: Record<string, string[]> = { forges: ['outbound'] }
/** What adapters that store rows take of the database: its port. */
const TYPES_OF_ADAPTERS: Record<string, string[]> = {
  jobs: ['postgres'],
  'object-store': ['postgres'],
  resolutions: ['postgres'],
}
const SERVED_BY_THREADS = [
  'core',
  'contract',
  'repos',
  'vecstore',
  'embedding',
  'indexer',
  'outline',
  'stack-trace',
  'resolver',
  'tokens',
  'llm',
  'sandbox',
]

/**
 * Who may import whom: a part is a folder of src/, a file that stands in it, or a file of a folder that has rules of
 * its own. Every part may import itself.
 */
const RULES: Record<string, Rule> = {
  core: { values: [], types: ['contract'] },
  contract: { values: ['core'] },
  ...Object.fromEntries(
    ADAPTERS.map(part => [
      part,
      { values: ['core', ...(BELOW_ADAPTERS[part] ?? [])], types: ['contract', ...(TYPES_OF_ADAPTERS[part] ?? [])] },
    ]),
  ),
  highlighting: { values: [] },
  // What several adapters store in; they get it as a type.
  postgres: { values: ['core'] },
  // What nodes share beside rows: it moves what other adapters keep on the disk.
  replication: { values: ['core', 'object-store', 'jobs'], types: ['postgres', 'vecstore', 'repos'] },
  cluster: { values: ['core'], types: ['postgres'] },
  // What takes the folders of a single machine over into a cluster: it reads and fills both sides.
  move: { values: ['core', 'jobs', 'object-store', 'replication', 'postgres'], types: ['vecstore', 'repos'] },
  indexer: { values: ['core', 'outline', 'tokens'], types: ['repos', 'vecstore', 'embedding'] },
  guards: { values: ['core', 'outline', 'edits'], types: ['contract'] },
  resolver: {
    values: ['core', 'stack-trace', 'outline', 'tokens', 'edits'],
    types: ['repos', 'vecstore', 'embedding', 'llm'],
  },
  pipelines: {
    values: ['core', 'contract', 'edits', 'test-runners', 'text'],
    types: ['resolver', 'indexer', 'sandbox', 'repos', 'llm', 'jobs', 'outbound', 'forges', 'guards'],
  },
  text: { values: ['core', 'contract'] },
  http: { values: ['core', 'contract'], types: ['services'] },
  'http/app.ts': { values: ['core', 'contract', 'routes', 'web'], types: ['services'] },
  mcp: { values: ['core', 'contract', 'text'] },
  routes: { values: ['core', 'contract', 'http', 'text', 'mcp'], types: ['services'] },
  web: { values: ['core', 'contract', 'http', 'text'], types: ['services'] },
  services: {
    values: [
      'core',
      'contract',
      ...ADAPTERS,
      'guards',
      'postgres',
      'replication',
      'cluster',
      'move',
      'indexer',
      'resolver',
      'pipelines',
      'threads',
      'config',
      'config.ts',
    ],
  },
  threads: { values: ['core'] },
  // The entries of threads compose what they serve, as services/ does for the process.
  'threads/git-worker.ts': { values: SERVED_BY_THREADS },
  'threads/sandbox-worker.ts': { values: SERVED_BY_THREADS },
  'threads/highlight-worker.ts': { values: ['core', 'highlighting', 'indexer'] },
  'threads/index-worker.ts': { values: SERVED_BY_THREADS },
  'threads/content-worker.ts': { values: SERVED_BY_THREADS },
  'threads/fit-worker.ts': { values: SERVED_BY_THREADS },
  'threads/resolve-worker.ts': { values: SERVED_BY_THREADS },
  'config.ts': { values: ['core', 'config'] },
  config: { values: ['core'] },
  'server.ts': { values: ['config.ts', 'config', 'services', 'core', 'http'] },
  cli: { values: ['config.ts', 'config', 'services', 'core', 'contract', 'text'] },
  'cli.ts': { values: ['config.ts', 'config', 'services', 'core', 'cli', 'server.ts'] },
}

/** Each dangerous dependency has one home. */
const HOMES: Record<string, string[]> = {
  'simple-git': ['repos'],
  'isomorphic-git': ['repos'],
  '@modelcontextprotocol/server': ['mcp'],
  openai: ['llm', 'outbound'],
  undici: ['llm', 'outbound', 'forges', 'object-store', 'cluster'],
  aws4fetch: ['object-store'],
  'hnswlib-node': ['vecstore'],
  'node:sqlite': ['vecstore', 'jobs', 'resolutions'],
  pg: ['postgres'],
  'pg-boss': ['jobs'],
  'node:child_process': ['repos', 'sandbox', 'threads', 'cli/pager.ts'],
  fastify: ['http', 'routes', 'web'],
  '@fastify/static': ['web'],
  '@fastify/cookie': ['web', 'http'],
  '@fastify/csrf-protection': ['web'],
  'highlight.js': ['highlighting'],
  '@fastify/formbody': ['web'],
  '@fastify/swagger': ['http'],
  commander: ['cli.ts', 'cli'],
  'prom-client': ['services'],
  'tar-stream': ['jobs', 'repos'],
  'pino-pretty': ['services'],
  saxes: ['test-runners', 'object-store'],
}

/** The package behind an import: no sub-path, Node's own with their prefix. */
function packageOf(specifier: string): string {
  const [scope = '', name] = specifier.split('/')
  if (isBuiltin(specifier)) return specifier.startsWith('node:') ? specifier : `node:${specifier}`
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

const IMPORT =
  /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\s+from\s+)?['"]([^'"]+)['"]|\b(?:import|require)\(\s*['"]([^'"]+)['"]\s*\)/gm

interface Import {
  file: string
  from: string
  to: string
  typeOnly: boolean
}

function sources(): string[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts'))
    .map(entry => relative(SRC, join(entry.parentPath, entry.name)))
}

const partOf = (path: string): string => path.split('/')[0] ?? path

function importsOf(file: string): Import[] {
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
    const rule = RULES[file] ?? RULES[from] ?? { values: [] }
    const allowed = target === from || rule.values.includes(target) || (typeOnly && (rule.types ?? []).includes(target))
    if (!allowed) t.fail(`${file} imports ${to}${typeOnly ? '' : ' as a value'}`)
  }
})

test('no files import each other in a circle, for their types neither', async t => {
  const graph = importGraph(sources().map(path => ({ path, text: readFileSync(join(SRC, path), 'utf8') })))
  t.ok((graph.get('server.ts') ?? []).length > 0, 'the imports were found')
  for (const circle of importCycles(graph)) {
    t.fail(`${circle.join(', ')} import each other: put what they share into a file of its own`)
  }
})

test('each dangerous dependency is imported in its home alone', async t => {
  for (const { file, from, to, typeOnly } of all) {
    const homes = HOMES[packageOf(to)]
    if (homes !== undefined && !typeOnly && !homes.includes(from) && !homes.includes(file)) {
      t.fail(`${file} imports ${to}, whose home is ${homes.join(', ')}`)
    }
  }
  for (const name of Object.keys(HOMES)) {
    t.ok(
      all.some(({ to }) => packageOf(to) === name),
      `${name} is imported at all`,
    )
  }
})

test('a package is recognised however it is spelled', async t => {
  t.same(['openai/index.mjs', 'child_process', 'node:sqlite', '@fastify/swagger', 'simple-git'].map(packageOf), [
    'openai',
    'node:child_process',
    'node:sqlite',
    '@fastify/swagger',
    'simple-git',
  ])
})

test('only config.ts, and config/client.ts for commands, read the environment', async t => {
  for (const file of sources().filter(name => !['config.ts', 'config/client.ts'].includes(name))) {
    const source = readFileSync(join(SRC, file), 'utf8')
    t.notMatch(source, /process\.env\b(?!: )/, file)
    t.notMatch(source, /from ['"](?:node:)?process['"]/, file)
  }
})
