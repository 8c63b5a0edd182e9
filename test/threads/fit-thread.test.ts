import { test } from 'tap'
import { fitLsa } from '../../src/embedding/lsa/lsa-fit.ts'
import { serializeFit } from '../../src/embedding/lsa/lsa-file.ts'
import { sampleOfFit } from '../../src/embedding/lsa/lsa-sample-file.ts'
import { learnInThread } from '../../src/threads/fit-thread.ts'

test('a thread learns a space again, and refuses what is no sample', async t => {
  const documents = {
    documentCount: 4,
    termCount: 2,
    offsets: Uint32Array.of(0, 1, 2, 3, 4),
    termIds: Uint32Array.of(0, 0, 1, 1),
    counts: Uint8Array.of(1, 2, 1, 3),
    termAt: (id: number) => `term ${id}`,
  }
  const fit = fitLsa([documents])
  if (fit === null) throw new Error('nothing was learned')
  const serializedFit = serializeFit(fit)
  const sample = sampleOfFit({ fit, serializedFit }, [documents])
  t.same(Buffer.from(await learnInThread(sample ?? new Uint8Array())), Buffer.from(serializedFit))
  await t.rejects(learnInThread(Buffer.from('a sample')), RangeError)
})
