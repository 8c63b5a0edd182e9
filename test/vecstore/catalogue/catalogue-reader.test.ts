import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'tap'
import { openTestStore, publish } from '../fixture.ts'

test(
  'texts of a damaged catalogue end in an error that names what to do, wherever the damage is, and what is ' +
    'looked at in part is closed',
  async t => {
    const root = t.testdir()
    const store = openTestStore(root)
    await publish(
      store,
      'shop',
      Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`f${1_000 + i}.py`, randomBytes(200).toString('hex')])),
    )
    const openFiles = () =>
      readdirSync('/proc/self/fd').filter(fd => {
        try {
          return readlinkSync(`/proc/self/fd/${fd}`).endsWith('catalogue.sqlite')
        } catch {
          return false
        }
      }).length
    const files = await store.storedFiles('shop', 'repo')
    if (process.platform === 'linux') t.equal(openFiles(), 0, 'nothing is opened before it is read')
    const some = files[Symbol.iterator]()
    t.match(some.next(), { value: { path: 'f1000.py' } })
    some.return?.()
    if (process.platform === 'linux') t.equal(openFiles(), 0)

    const catalogue = join(root, 'shop/000001/catalogue.sqlite')
    const bytes = readFileSync(catalogue)
    writeFileSync(catalogue, bytes.fill(0xff, bytes.length / 2))
    const read: string[] = []
    const damaged = await store.storedFiles('shop', 'repo')
    t.throws(
      () => {
        for (const { path } of damaged) read.push(path)
      },
      { code: 'INDEX_INCOMPATIBLE', fix: /DELETE \/projects\/shop/ },
    )
  },
)
