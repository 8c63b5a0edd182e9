import { test } from 'tap'
import type { JobContext } from '../../src/jobs/job-context.ts'
import type { JobDefinition, JobDefinitions } from '../../src/jobs/job-definition.ts'
import { createBringing } from '../../src/services/bringing.ts'
import type { ResolveThreads } from '../../src/services/resolve-threads.ts'

const CLONE = { repository: 'shop', url: 'https://example.com/shop.git', branch: 'main', commit: 'c'.repeat(40) }

/** What is done, in its order, for a store with the project `shop`, and `new`, of which nothing is published. */
function listed({ isHere = false, repositories = [CLONE] as Array<typeof CLONE> | null } = {}) {
  const done: string[] = []
  const note = (entry: string): void => {
    done.push(entry)
  }
  const bringing = createBringing({
    store: {
      findProject: async name => (['shop', 'new'].includes(name) ? ({} as never) : null),
      publication: async () => (isHere ? ({} as never) : null),
      readManifest: async () => (repositories === null ? null : ({ repositories } as never)),
      bring: async name => note(`bring ${name}`),
    },
    bringClone: async ({ projectName, repository, commit }) => note(`clone ${projectName} ${repository} ${commit[0]}`),
    inUse: {
      touch: name => note(`touch ${name}`),
      during: async (name, body) => {
        note(`begin ${name}`)
        try {
          return await body()
        } finally {
          note(`end ${name}`)
        }
      },
    },
    asRun: async (run, body) => {
      note(`as ${JSON.stringify(run)}`)
      return await body()
    },
    grew: () => note('grew'),
  })
  return { ...bringing, done, note }
}

const contextOf = (projectName: string | null) =>
  ({ input: { projectName }, run: 'r1', signal: new AbortController().signal }) as unknown as JobContext

/** A job of a project, which does what is given. */
function jobOf({ bringing }: ReturnType<typeof listed>, work: () => unknown) {
  const definition = {
    projectName: ({ projectName }: { projectName: string | null }) => projectName,
    run: async () => work(),
  } as unknown as JobDefinition
  const { task } = bringing({ task: definition } as unknown as JobDefinitions) as unknown as { task: JobDefinition }
  return task
}

test('a job finds the index and the clones of its project, which are kept while it runs', async t => {
  const world = listed({ repositories: [CLONE, { ...CLONE, repository: 'api', commit: 'd' }] })
  const job = jobOf(world, () => world.note('run'))
  await job.run(contextOf('shop'))
  t.same(world.done, [
    'as "r1"',
    'touch shop',
    'begin shop',
    'bring shop',
    'clone shop shop c',
    'clone shop api d',
    'run',
    'end shop',
    'grew',
  ])
})

test('a job that fails gives its project back as well', async t => {
  const world = listed()
  const job = jobOf(world, () => {
    throw new Error('it failed')
  })
  await t.rejects(async () => job.run(contextOf('shop')), { message: 'it failed' })
  t.same(world.done.slice(-2), ['end shop', 'grew'])
})

test('for a project that is not there, or without an index, a job runs all the same', async t => {
  const gone = listed()
  await jobOf(gone, () => gone.note('run')).run(contextOf('gone'))
  t.same(gone.done, ['as "r1"', 'touch gone', 'begin gone', 'run', 'end gone', 'grew'])
  const fresh = listed({ repositories: null })
  await jobOf(fresh, () => fresh.note('run')).run(contextOf('new'))
  t.same(fresh.done.slice(2, 5), ['begin new', 'bring new', 'run'])
})

test('a job of no project brings nothing', async t => {
  const world = listed()
  await jobOf(world, () => world.note('run')).run(contextOf(null))
  t.same(world.done, ['as "r1"', 'run'])
})

test('a thread finds the index that it reads, which is brought only where it is not here', async t => {
  for (const isHere of [false, true]) {
    const world = listed({ isHere })
    const threads = {
      runFor: async (...task: unknown[]) => {
        world.note(`run ${task.join(' ')}`)
        return 'answer'
      },
      size: 3,
    } as unknown as ResolveThreads
    const kept = world.keeping(threads)
    t.equal((kept as unknown as { size: number }).size, 3)
    t.equal((await kept.runFor('shop', 'prepare', { projectName: 'shop' })) as unknown, 'answer')
    t.same(world.done, [
      'touch shop',
      'begin shop',
      ...(isHere ? [] : ['bring shop']),
      'run shop prepare [object Object]',
      'end shop',
    ])
  }
})
