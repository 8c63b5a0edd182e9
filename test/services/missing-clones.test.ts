import { setImmediate } from 'node:timers/promises'
import { test } from 'tap'
import { bringingMissing } from '../../src/services/missing-clones.ts'

const AT = { repository: 'shop', commit: 'a'.repeat(40), uploadedInto: null }
const INDEXED = { projectName: 'Shop', branch: 'main', url: 'https://example.com/shop.git', ...AT }
const LATER_MS = 600_001

/** The functions over a clone that may be here, whose history is not. */
function withShallow({ isHere = true, fails = false } = {}) {
  const told = { brought: 0, deepened: [] as unknown[], failed: [] as unknown[] }
  let passed = 0
  const lacking = { status: 'shallow_history', commits: [], complete: false }
  const git = bringingMissing({
    local: { hasCopy: () => Promise.resolve(isHere) },
    git: {
      searchSuspects: () => Promise.resolve(lacking),
      searchChangesSince: () => Promise.resolve(lacking),
      readLineLog: () => Promise.resolve(lacking),
      fetchRef: () => Promise.reject(new Error('not asked for')),
      listFiles: () => Promise.reject(new Error('not asked for')),
    } as never,
    indexedOf: () => Promise.resolve([INDEXED] as never),
    bring: () => {
      told.brought += 1
      return fails ? Promise.reject(new Error('the remote is away')) : Promise.resolve()
    },
    onShallow: clone => told.deepened.push(clone),
    onFailed: error => told.failed.push(error),
    now: () => passed,
  })
  const pass = () => {
    passed += LATER_MS
  }
  return { git, told, pass }
}

for (const name of ['searchSuspects', 'searchChangesSince', 'readLineLog'] as const) {
  test(`${name}: what lacked the history asks for it, and again only after a while`, async t => {
    const { git, told, pass } = withShallow()
    const search = async () => {
      t.match(await git[name](AT as never), { status: 'shallow_history' })
      await setImmediate() // nothing here waits for more than promises
    }
    await search()
    t.same(told.deepened, [{ repository: 'shop', projectName: 'Shop' }])
    await search()
    t.equal(told.deepened.length, 1, 'once in ten minutes')
    pass()
    await search()
    t.equal(told.deepened.length, 2)
    t.equal(told.brought, 0, 'the clone was here')
    t.same(told.failed, [])
  })

  test(`${name}: a clone that is not here is brought, and its history asked for once`, async t => {
    const { git, told } = withShallow({ isHere: false })
    await git[name](AT as never)
    await setImmediate()
    t.match(told, { brought: 1, deepened: { length: 1 } })
  })

  test(`${name}: a clone that cannot be had is told of, and not asked for again at once`, async t => {
    const { git, told } = withShallow({ isHere: false, fails: true })
    await git[name](AT as never)
    await setImmediate()
    t.match(await git[name](AT as never), { status: 'shallow_history' })
    t.match(told, { brought: 1, failed: { length: 1 } })
  })
}
