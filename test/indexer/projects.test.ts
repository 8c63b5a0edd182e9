import { test } from 'tap'
import {
  NO_SETTINGS,
  type IndexedRepository,
  type ProjectSettings,
  type PublishedManifest,
} from '../../src/core/project.ts'
import { FaultlineError } from '../../src/core/errors.ts'
import { Projects, type ProjectsDeps } from '../../src/indexer/projects.ts'

const repositoryOf = (repository: string): IndexedRepository => ({
  repository,
  url: `https://example.com/${repository}`,
  branch: 'main',
  commit: `commit of ${repository}`,
  indexedAt: '2026-01-01T00:00:00.000Z',
  filesIndexed: 2,
  filesSkipped: { binary: 1 },
  include: [],
  exclude: [],
})

const manifestOf = (...repositories: string[]): PublishedManifest => ({
  formatVersion: 1,
  generation: 1,
  publishedAt: '2026-01-01T00:00:00.000Z',
  embedding: { provider: 'local', model: 'lsa-128', dimensions: 128, fitId: 'f' },
  chunker: 'scopes',
  repositories: repositories.map(repositoryOf),
  filesIndexed: 2 * repositories.length,
  chunksTotal: 5,
  languages: { python: 2 },
  indexState: 'ready',
  annRecall: 1,
})

function setup(manifests: Record<string, PublishedManifest | null | FaultlineError>, more: Partial<ProjectsDeps> = {}) {
  const settings = new Map<string, ProjectSettings>()
  const done: string[] = []
  const names = Object.keys(manifests)
  const store = {
    listProjects: async () => names,
    findProject: async (name: string) => names.find(one => one.toLowerCase() === name.toLowerCase()) ?? null,
    readManifest: async (name: string) => {
      const manifest = manifests[name] ?? null
      if (manifest instanceof Error) throw manifest
      return manifest
    },
    searchOf: (manifest: PublishedManifest | null) => (manifest === null ? null : 'exact'),
    publication: async (name: string) => name,
    storeBytes: async () => 10,
    readSettings: async (name: string) => settings.get(name) ?? NO_SETTINGS,
    writeSettings: async (name: string, changed: ProjectSettings) => {
      settings.set(name, changed)
    },
    deleteProject: async (name: string) => {
      done.push(`deleted ${name}`)
    },
  }
  const projects = new Projects({
    store: store as unknown as ProjectsDeps['store'],
    historyOf: async () => 'full',
    releaseClones: async name => {
      done.push(`released ${name}`)
    },
    isBusy: async () => false,
    isCloning: async () => false,
    embedding: { provider: 'local', model: 'lsa-128' },
    ...more,
  })
  return { projects, done }
}

test('a project is found whatever the case of its name, and described by what is published', async t => {
  const { projects } = setup({ Shop: manifestOf('web', 'api') })
  t.equal(await projects.need('SHOP'), 'Shop')
  t.equal(await projects.canonicalName('new'), 'new')
  for (const name of ['other', '../Shop', 'x.git']) {
    await t.rejects(projects.need(name), { code: 'PROJECT_NOT_FOUND' }, name)
  }
  t.match(await projects.get('shop'), {
    projectName: 'Shop',
    indexState: 'ready',
    repositories: [{ repository: 'web', history: 'full' }, { repository: 'api' }],
    filesIndexed: 4,
    filesSkipped: { binary: 2 },
    embedding: { provider: 'local', model: 'lsa-128', dimensions: 128 },
    annRecall: 1,
    search: 'exact',
    storeBytes: 10,
    callbackUrl: null,
  })
  t.equal(await projects.chunksOf('Shop'), 5)
  t.equal(await projects.chunksOf('other'), 0)
})

test('what is not published is being cloned, or has failed; a damaged index is one that has to be made again', async t => {
  const damaged = new FaultlineError('INDEX_INCOMPATIBLE', 'damaged')
  const { projects } = setup({ a: null, b: damaged, c: manifestOf('r') }, { isCloning: async name => name === 'a' })
  t.same(
    (await projects.list(10, null)).projects.map(({ indexState }) => indexState),
    ['cloning', 'failed', 'ready'],
  )
  await t.rejects(projects.needIndex('a'), { code: 'INDEX_NOT_READY', message: /first time/ })
  await t.rejects(projects.needIndex('b'), { code: 'INDEX_INCOMPATIBLE' })
  t.same(await projects.needIndex('C'), { projectName: 'c', indexState: 'ready' })
})

test('an index of another embedding model is degraded', async t => {
  const { projects } = setup({ a: manifestOf('r') }, { embedding: { provider: 'api', model: 'm' } })
  t.same(await projects.needIndex('a'), { projectName: 'a', indexState: 'degraded' })
})

test('a list goes on after the last name, as long as that is there', async t => {
  const { projects } = setup({ c: null, b: null, a: null })
  const names = async (after: string | null) => {
    const { projects: page, next } = await projects.list(2, after)
    return [page.map(({ projectName }) => projectName), next]
  }
  t.same(await names(null), [['c', 'b'], 'b'])
  t.same(await names('b'), [['a'], null])
  await t.rejects(projects.list(2, 'gone'), { code: 'VALIDATION_FAILED' })
})

test('the commit of a project is that of its only repository, or of the one that is named', async t => {
  const { projects } = setup({ one: manifestOf('web'), two: manifestOf('web', 'api'), none: null })
  t.same(await projects.commitOf('one'), { repository: 'web', commit: 'commit of web' })
  t.same(await projects.commitOf('two', 'api'), { repository: 'api', commit: 'commit of api' })
  await t.rejects(projects.commitOf('two'), { code: 'VALIDATION_FAILED', message: /several repositories: web, api/ })
  await t.rejects(projects.commitOf('one', 'api'), { code: 'VALIDATION_FAILED', message: /no repository "api"/ })
  await t.rejects(projects.commitOf('none'), { code: 'INDEX_NOT_READY' })
})

test('settings are changed as far as they are given', async t => {
  const { projects } = setup({ Shop: manifestOf('web') })
  await projects.change('shop', { callbackUrl: 'https://example.com/hook' })
  t.match(await projects.change('shop', { inAppExclude: ['vendor/**'] }), { callbackUrl: 'https://example.com/hook' })
  t.match(await projects.settings('SHOP'), { inAppExclude: ['vendor/**'], callbackUrl: 'https://example.com/hook' })
  await t.rejects(projects.change('shop', { inAppExclude: [''] }), { code: 'VALIDATION_FAILED' })
})

test('a project that a job works on stays; another one goes with its clones', async t => {
  const { projects, done } = setup({ a: null, b: null }, { isBusy: async name => name === 'a' })
  await t.rejects(projects.remove('a'), { code: 'PROJECT_BUSY' })
  await projects.remove('B')
  t.same(done, ['deleted b', 'released b'])
})
