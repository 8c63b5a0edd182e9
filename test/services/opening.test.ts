import { test } from 'tap'
import { FaultlineError } from '../../src/core/errors.ts'
import { createOpener } from '../../src/services/opening.ts'

interface Options {
  chunks?: number
  /** Whether somebody asks, by the number of tasks so far. */
  isAnswering?: (tasks: number) => boolean
  failing?: Error
}

/** Processes of which each rehearsal but the fifth says that a further one helps. */
function opened({ chunks = 30_000, isAnswering = () => false, failing }: Options = {}) {
  const tasks: string[] = []
  const warned: string[] = []
  const closing = new AbortController()
  const { open } = createOpener({
    threads: {
      runFor: async (_project: string, name: string) => {
        tasks.push(name)
        if (failing !== undefined) throw failing
        return name === 'rehearse' ? tasks.filter(one => one === 'rehearse').length < 5 : null
      },
    } as never,
    chunksOf: async () => chunks,
    rush: {
      get isAnswering() {
        return isAnswering(tasks.length)
      },
    },
    log: { warn: (_context: object, message: string) => warned.push(message) } as never,
    closing: closing.signal,
  })
  return { tasks, warned, closing, open }
}

const BOTH = { processes: 2, practise: true }
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

test('what was indexed is opened in both processes, which practise until it helps no more', async t => {
  const { tasks, open } = opened()
  open('shop', BOTH)
  await settled()
  t.same(tasks.slice(0, 2), ['prepare', 'prepare'])
  t.equal(tasks.filter(task => task === 'rehearse').length, 6, 'the fifth and the sixth end it, one in each')
})

test('while the rest is indexed, one process opens it', async t => {
  const { tasks, open } = opened()
  open('shop', { processes: 1, practise: true })
  await settled()
  t.same(tasks, ['prepare', ...Array(5).fill('rehearse')])
})

test('nobody practises with a small index or one that has a single process, nor without being told to, nor while somebody asks, nor once the server stops', async t => {
  const small = opened({ chunks: 1_999 })
  small.open('shop', BOTH)
  const large = opened({ chunks: 100_000 })
  large.open('shop', BOTH)
  const untold = opened()
  untold.open('shop', { processes: 2, practise: false })
  const asked = opened({ isAnswering: tasks => tasks >= 4 })
  asked.open('shop', BOTH)
  const stopping = opened()
  stopping.closing.abort()
  stopping.open('shop', BOTH)
  await settled()
  for (const own of [small, large, untold]) t.same(own.tasks, ['prepare', 'prepare'])
  t.same(asked.tasks, ['prepare', 'prepare', 'rehearse', 'rehearse'])
  t.same(stopping.tasks, ['prepare', 'prepare'])
})

test('only what is unexpected is logged', async t => {
  const gone = opened({ failing: new FaultlineError('PROJECT_NOT_FOUND', 'deleted meanwhile') })
  gone.open('shop', BOTH)
  const unpublished = opened({ failing: new FaultlineError('INDEX_NOT_READY', 'a first clone of a small one') })
  unpublished.open('shop', BOTH)
  const broken = opened({ failing: new Error('a bug') })
  broken.open('shop', BOTH)
  const stopping = opened({ failing: new Error('the processes end') })
  stopping.closing.abort()
  stopping.open('shop', BOTH)
  await settled()
  t.same(gone.warned, [])
  t.same(unpublished.warned, [])
  t.same(broken.warned, Array(2).fill('what was indexed could not be opened'))
  t.same(stopping.warned, [])
})
