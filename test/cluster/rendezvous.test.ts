import fc from 'fast-check'
import { test } from 'tap'
import { ownerOf, Owners } from '../../src/cluster/rendezvous.ts'
import { runs } from '../helpers/property-runs.ts'

const name = fc.string({ minLength: 1, maxLength: 12 })
const nodes = fc.uniqueArray(name, { minLength: 1, maxLength: 12 })
const keys = fc.uniqueArray(name, { minLength: 1, maxLength: 30 })

test('every node finds the same owner, whatever the order of the names', async t => {
  fc.assert(
    fc.property(nodes, keys, (all, asked) => {
      for (const key of asked) {
        const owner = ownerOf(all, key)
        if (owner === null || !all.includes(owner)) return false
        if (ownerOf(all.toReversed(), key) !== owner || ownerOf(all.toSorted(), key) !== owner) return false
      }
      return true
    }),
    { numRuns: runs(500) },
  )
  t.equal(ownerOf([], 'shop'), null)
})

test('a node that leaves moves its own keys and no others', async t => {
  fc.assert(
    fc.property(nodes, keys, fc.nat(), (all, asked, at) => {
      const gone = all[at % all.length]
      const left = all.filter(node => node !== gone)
      return asked.every(key => {
        const before = ownerOf(all, key)
        return before === gone || ownerOf(left, key) === before
      })
    }),
    { numRuns: runs(500) },
  )
  t.pass()
})

test('a node that joins takes keys from others and gives none away', async t => {
  fc.assert(
    fc.property(nodes, name, keys, (all, joined, asked) => {
      const more = [...new Set([...all, joined])]
      return asked.every(key => [joined, ownerOf(all, key)].includes(ownerOf(more, key)))
    }),
    { numRuns: runs(500) },
  )
  t.pass()
})

test('keys are spread evenly', async t => {
  const all = ['a', 'b', 'c', 'd', 'e']
  const counts = new Map(all.map(node => [node, 0]))
  const total = 10_000
  for (let at = 0; at < total; at++) {
    const owner = ownerOf(all, `project-${at}`) ?? ''
    counts.set(owner, (counts.get(owner) ?? 0) + 1)
  }
  // five standard deviations around the mean of 2,000
  for (const [node, count] of counts) t.ok(Math.abs(count - total / all.length) < 200, `${node} has ${count}`)
})

test('what is remembered of owners holds for the nodes of the moment', async t => {
  const owners = new Owners()
  fc.assert(
    fc.property(nodes, keys, (all, asked) =>
      [...asked, ...asked].every(key => owners.of(all, key) === ownerOf(all, key) && owners.of([], key) === null),
    ),
    { numRuns: runs(300) },
  )
  t.equal(owners.of(['one'], 'shop'), 'one')
})
