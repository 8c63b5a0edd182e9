import { test } from 'tap'
import { readExceptions } from '../../../helpers/read-trace.ts'
import { readTrace } from '../../../helpers/trace-fixtures.ts'

const read = (name: string) => readExceptions(readTrace(name))

test(
  'a data race: the access noticed is the failure, the earlier one and the creation of goroutines are its ' + 'context',
  async t => {
    t.same(
      read('go-1.19-race'),
      [
        {
          head: 'root DATA RACE: Read at 0x00c0000ae2e8 by goroutine 7',
          frames: ['main.race.func1 /srv/app/go/main.go:64', 'acme.dev/shop/cart.Count /srv/app/go/cart/cart.go:48'],
        },
        {
          head: 'context null: Previous write at 0x00c0000ae2e8 by main goroutine',
          frames: ['main.main /srv/app/go/main.go:95', 'main.race /srv/app/go/main.go:67'],
        },
        {
          head: 'context null: Goroutine 7 (running) created at',
          frames: ['main.main /srv/app/go/main.go:95', 'main.race /srv/app/go/main.go:63'],
        },
      ].map(({ head, frames }) => ({
        head: head.replace('0x00c0000ae2e8', /0x\w+/.exec(readTrace('go-1.19-race'))?.[0] ?? ''),
        frames,
      })),
    )
  },
)

test('a race report of old versions, without addresses, also where its lines were wrapped', async t => {
  const found = read('go-1.6-race')
  t.same(
    found.map(({ head, frames }) => [head, frames.length]),
    [
      ['root DATA RACE: Write by goroutine 96', 1],
      ['context null: Previous write by goroutine 91', 2],
      ['context null: Goroutine 96 (running) created at', 1],
      ['context null: Goroutine 91 (running) created at', 1],
    ],
  )
  t.same(readExceptions(readTrace('go-1.6-race').replaceAll(' +0x', '\n+0x')), found)
})
