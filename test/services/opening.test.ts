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
  const running = { now: 0, most: 0 }
  const warned: string[] = []
  const closing = new AbortController()
  const { open } = createOpener({
    threads: {
      runFor: async (_project: string, name: string) => {
        tasks.push(name)
        running.most = Math.max(running.most, ++running.now)
        await Promise.resolve()
        running.now--
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
  return { tasks, running, warned, closing, open }
}

const PRACTISE = { practise: true }
const settled = () => new Promise<void>(resolve => setImmediate(resolve))

test('what was indexed is opened, and practised with until it helps no more', async t => {
  const { tasks, open } = opened()
  open('shop', PRACTISE)
  await settled()
  t.same(tasks, ['prepare', ...Array(5).fill('rehearse')])
})

test('what is to be opened waits for what is being opened, so that no second process begins', async t => {
  const { tasks, running, open } = opened()
  open('shop', { practise: false })
  open('shop', PRACTISE)
  open('till', { practise: false })
  await settled()
  t.same(tasks, ['prepare', 'prepare', ...Array(5).fill('rehearse'), 'prepare'])
  t.equal(running.most, 1)
})

test('nobody practises with a small index or a large one, nor without being told to, nor while somebody asks, nor once the server stops', async t => {
  const small = opened({ chunks: 1_999 })
  small.open('shop', PRACTISE)
  const large = opened({ chunks: 100_000 })
  large.open('shop', PRACTISE)
  const untold = opened()
  untold.open('shop', { practise: false })
  const asked = opened({ isAnswering: tasks => tasks >= 2 })
  asked.open('shop', PRACTISE)
  const stopping = opened()
  stopping.closing.abort()
  stopping.open('shop', PRACTISE)
  await settled()
  for (const own of [small, large, untold]) t.same(own.tasks, ['prepare'])
  t.same(asked.tasks, ['prepare', 'rehearse'])
  t.same(stopping.tasks, [])
})

test('only what is unexpected is logged', async t => {
  const gone = opened({ failing: new FaultlineError('PROJECT_NOT_FOUND', 'deleted meanwhile') })
  gone.open('shop', PRACTISE)
  const unpublished = opened({ failing: new FaultlineError('INDEX_NOT_READY', 'a first clone of a small one') })
  unpublished.open('shop', PRACTISE)
  const broken = opened({ failing: new Error('a bug') })
  broken.open('shop', PRACTISE)
  const stopping = opened({ failing: new Error('the process ends') })
  stopping.closing.abort()
  stopping.open('shop', PRACTISE)
  await settled()
  t.same(gone.warned, [])
  t.same(unpublished.warned, [])
  t.same(broken.warned, ['what was indexed could not be opened'])
  t.same(stopping.warned, [])
})
